// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A request's body between the task that produces it and the loop that sends it.
///
/// Bounded: the producer waits while 256 KiB lie unsent. An empty pipe pauses the transfer; the next piece wakes it.
final class UploadPipe: Sendable {
    enum Reading: Equatable {
        case bytes(Int)
        /// Nothing is there now; the producer will wake the loop when there is.
        case starving
        case end
        case failed
    }

    private struct State {
        /// The pieces. Those from `first` on have not been sent, except for `offset` bytes of that one.
        var pieces: [Data] = []
        var first = 0
        var offset = 0
        var buffered = 0
        /// How many bytes are missing to the announced length.
        var missing: Int64?
        var isEnded = false
        /// Whether the last byte is sent although the source has not ended.
        var isReleased = false
        var isClosed = false
        var isStarving = false
        var failure: (any Error)?
        /// The producer, while it waits for room.
        var producer: UnsafeContinuation<Void, Never>?
        var task: Task<Void, Never>?

        /// The last byte of an announced length waits for the source's end: with it the request would be complete, and
        /// whatever came then could not fail it.
        var isHoldingLastByte: Bool { missing == 0 && buffered > 0 && !isEnded && !isReleased }

        /// - Returns: whether the loop has to be woken, which is done once.
        mutating func endStarving() -> Bool {
            defer { isStarving = false }
            return isStarving
        }

        /// Sent pieces are removed in batches, so that each piece is moved a few times at most, however small the
        /// pieces are.
        mutating func removeFirstPiece() {
            pieces[first] = Data()
            (first, offset) = (first + 1, 0)
            guard first * 2 >= pieces.count else { return }
            pieces.removeFirst(first)
            first = 0
        }
    }

    private static let highWaterMark = 256 * 1024
    private let state: Mutex<State>
    private let length: Int64?

    /// - Parameter length: the announced one, which the source keeps to.
    init(length: Int64?) {
        self.length = length
        state = Mutex(State(missing: length))
    }

    /// A pipe for the same body from its beginning.
    func emptyCopy() -> UploadPipe { UploadPipe(length: length) }

    var isHoldingLastByte: Bool { state.withLock { $0.isHoldingLastByte } }

    /// Whether the producer is what is waited for.
    var isEmpty: Bool { state.withLock { $0.buffered == 0 && !$0.isEnded } }

    /// The source takes too long to say that it has ended.
    func releaseLastByte() { state.withLock { $0.isReleased = true } }

    /// What ended the production early.
    var failure: (any Error)? { state.withLock { $0.failure } }

    /// Begins to produce, in a task that ends with ``close()`` at the latest.
    ///
    /// - Parameter wake: tells the loop that there is something to send again.
    func start(_ source: any BodySource, wake: @escaping @Sendable () -> Void) { start({ source }, wake: wake) }

    /// - Parameter makeSource: called in the task.
    func start(_ makeSource: @escaping @Sendable () throws -> any BodySource, wake: @escaping @Sendable () -> Void) {
        let task = Task {
            let source: any BodySource
            do { source = try makeSource() } catch { return finish(wake, failure: error) }
            await withTaskCancellationHandler {
                await pump(source, wake: wake)
            } onCancel: {
                source.cancel()
            }
        }
        state.withLock { $0.task = task }
    }

    /// Sends what `source` produces until it ends, fails, or nobody wants more.
    func pump(_ source: any BodySource, wake: @Sendable () -> Void) async {
        do {
            while let piece = try await source.next() {
                put(piece, wake)
                guard await hasRoom() else { break }
            }
            finish(wake)
        } catch {
            finish(wake, failure: error)
        }
        source.cancel()
    }

    private func put(_ piece: Data, _ wake: () -> Void) {
        let isStarving = state.withLock { state in
            if let missing = state.missing { state.missing = missing - Int64(piece.count) }
            guard !state.isClosed, !piece.isEmpty else { return false }
            state.pieces.append(piece)
            state.buffered += piece.count
            return state.endStarving()
        }
        if isStarving { wake() }
    }

    /// Waits until there is room; false when the transfer is over.
    private func hasRoom() async -> Bool {
        await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
            // Resumed once: here, or by whoever takes it out of the state.
            let mayGoOn = state.withLock { state in
                guard state.buffered >= Self.highWaterMark, !state.isClosed else { return true }
                state.producer = continuation
                return false
            }
            if mayGoOn { continuation.resume() }
        }
        return state.withLock { !$0.isClosed }
    }

    /// No more will come: that was all, or the source failed.
    private func finish(_ wake: () -> Void, failure: (any Error)? = nil) {
        let isStarving = state.withLock { state in
            if let failure { state.failure = failure } else { state.isEnded = true }
            return state.endStarving()
        }
        if isStarving { wake() }
    }

    /// The loop's side: never waits.
    func read(into target: UnsafeMutableRawBufferPointer) -> Reading {
        let (reading, producer) = state.withLock { state -> (Reading, UnsafeContinuation<Void, Never>?) in
            if state.failure != nil { return (.failed, nil) }
            let limit = min(target.count, state.isHoldingLastByte ? state.buffered - 1 : state.buffered)
            var written = 0
            while written < limit {
                let piece = state.pieces[state.first]
                let count = min(limit - written, piece.count - state.offset)
                let start = piece.startIndex + state.offset
                let room = UnsafeMutableRawBufferPointer(rebasing: target[written..<(written + count)])
                piece.copyBytes(to: room, from: start..<(start + count))
                written += count
                state.offset += count
                state.buffered -= count
                if state.offset == piece.count { state.removeFirstPiece() }
            }
            let producer = state.buffered < Self.highWaterMark / 2 ? state.producer.take() : nil
            if written > 0 { return (.bytes(written), producer) }
            if state.isEnded { return (.end, producer) }
            state.isStarving = true
            return (.starving, producer)
        }
        producer?.resume()
        return reading
    }

    /// The transfer is over: what is left is dropped, and the task that produces ends, wherever it waits.
    func close() {
        let (producer, task) = state.withLock { state in
            state.isClosed = true
            (state.pieces, state.first, state.buffered) = ([], 0, 0)
            defer { state.task = nil }
            return (state.producer.take(), state.isEnded || state.failure != nil ? nil : state.task)
        }
        producer?.resume()
        // Runs code of the source, which may take its time and is not the loop's.
        if let task { Task.detached { task.cancel() } }
    }
}
