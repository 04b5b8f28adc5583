// SPDX-License-Identifier: Apache-2.0

import StrataTransportSupport

/// What a batch of the engine has found and is carried out at its end. The arrays are kept from batch to batch.
struct Batch {
    /// Counts the batches.
    private(set) var number = 0
    /// Transfers whose head has come, or whose body has while the request's was on its way.
    var answered: [Int] = []
    /// Streams whose reader waits for what has come.
    var awaited: [ResponseStream] = []
    /// Transfers that have had their share, and go on in the next batch.
    var yielding: [Int] = []
    /// Transfers that have begun, while somebody listens for those that wait.
    var begun: [Int] = []
    /// Transfers whose connection was ended for a flood.
    var flooded: [Int] = []
    /// Tasks that go on when the lock is released.
    var resumptions: [Resumption] = []

    mutating func begin() { number &+= 1 }

    /// Those that had their share of the batch before.
    mutating func takeYielding() -> [Int] {
        defer { yielding = [] }
        return yielding
    }
}
