// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Makes a source of any asynchronous sequence of bytes. Only the cancellation of its task ends a `next()` that is
/// waiting; `cancel()` takes effect with the piece after it.
final class SequenceBodySource<Source: AsyncSequence & Sendable>: BodySource, @unchecked Sendable
where Source.Element == Data {
    // Unchecked because an iterator is not Sendable; it is touched by `next` alone, which has one caller at a time.
    private var iterator: Source.AsyncIterator
    private let isCancelled = Atomic(false)

    init(_ sequence: Source) {
        iterator = sequence.makeAsyncIterator()
    }

    func next() async throws -> Data? {
        var piece: Data?
        repeat {
            if isCancelled.load(ordering: .relaxed) || piece != nil && Task.isCancelled { throw CancellationError() }
            piece = try await iterator.next(isolation: #isolation)
        } while piece?.isEmpty == true
        // Many sequences just end when their task is cancelled, which is no end of the body.
        if isCancelled.load(ordering: .relaxed) || piece == nil && Task.isCancelled { throw CancellationError() }
        return piece
    }

    func cancel() { isCancelled.store(true, ordering: .relaxed) }
}
