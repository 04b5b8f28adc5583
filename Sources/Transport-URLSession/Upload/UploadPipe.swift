// SPDX-License-Identifier: Apache-2.0

import Dispatch
import StrataCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A bounded pipe between a body that is pulled asynchronously and a backend that reads it by blocking a thread.
final class UploadPipe: Sendable {
    /// How much waits in the pipe at most before the producer waits: 128 KiB (and one piece).
    static let capacity = 128 * 1024

    private enum End {
        case finished, failed
    }

    private struct State {
        var pieces: [Data] = []
        var byteCount = 0
        var end: End?
        var producer: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())
    /// Signalled once for each change that a blocked reader may wait for.
    private let changes = DispatchSemaphore(value: 0)

    /// Puts a piece in; returns when there is room for another.
    ///
    /// - Returns: whether anybody still wants more.
    func write(_ piece: Data) async -> Bool {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let mustWait = state.withLock { state in
                guard state.end == nil else { return false }
                state.pieces.append(piece)
                state.byteCount += piece.count
                guard state.byteCount >= Self.capacity else { return false }
                state.producer = continuation
                return true
            }
            changes.signal()
            if !mustWait { continuation.resume() }
        }
        return state.withLock { $0.end == nil }
    }

    /// No more will come: the reader gets what is left and then the end.
    func finish() { end(.finished) }

    /// The body cannot be completed, or is not wanted any more: the reader gets an error at once. Nothing happens after
    /// ``finish()``, unless the reader is still busy with the rest.
    func fail() { end(.failed) }

    private func end(_ end: End) {
        let producer = state.withLock { state in
            if state.end == nil || end == .failed {
                state.end = end
                if end == .failed {
                    state.pieces = []
                    state.byteCount = 0
                }
            }
            return state.producer.take()
        }
        changes.signal()
        producer?.resume()
    }

    /// Reads up to `buffer.count` bytes, blocking the thread until there are some.
    ///
    /// - Returns: the number of bytes; 0 at the end; `nil` after a failure.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        while true {
            let (count, producer) = state.withLock { state in Self.take(from: &state, into: buffer) }
            producer?.resume()
            if let count { return count < 0 ? nil : count }
            changes.wait()
        }
    }

    /// What can be read without waiting: -1 after a failure, `nil` when the reader has to wait.
    private static func take(
        from state: inout State, into buffer: UnsafeMutableRawBufferPointer
    ) -> (count: Int?, producer: CheckedContinuation<Void, Never>?) {
        if case .failed = state.end { return (-1, nil) }
        guard let piece = state.pieces.first else { return (state.end == nil ? nil : 0, nil) }
        let count = min(piece.count, buffer.count)
        piece.prefix(count).withUnsafeBytes { bytes in buffer.copyMemory(from: bytes) }
        if count == piece.count {
            state.pieces.removeFirst()
        } else {
            state.pieces[0] = piece.dropFirst(count)
        }
        state.byteCount -= count
        return (count, state.byteCount < capacity / 2 ? state.producer.take() : nil)
    }
}
