// SPDX-License-Identifier: Apache-2.0

/// What a ``RawServer`` has seen of a request that came over HTTP/2. Its fields stay encoded, and nobody pads its body.
struct HTTP2Stream: Sendable, Equatable {
    let connection: Int
    let id: UInt32
    var body: [UInt8] = []
    /// Whether the client has ended its side.
    var isComplete = false
    var isResetByPeer = false
    var isResetByServer = false
    /// Bytes of the response's body that have gone out.
    var sent = 0
    /// What of the body had come when more was granted.
    var bodyBeforeGrant: Int?
    /// Whether the steps of its script are done.
    var isPlayed = false

    var isReset: Bool { isResetByPeer || isResetByServer }
}
