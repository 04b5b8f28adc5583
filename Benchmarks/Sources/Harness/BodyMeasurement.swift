// SPDX-License-Identifier: Apache-2.0

/// Moves one large body, and reports processor time per MiB and how much memory came on top of what there was:
///
///     bytes=… mib_per_s=… cpu_us=… growth_kb=… rss_kb=…
public enum BodyMeasurement {
    /// - Parameters:
    ///   - prepare: once before: loads code, fills caches.
    ///   - operation: returns the bytes that it moved.
    public static func run(prepare: () async throws -> Void, _ operation: () async throws -> Int) async throws {
        try await prepare()
        Memory.forgetPeak()
        let before = Memory.current
        let cpu = CPUTime.now
        let begin = monotonic()
        let bytes = try await operation()
        let used = CPUTime.now - cpu
        let seconds = Double(monotonic() - begin) / 1e9
        let mebibytes = Double(bytes) / 1_048_576
        report([
            ("bytes", Double(bytes)), ("mib_per_s", mebibytes / seconds), ("cpu_us", used.total / mebibytes),
            ("growth_kb", Double(max(0, Memory.peak - before))), ("rss_kb", Double(Memory.peak)),
        ])
    }
}

/// Hands out the same piece so many times: a body to upload.
public struct Pieces<Piece: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Piece

    private let piece: Piece
    private let count: Int

    public init(_ piece: Piece, count: Int) {
        self.piece = piece
        self.count = count
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(piece: piece, rest: count) }

    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let piece: Piece
        fileprivate var rest: Int

        public mutating func next() async -> Piece? {
            guard rest > 0 else { return nil }
            rest -= 1
            return piece
        }
    }
}
