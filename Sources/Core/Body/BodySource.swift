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

    /// Gives up what is left of the body. May be called at any time, from any thread, more than once, and after the
    /// end. A `next()` that is waiting ends soon after; this function does not wait for it.
    func cancel()
}

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

/// Pulls each piece in a task of its own, which `cancel()` cancels: for a source whose `next()` notices nothing but the
/// cancellation of its task.
final class TaskBodySource: BodySource {
    private struct State {
        var reading: Task<Data?, any Error>?
        var isCancelled = false
    }

    private let source: any BodySource
    private let state = Mutex(State())

    init(_ source: any BodySource) { self.source = source }

    func next() async throws -> Data? {
        let reading = try state.withLock { state in
            if state.isCancelled { throw CancellationError() }
            let reading = Task { [source] in try await source.next() }
            state.reading = reading
            return reading
        }
        // Let go of the task: even when it has ended, it holds its piece.
        defer { state.withLock { $0.reading = nil } }
        return try await withTaskCancellationHandler {
            try await reading.value
        } onCancel: {
            reading.cancel()
        }
    }

    func cancel() {
        source.cancel()
        let reading = state.withLock { state in
            state.isCancelled = true
            return state.reading
        }
        reading?.cancel()
    }
}

/// Bytes in memory as a source of one piece.
final class DataBodySource: BodySource {
    private enum State {
        case whole(Data), ended, cancelled
    }

    private let state: Mutex<State>

    init(_ data: Data) {
        state = Mutex(data.isEmpty ? .ended : .whole(data))
    }

    func next() throws -> Data? {
        try state.withLock { state in
            switch state {
            case .whole(let data):
                state = .ended
                return data
            case .ended: return nil
            case .cancelled: throw CancellationError()
            }
        }
    }

    func cancel() {
        state.withLock { state in
            if case .whole = state { state = .cancelled }
        }
    }
}
