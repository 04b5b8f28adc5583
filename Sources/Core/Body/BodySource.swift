// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Where the bytes of a body come from: pulled piece by piece by one consumer.
public protocol BodySource: AnyObject, Sendable {
    /// The next piece, never empty; `nil` at the end, and again after it.
    ///
    /// Called by one task at a time. Throws what ended the body early, `CancellationError` after a cancel.
    func next() async throws -> Data?

    /// The rest is not wanted. May be called at any time, from any thread, also twice and after the end; a `next` under
    /// way ends soon.
    func cancel()
}

/// Any asynchronous sequence of bytes as a source.
final class SequenceBodySource<Source: AsyncSequence & Sendable>: BodySource, @unchecked Sendable
where Source.Element == Data {
    // Unchecked because an iterator is not Sendable; it is touched by `next` alone, which has one caller at a time.
    private var iterator: Source.AsyncIterator

    init(_ sequence: Source) {
        iterator = sequence.makeAsyncIterator()
    }

    func next() async throws -> Data? {
        while let piece = try await iterator.next(isolation: #isolation) {
            if !piece.isEmpty { return piece }
        }
        return nil
    }

    func cancel() {}
}

/// Bytes in memory as a source of one piece.
final class DataBodySource: BodySource {
    private let rest: Mutex<Data?>

    init(_ data: Data) {
        rest = Mutex(data.isEmpty ? nil : data)
    }

    func next() -> Data? {
        rest.withLock { rest in
            defer { rest = nil }
            return rest
        }
    }

    func cancel() {
        rest.withLock { $0 = nil }
    }
}
