// SPDX-License-Identifier: Apache-2.0

/// What a transfer has had of a batch: a body in the smallest of chunks costs a call back for each.
struct BatchShare {
    /// How many pieces of a body are taken in one batch. A read gives thousands of chunks of a byte.
    static let pieces = 1024

    private var batch = 0
    private var count = 0
    /// Whether the transfer waits for the next batch.
    var isYielding = false

    /// A piece has come.
    ///
    /// - Returns: whether that was the last for this batch.
    mutating func isUsed(inBatch batch: Int) -> Bool {
        if self.batch != batch { (self.batch, count) = (batch, 0) }
        count += 1
        return count >= Self.pieces
    }
}
