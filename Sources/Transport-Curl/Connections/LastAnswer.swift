// SPDX-License-Identifier: Apache-2.0

/// Where the last answer came from, and when. libcurl does not always speak of its socket, but tells the local port.
struct LastAnswer {
    /// 0 when it is not known, or when more may have come behind the answer than libcurl has read.
    private var port: UInt16 = 0
    private var time: UInt64 = 0

    /// How long after an answer nothing more is expected on its connection, in nanoseconds.
    private static let pause: UInt64 = 1_000_000

    mutating func note(port: UInt16, at time: UInt64) { (self.port, self.time) = (port, time) }

    mutating func mayHaveMore() { port = 0 }

    /// Whether the answer came to this port a moment ago, so that looking for more costs more than it finds.
    func hasJustCome(to port: UInt16?, now: UInt64) -> Bool {
        self.port != 0 && self.port == port && now - time <= Self.pause
    }
}
