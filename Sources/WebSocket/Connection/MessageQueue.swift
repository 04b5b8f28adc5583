// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Synchronization

/// Messages that have come and nobody has taken, in a bounded number: who puts them there waits for room.
final class MessageQueue: Sendable {
    private struct State {
        var messages: [WebSocket.Message] = []
        /// How many of ``messages`` have been taken. They are removed together, which a removal of each would make slow.
        var taken = 0
        var bytes = 0
        var end: Result<Void, any Error>?
        /// Those who wait for a message, in order.
        var readers: [(number: UInt64, continuation: CheckedContinuation<WebSocket.Message?, any Error>)] = []
        var nextReader: UInt64 = 0
        /// Of who takes messages that have come already.
        var turn = TaskTurn()
        /// Who waits for room.
        var writer: CheckedContinuation<Void, Never>?

        var isFull: Bool { bytes >= MessageQueue.mostBytes || messages.count - taken >= MessageQueue.mostMessages }

        mutating func take() -> Result<WebSocket.Message?, any Error>? {
            guard taken < messages.count else { return end?.map { nil } }
            let message = messages[taken]
            messages[taken] = .text("")
            taken += 1
            bytes -= message.size
            if taken == messages.count {
                messages.removeAll(keepingCapacity: messages.capacity <= 64)
                taken = 0
            }
            return .success(message)
        }
    }

    /// One message goes beyond it at most.
    private static let mostBytes = 64 << 10
    private static let mostMessages = 256

    private let state = Mutex(State())

    var isFull: Bool { state.withLock { $0.isFull && $0.end == nil } }

    /// Puts a message behind the others. What comes behind the end is dropped.
    func put(_ message: WebSocket.Message) {
        let reader = state.withLock { state -> CheckedContinuation<WebSocket.Message?, any Error>? in
            if state.end != nil { return nil }
            if !state.readers.isEmpty { return state.readers.removeFirst().continuation }
            state.messages.append(message)
            state.bytes += message.size
            return nil
        }
        reader?.resume(returning: message)
    }

    /// Returns when there is room, or the end has come.
    func waitForRoom() async {
        await withCheckedContinuation { continuation in
            let hasRoom = state.withLock { state in
                if state.end != nil || !state.isFull { return true }
                state.writer = continuation
                return false
            }
            if hasRoom { continuation.resume() }
        }
    }

    /// The first end counts: the readers find it behind what is there.
    ///
    /// - Parameter dropping: whether what is there is dropped.
    func end(_ result: Result<Void, any Error>, dropping: Bool = false) {
        let (readers, writer) = state.withLock { state in
            if state.end == nil { state.end = result }
            if dropping { (state.messages, state.taken, state.bytes) = ([], 0, 0) }
            defer { state.readers = [] }
            return (state.readers, state.writer.take())
        }
        for reader in readers { reader.continuation.resume(with: result.map { nil }) }
        writer?.resume()
    }

    /// The next message; `nil` at the end in good order, and again after it. A cancelled task takes nothing.
    func next() async throws -> WebSocket.Message? {
        // Before a message is taken, or one that is taken would come late to a task that is cancelled.
        if state.withLock({ $0.taken < $0.messages.count && $0.turn.isOver() }) { await Task.yield() }
        let (result, writer) = takeNow()
        writer?.resume()
        if Task.isCancelled, result == nil { throw CancellationError() }
        if let result { return try result.get() }
        let number = state.withLock { state in
            state.nextReader += 1
            return state.nextReader
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state -> Result<WebSocket.Message?, any Error>? in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if let result = state.take() { return result }
                    state.readers.append((number, continuation))
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let reader = state.withLock { state in
                state.readers.firstIndex { $0.number == number }.map { state.readers.remove(at: $0) }
            }
            reader?.continuation.resume(throwing: CancellationError())
        }
    }

    private func takeNow() -> (Result<WebSocket.Message?, any Error>?, CheckedContinuation<Void, Never>?) {
        state.withLock { state in
            let result = state.take()
            return (result, state.isFull ? nil : state.writer.take())
        }
    }
}

extension WebSocket.Message {
    fileprivate var size: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .data(let data): data.count
        }
    }
}
