// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One direction of a connection in memory, with one writer and one reader. The writer waits while it is full.
final class BytePipe: Sendable {
    private struct State {
        var pieces: [Data] = []
        var count = 0
        /// What comes behind the pieces: the end, or a failure.
        var end: Result<Void, any Error>?
        /// Why nothing more can be written.
        var refusal: (any Error)?
        var reader: Wait<Data?>?
        var writer: Wait<Void>?

        mutating func take() -> Result<Data?, any Error>? {
            if !pieces.isEmpty {
                let piece = pieces.removeFirst()
                count -= piece.count
                return .success(piece)
            }
            return end?.map { nil }
        }
    }

    /// One who waits, and which of its calls it is: a cancel may come late.
    private struct Wait<Value: Sendable>: Sendable {
        let number: UInt64
        let continuation: CheckedContinuation<Value, any Error>
    }

    private let capacity: Int
    private let state = Mutex(State())
    private let number = Atomic<UInt64>(0)

    /// - Parameter capacity: how many bytes may lie unread before the writer waits.
    init(capacity: Int) { self.capacity = max(1, capacity) }

    /// How many bytes nobody has read yet.
    var count: Int { state.withLock(\.count) }

    /// Called by one task at a time. A cancelled task takes nothing.
    func read() async throws -> Data? {
        let number = number.wrappingAdd(1, ordering: .relaxed).newValue
        let piece = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state -> Result<Data?, any Error>? in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if let result = state.take() { return result }
                    state.reader = Wait(number: number, continuation: continuation)
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let reader = state.withLock { $0.reader?.number == number ? $0.reader.take() : nil }
            reader?.continuation.resume(throwing: CancellationError())
        }
        makeRoom()
        return piece
    }

    private func makeRoom() {
        let writer = state.withLock { $0.count < capacity ? $0.writer.take() : nil }
        writer?.continuation.resume()
    }

    /// Called by one task at a time. Returns when all bytes lie in the pipe and it has room again.
    func write(_ bytes: Data) async throws {
        let number = number.wrappingAdd(1, ordering: .relaxed).newValue
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                var reader: Wait<Data?>?
                let result = state.withLock { state -> Result<Void, any Error>? in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if let refusal = state.refusal { return .failure(refusal) }
                    reader = state.reader.take()
                    if reader != nil { return .success(()) }
                    state.pieces.append(bytes)
                    state.count += bytes.count
                    guard state.count >= capacity else { return .success(()) }
                    state.writer = Wait(number: number, continuation: continuation)
                    return nil
                }
                reader?.continuation.resume(returning: bytes)
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let writer = state.withLock { $0.writer?.number == number ? $0.writer.take() : nil }
            writer?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Nothing more is written: the reader finds the end, or the failure, behind what is there. The first end counts.
    func end(_ end: Result<Void, any Error>) {
        let reader = state.withLock { state in
            if state.end == nil { state.end = end }
            return state.reader.take()
        }
        // Nothing is there when somebody waits.
        reader?.continuation.resume(with: end.map { nil })
    }

    /// The reader goes: what is there is dropped.
    ///
    /// - Parameters:
    ///   - error: what the reader finds from now on.
    ///   - refusal: what the writer finds.
    func endReading(_ error: any Error, refusal: any Error) {
        let (reader, writer) = state.withLock { state in
            state.refusal = state.refusal ?? refusal
            (state.pieces, state.count, state.end) = ([], 0, .failure(error))
            return (state.reader.take(), state.writer.take())
        }
        reader?.continuation.resume(throwing: error)
        writer?.continuation.resume(throwing: refusal)
    }

    /// The writer goes.
    ///
    /// - Parameters:
    ///   - error: what the writer finds from now on.
    ///   - failure: what the reader finds behind what is there, unless the writer had ended before.
    func endWriting(_ error: any Error, failure: any Error) {
        let writer = state.withLock { state in
            state.refusal = state.refusal ?? error
            return state.writer.take()
        }
        writer?.continuation.resume(throwing: error)
        end(.failure(failure))
    }
}
