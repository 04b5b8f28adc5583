// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What is to be sent, in order. A task of its own writes as long as there is something, so that a cancelled sender leaves no half of a
/// frame; who sends waits until the system has taken the last byte of the message.
///
/// Control frames go before messages, and between the fragments of one.
final class FrameQueue: Sendable {
    private struct Item {
        let number: UInt64
        let opcode: FrameOpcode
        let payload: Data
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var writer: FrameWriter
        var isWriting = false
        var items: [Item] = []
        /// The item whose fragments are being written. Its continuation is gone when its sender was cancelled.
        var current: (number: UInt64, continuation: CheckedContinuation<Void, any Error>?)?
        /// Those whose last byte is being written.
        var written: [UInt64: CheckedContinuation<Void, any Error>] = [:]
        var nextNumber: UInt64 = 0
        var pings: [Data] = []
        var pongs: [Data] = []
        var close: Close?
        /// Why nothing more can be sent.
        var refusal: (any Error)?
    }

    private struct Close {
        let payload: Data
        var isSent = false
        /// Whether it goes behind the messages that wait, or before them.
        var isPatient: Bool
    }

    /// How many pongs may wait. Of more, the oldest are left out: a peer that has sent several pings need not get a pong for each (RFC
    /// 6455 §5.5.3).
    private static let mostPongs = 64
    /// A batch of small messages is sent together up to this size.
    private static let batch = 64 << 10

    private let channel: ByteChannel
    private let state: Mutex<State>
    /// Finished when the close frame is out, or nothing can be sent any more.
    let closed = SharedResult<Void>()

    init(_ channel: ByteChannel, writer: sending FrameWriter) {
        self.channel = channel
        state = Mutex(State(writer: writer))
    }

    // MARK: What is to be sent

    /// Sends a message behind those before it.
    ///
    /// - Throws: `CancellationError` when the task is cancelled: a message that has begun goes out all the same, one that has not does not.
    func send(_ opcode: FrameOpcode, _ payload: Data) async throws {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                var begins = false
                let refusal = state.withLock { state -> (any Error)? in
                    if Task.isCancelled { return CancellationError() }
                    if let refusal = state.refusal { return refusal }
                    if state.close != nil { return Self.isClosing }
                    state.items.append(
                        Item(number: number, opcode: opcode, payload: payload, continuation: continuation))
                    begins = Self.begin(&state)
                    return nil
                }
                if let refusal { return continuation.resume(throwing: refusal) }
                if begins { startWriting() }
            }
        } onCancel: {
            let waiter = state.withLock { state -> CheckedContinuation<Void, any Error>? in
                if let index = state.items.firstIndex(where: { $0.number == number }) {
                    return state.items.remove(at: index).continuation
                }
                if state.current?.number == number {
                    let continuation = state.current?.continuation
                    state.current?.continuation = nil
                    return continuation
                }
                return state.written.removeValue(forKey: number)
            }
            waiter?.resume(throwing: CancellationError())
        }
    }

    private static var isClosing: NetworkClientError {
        NetworkClientError(.invalidRequest, "the socket is closed, or about to be")
    }

    func ping(_ payload: Data) { enqueue { $0.pings.append(payload) } }

    func pong(_ payload: Data) {
        enqueue { state in
            if state.pongs.count >= Self.mostPongs { state.pongs.removeFirst() }
            state.pongs.append(payload)
        }
    }

    /// Sends a close frame, behind which nothing is sent. The first one counts.
    ///
    /// - Parameter isPatient: whether it goes behind the messages that wait. If not, they fail.
    func close(_ closure: WebSocket.Closure, isPatient: Bool) {
        var dropped: [Item] = []
        enqueue { state in
            if state.close == nil { state.close = Close(payload: closure.payload, isPatient: isPatient) }
            guard !isPatient else { return }
            state.close?.isPatient = false
            (dropped, state.items) = (state.items, [])
        }
        for item in dropped { item.continuation.resume(throwing: Self.isClosing) }
    }

    /// Nothing more can be sent.
    func fail(_ error: any Error) {
        let waiters = state.withLock { state in
            if state.refusal == nil { state.refusal = error }
            var waiters = state.items.map(\.continuation) + state.written.values
            if let continuation = state.current?.continuation { waiters.append(continuation) }
            (state.items, state.written, state.current) = ([], [:], nil)
            (state.pings, state.pongs) = ([], [])
            return waiters
        }
        for waiter in waiters { waiter.resume(throwing: error) }
        closed.finish(.success(()))
    }

    private func enqueue(_ change: (inout State) -> Void) {
        let begins = state.withLock { state in
            if state.refusal != nil || state.close?.isSent == true { return false }
            change(&state)
            return Self.begin(&state)
        }
        if begins { startWriting() }
    }

    // MARK: Writing

    private static func begin(_ state: inout State) -> Bool {
        defer { state.isWriting = true }
        return !state.isWriting
    }

    /// Begins at once where the platform has that: what the system takes immediately is written without a change of threads.
    private func startWriting() {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            Task.immediate { await self.write() }
        } else {
            Task { await self.write() }
        }
    }

    private func write() async {
        while true {
            do {
                guard let bytes = try nextBatch() else { return }
                try await channel.write(bytes)
                finishBatch()
            } catch {
                return fail(error)
            }
        }
    }

    /// The bytes to write next; `nil` when there are none, and writing has ended.
    private func nextBatch() throws -> Data? {
        try state.withLock { state in
            var output = Data()
            repeat {
                for payload in state.pongs { state.writer.appendControl(.pong, payload, to: &output) }
                for payload in state.pings { state.writer.appendControl(.ping, payload, to: &output) }
                (state.pongs, state.pings) = ([], [])
                if let close = state.close, !close.isSent,
                    !close.isPatient || (state.items.isEmpty && state.current == nil)
                {
                    state.writer.appendControl(.close, close.payload, to: &output)
                    state.close?.isSent = true
                    break
                }
                if state.current == nil, !state.items.isEmpty {
                    let item = state.items.removeFirst()
                    state.current = (item.number, item.continuation)
                    state.writer.begin(item.opcode, item.payload)
                }
                guard state.writer.isWithinMessage, state.close?.isSent != true else { break }
                if try state.writer.appendFragment(to: &output), let (number, continuation) = state.current {
                    state.written[number] = continuation
                    state.current = nil
                }
            } while output.count < Self.batch
            if output.isEmpty { state.isWriting = false }
            return output.isEmpty ? nil : output
        }
    }

    private func finishBatch() {
        let (written, isClosed) = state.withLock { state in
            defer { state.written = [:] }
            return (state.written.values, state.close?.isSent == true)
        }
        for waiter in written { waiter.resume() }
        guard isClosed else { return }
        let cutOff = state.withLock { $0.current.take()?.continuation }
        cutOff?.resume(throwing: Self.isClosing)
        closed.finish(.success(()))
    }
}
