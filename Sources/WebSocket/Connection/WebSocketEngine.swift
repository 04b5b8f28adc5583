// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A connection that speaks WebSocket: one task reads as long as there is room for messages, answers pings and the peer's close, and one
/// sends pings. ``WebSocket`` is the caller's side, and ends it when it goes.
final class WebSocketEngine: Sendable {
    private struct State {
        /// Set when this end has asked for the close.
        var isClosing = false
        var closure: WebSocket.Closure?
        /// When bytes came last, by the clock.
        var lastBytes: Duration = .zero
        var pings: [Data: CheckedContinuation<Void, any Error>] = [:]
        var pingCount: UInt32 = 0
        /// Why no pong will come any more.
        var pingFailure: (any Error)?
        var tasks: [Task<Void, Never>] = []
    }

    private let channel: ByteChannel
    private let role: FrameRole
    private let clock: any NetworkClock
    private let options: WebSocket.Options
    let messages = MessageQueue()
    let frames: FrameQueue
    private let state: Mutex<State>
    /// Finished when the connection is closed.
    private let ended = SharedResult<Void>()

    init(
        _ channel: ByteChannel, role: FrameRole, terms: CompressionTerms?, clock: any NetworkClock,
        options: WebSocket.Options
    ) {
        self.channel = channel
        self.role = role
        self.clock = clock
        self.options = options
        frames = FrameQueue(channel, writer: FrameWriter(role, deflater: terms?.deflater(role, options.compression)))
        state = Mutex(State(lastBytes: clock.now))
        let inflater = terms?.inflater(role)
        let reader = FrameReader(role, limits: options.limits, inflater: inflater)
        start(reader)
    }

    private func start(_ reader: consuming sending FrameReader) {
        let owned = Mutex<FrameReader?>(reader)
        // Where the socket was opened by a task of the transport's loop, it is read there, and nobody has to be woken.
        let reading = Task(executorPreference: channel.preferredExecutor) { [self] in
            guard let reader = owned.withLock({ $0.take() }) else { return }
            await read(reader)
        }
        var tasks = [reading]
        if let interval = options.ping.interval { tasks.append(Task { [self] in await ping(every: interval) }) }
        state.withLock { $0.tasks = tasks }
    }

    var closure: WebSocket.Closure? { state.withLock(\.closure) }

    // MARK: Reading

    private func read(_ reader: FrameReader) async {
        var reader = reader
        let end = await readToEnd(&reader)
        await finish(end)
    }

    /// How the peer's side ended.
    private enum End {
        case closed(WebSocket.Closure)
        case lost(any Error)
        case broken(WebSocketFailure)
    }

    private func readToEnd(_ reader: inout FrameReader) async -> End {
        // Pings may come as fast as they are read, and nobody takes them.
        var turn = TaskTurn()
        do {
            while let bytes = try await channel.read() {
                noteBytes()
                reader.push(bytes)
                while let event = try reader.next() {
                    if turn.isOver() { await Task.yield() }
                    switch event {
                    case .message(let message): await deliver(message)
                    case .ping(let payload): frames.pong(payload)
                    case .pong(let payload): notePong(payload)
                    case .close(let closure): return .closed(closure)
                    }
                }
            }
            return .lost(NetworkClientError(.connectionLost, "the connection ended without a closing handshake"))
        } catch let failure as WebSocketFailure {
            return .broken(failure)
        } catch {
            return .lost(error)
        }
    }

    /// Hands a message over, and waits for room for the next one. When this end has closed, nobody wants it any more.
    private func deliver(_ message: WebSocket.Message) async {
        if state.withLock(\.isClosing) { return }
        messages.put(message)
        guard messages.isFull else { return }
        await messages.waitForRoom()
        noteBytes()
    }

    private func noteBytes() {
        let now = clock.now
        state.withLock { $0.lastBytes = now }
    }

    // MARK: Ends

    private func finish(_ end: End) async {
        let wasClosing = state.withLock(\.isClosing)
        switch end {
        case .closed(let closure):
            note(closure)
            frames.close(closure, isPatient: false)
            messages.end(wasClosing || closure.code.isInOrder ? .success(()) : .failure(closure.error))
            await shut(isAgreed: true)
        case .broken(let failure):
            note(WebSocket.Closure(failure.status))
            messages.end(.failure(failure.error))
            frames.close(WebSocket.Closure(failure.status), isPatient: false)
            await shut(isAgreed: false)
        case .lost(let error):
            note(WebSocket.Closure(.abnormal))
            messages.end(wasClosing ? .success(()) : .failure(error))
            channel.cancel()
        }
        let error: any Error
        if case .lost(let cause) = end, !wasClosing { error = cause } else { error = Self.closed }
        frames.fail(error)
        let (pings, tasks) = state.withLock { state in
            state.pingFailure = error
            defer { (state.pings, state.tasks) = ([:], []) }
            return (state.pings.values, state.tasks)
        }
        for ping in pings { ping.resume(throwing: error) }
        for task in tasks { task.cancel() }
        ended.finish(.success(()))
    }

    private static var closed: NetworkClientError { NetworkClientError(.invalidRequest, "the socket is closed") }

    private func note(_ closure: WebSocket.Closure) { state.withLock { $0.closure = $0.closure ?? closure } }

    /// How long a client waits for the server to end the connection first.
    private static let courtesy = Duration.milliseconds(200)

    /// Waits, within the limit, until the close frame is out, and closes the connection beneath. When both ends have said that they close,
    /// the server is the one that ends it (RFC 6455 §7.1.1), and the client drops what is left: over HTTP/2 there are servers that have
    /// forgotten the stream by then, and end the connection of all streams when END_STREAM comes.
    private func shut(isAgreed: Bool) async {
        let limit = limitTask()
        try? await frames.closed.value()
        if role == .client, isAgreed {
            await waitForPeer(within: min(options.closeTimeout, Self.courtesy))
            channel.cancel()
        } else {
            await channel.close(within: min(options.closeTimeout, .seconds(1)))
        }
        limit.cancel()
    }

    /// Returns when the peer's side has ended, at the limit at the latest.
    private func waitForPeer(within limit: Duration) async {
        let end = SharedResult<Void>()
        let reading = Task { [channel] in
            defer { end.finish(.success(())) }
            while try await channel.read() != nil {}
        }
        try? await end.value(within: limit)
        reading.cancel()
    }

    /// Ends the connection when the limit for the close has passed.
    private func limitTask() -> Task<Void, any Error> {
        Task { [clock, channel, limit = options.closeTimeout] in
            try await clock.waitForLimit(limit)
            channel.cancel()
        }
    }

    // MARK: The caller's close

    /// Closes in order, and waits for the peer's close within the limit.
    func close(_ closure: WebSocket.Closure) async throws {
        beginClosing(closure)
        let limit = limitTask()
        defer { limit.cancel() }
        do { try await ended.value() } catch {
            channel.cancel()
            throw error
        }
    }

    func waitForEnd() async { try? await ended.value() }

    /// The same in the background: the socket is not wanted any more.
    func abandon(_ closure: WebSocket.Closure) {
        guard state.withLock({ !$0.isClosing && $0.closure == nil }) else { return }
        Task { try await close(closure) }
        messages.end(.success(()), dropping: true)
    }

    func cancel() {
        state.withLock { $0.isClosing = true }
        messages.end(.failure(CancellationError()), dropping: true)
        channel.cancel()
    }

    private func beginClosing(_ closure: WebSocket.Closure) {
        state.withLock { $0.isClosing = true }
        frames.close(closure, isPatient: true)
        // The reader may wait for room, which nobody will make. What is there already can be read.
        messages.end(.success(()))
    }

    // MARK: Pings

    private func notePong(_ payload: Data) {
        let waiter = state.withLock { $0.pings.removeValue(forKey: payload) }
        waiter?.resume()
    }

    private func nextPing() -> Data {
        state.withLock { state in
            state.pingCount &+= 1
            return Data(String(state.pingCount).utf8)
        }
    }

    /// Sends a ping, and waits for its pong.
    ///
    /// - Returns: how long it took.
    func ping() async throws -> Duration {
        let payload = nextPing()
        let start = clock.now
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let failure = state.withLock { state -> (any Error)? in
                    if Task.isCancelled { return CancellationError() }
                    if let failure = state.pingFailure { return failure }
                    state.pings[payload] = continuation
                    return nil
                }
                if let failure { return continuation.resume(throwing: failure) }
                frames.ping(payload)
            }
        } onCancel: {
            let waiter = state.withLock { $0.pings.removeValue(forKey: payload) }
            waiter?.resume(throwing: CancellationError())
        }
        return clock.now - start
    }

    /// Pings the peer again and again, and ends the connection when nothing comes back.
    private func ping(every interval: Duration) async {
        do {
            while true {
                try await clock.waitForLimit(interval)
                // While a slow reader holds the peer back, its pong could not be read either.
                if messages.isFull { continue }
                let sent = clock.now
                frames.ping(nextPing())
                try await clock.waitForLimit(options.ping.limit)
                let last = state.withLock(\.lastBytes)
                if last < sent, !messages.isFull { return die() }
            }
        } catch {}
    }

    private func die() {
        let error = NetworkClientError.timedOut(.idle, after: options.ping.limit)
        note(WebSocket.Closure(.abnormal))
        messages.end(.failure(error))
        frames.fail(error)
        channel.cancel()
    }
}

extension WebSocket.Closure {
    /// The error of a socket that the peer closed for a failure.
    fileprivate var error: NetworkClientError {
        NetworkClientError(.errorEvent, "the peer closed the socket with status \(code)", cause: self)
    }
}

extension CompressionTerms {
    fileprivate func deflater(_ role: FrameRole, _ compression: WebSocket.Compression?) -> MessageDeflater {
        let compression = compression ?? WebSocket.Compression()
        return MessageDeflater(
            windowBits: role == .client ? clientWindowBits : serverWindowBits,
            keepsContext: role == .client ? clientKeepsContext : serverKeepsContext, level: compression.level,
            minimumSize: compression.minimumBytes)
    }

    fileprivate func inflater(_ role: FrameRole) -> MessageInflater {
        MessageInflater(
            windowBits: role == .client ? serverWindowBits : clientWindowBits,
            keepsContext: role == .client ? serverKeepsContext : clientKeepsContext)
    }
}
