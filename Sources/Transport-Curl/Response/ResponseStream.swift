// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import StrataTransportSupport
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A response's body between the loop that receives it and the one task that reads it.
///
/// The loop pauses the transfer when the high-water mark is reached and goes on when the reader has taken half of it.
final class ResponseStream: BodySource {
    private struct State: @unchecked Sendable {
        // Unchecked because a buffer holds pointers; it is reached through the mutex alone.
        var buffer: BodyBuffer
        var end: Result<Void, any Error>?
        var reader: Waiter<Data?>?
        var isPaused = false
        var metrics: FinalMetrics?
    }

    /// Kept in an object of its own to save memory: a stream has none for most of its life, and thousands of streams
    /// may be open.
    private final class FinalMetrics: Sendable {
        let values: TransportMetrics
        let trailers: HTTPFields?

        init(_ values: TransportMetrics, _ trailers: HTTPFields?) {
            self.values = values
            self.trailers = trailers
        }
    }

    private enum Step {
        case piece(Data, resumes: Bool)
        case end
        case failed(any Error)
        case wait
    }

    private let state: Mutex<State>
    private let highWaterMark: Int
    let exchange: Exchange

    init(_ buffer: sending BodyBuffer, isPaused: Bool, highWaterMark: Int, exchange: Exchange) {
        state = Mutex(State(buffer: buffer, isPaused: isPaused))
        self.highWaterMark = highWaterMark
        self.exchange = exchange
    }

    deinit { cancel() }

    /// What libcurl knew about the exchange at its end.
    var metrics: TransportMetrics? { state.withLock { $0.metrics?.values } }

    var trailers: HTTPFields? { state.withLock { $0.metrics?.trailers } }

    /// How many bytes wait for the reader.
    var held: Int { state.withLock { $0.buffer.count } }

    // MARK: - The reader's side

    func next() async throws -> Data? {
        let isCancelled = Task.isCancelled
        if isCancelled { cancel() }
        let step = state.withLock { Self.step(&$0, resumesAt: highWaterMark / 2) }
        if let result = try settle(step) { return result }
        let isolation = #isolation
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Data?, any Error>) in
                let reader = Waiter(continuation, isolation: isolation)
                // Resumed once: here, or by whoever takes it out of the state.
                let step = state.withLock { state -> Step in
                    let step = Self.step(&state, resumesAt: highWaterMark / 2)
                    if case .wait = step { state.reader = reader }
                    return step
                }
                if case .wait = step { return }
                reader.resume(with: Result { try settle(step) ?? nil })
            }
        } onCancel: {
            cancel()
        }
    }

    /// The answer of a step; `nil` when there is none yet.
    private func settle(_ step: Step) throws -> Data?? {
        switch step {
        case .piece(let data, let resumes):
            // Posted to the loop's thread, which the socket wakes at once. If it ran here, this thread and the loop's
            // would wait for each other.
            if resumes { exchange.loop.post(.resumeReceiving(exchange)) }
            return .some(data)
        case .end: return .some(nil)
        case .failed(let error): throw error
        case .wait: return nil
        }
    }

    private static func step(_ state: inout State, resumesAt mark: Int) -> Step {
        if let piece = state.buffer.popFirst() {
            let resumes = state.isPaused && state.buffer.count <= mark
            if resumes { state.isPaused = false }
            return .piece(piece, resumes: resumes)
        }
        switch state.end {
        case .success: return .end
        case .failure(let error): return .failed(error)
        case nil: return .wait
        }
    }

    /// What has not been read is dropped, and the transfer ends unless it has already.
    func cancel() {
        let (reader, isOver) = state.withLock { state -> (Waiter<Data?>?, Bool) in
            let isOver = state.end != nil
            if isOver, state.buffer.isEmpty { return (nil, true) }
            state.end = .failure(CancellationError())
            state.buffer.removeAll()
            return (state.reader.take(), isOver)
        }
        if !isOver { exchange.loop.post(.cancel(exchange)) }
        reader?.resume(with: .failure(CancellationError()))
    }

    // MARK: - The loop's side

    /// - Returns: whether the transfer has to pause, whether someone waits for the piece, and how many bytes wait for a
    ///   reader.
    func push(_ bytes: UnsafeRawBufferPointer, expected: Int64?) -> (pauses: Bool, isAwaited: Bool, held: Int) {
        state.withLock { state in
            guard state.end == nil else { return (false, false, 0) }
            state.buffer.append(bytes, expected: expected)
            if state.buffer.count >= highWaterMark { state.isPaused = true }
            return (state.isPaused, state.reader != nil, state.buffer.count)
        }
    }

    /// The waiting reader and the piece for it, and whether the transfer goes on now.
    func takeAwaited() -> (Resumption, resumes: Bool)? {
        state.withLock { state in
            guard let reader = state.reader,
                case .piece(let piece, let resumes) = Self.step(&state, resumesAt: highWaterMark / 2)
            else { return nil }
            state.reader = nil
            return (.piece(reader, piece), resumes)
        }
    }

    /// The body has ended; what is buffered can still be read.
    func finish(
        _ error: (any Error)?, metrics: @autoclosure () -> TransportMetrics, trailers: @autoclosure () -> HTTPFields?
    ) -> Resumption? {
        state.withLock { state in
            guard state.end == nil else { return nil }
            state.end = error.map { .failure($0) } ?? .success(())
            state.metrics = FinalMetrics(metrics(), trailers())
            guard let reader = state.reader.take() else { return nil }
            if let piece = state.buffer.popFirst() { return .piece(reader, piece) }
            return error.map { .pieceFailed(reader, $0) } ?? .piece(reader, nil)
        }
    }
}
