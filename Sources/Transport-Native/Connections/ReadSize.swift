// SPDX-License-Identifier: Apache-2.0

/// How much is read at once from a connection. After what took long to work through, such as chunks of a byte, it is less, so that
/// others have their turn soon.
struct ReadSize {
    static let most = 64 * 1024
    static let least = 2 * 1024

    private(set) var bytes = most

    /// - Parameters:
    ///   - time: how long it took to work through what was read, in nanoseconds.
    ///   - share: for how long a loop reads from all connections in a batch.
    mutating func adapt(took time: UInt64, share: UInt64) {
        bytes = time > share / 4 ? max(Self.least, bytes / 2) : min(Self.most, bytes * 2)
    }
}
