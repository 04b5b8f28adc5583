// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import StrataWebSocket
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The server of a recorded WebSocket: it says what the server said, each message at its time and behind those of the client that were
/// recorded before it, and compares what the client sends.
final class ReplaySocket: MessageConnection {
    private struct State {
        /// The place of the next message of the server; the end stands behind the last.
        var nextReceived = 0
        /// The place of the next message that the client is to send.
        var nextSent = 0
        var isCancelled = false
        /// Set when the client has closed.
        var closure: SocketMessage?
        /// What the client has done that was not recorded.
        var failure: NetworkClientError?
        var waiting: Task<Void, any Error>?
        /// Finished, and replaced, when the client has done something.
        var progress = SharedResult<Void>()

        mutating func proceed() -> (SharedResult<Void>, Task<Void, any Error>?) {
            defer { progress = SharedResult() }
            return (progress, waiting)
        }
    }

    private let plan: ReplayPlan
    private let messages: [ReplayPlan.Message]
    private let settings: ReplayOptions
    private let requestOptions: RequestOptions
    private let exchange: ExchangeTime
    private let unmatched: @Sendable (String) -> NetworkClientError
    private let state: Mutex<State>

    /// - Parameter unmatched: notes, and makes an error of, what the client does that was not recorded.
    init(
        _ plan: ReplayPlan, _ messages: [ReplayPlan.Message], _ settings: ReplayOptions,
        requestOptions: RequestOptions, _ exchange: ExchangeTime,
        unmatched: @escaping @Sendable (String) -> NetworkClientError
    ) {
        self.plan = plan
        self.messages = messages
        self.settings = settings
        self.requestOptions = requestOptions
        self.exchange = exchange
        self.unmatched = unmatched
        var state = State()
        state.nextReceived = Self.next(in: messages, from: 0, isSent: false)
        state.nextSent = Self.next(in: messages, from: 0, isSent: true)
        self.state = Mutex(state)
    }

    private static func next(in messages: [ReplayPlan.Message], from index: Int, isSent: Bool) -> Int {
        messages[index...].firstIndex { $0.isSent == isSent } ?? messages.count
    }

    /// How many messages the client has not sent, besides its close.
    var unsent: Int {
        let next = state.withLock(\.nextSent)
        return messages[next...].count { $0.isSent && !$0.isClose }
    }

    // MARK: The server's side

    private enum Step {
        case say(ReplayPlan.Message)
        case close(SocketMessage)
        case end
        case wait(SharedResult<Void>)
        case fail(any Error)
    }

    func receive() async throws -> SocketMessage? {
        while true {
            switch nextStep() {
            case .fail(let error): throw error
            case .close(let closure): return closure
            case .wait(let progress): try await progress.value()
            case .say(let message):
                guard try await wait(until: message.time) else { continue }
                state.withLock { $0.nextReceived = Self.next(in: messages, from: $0.nextReceived + 1, isSent: false) }
                return message.content
            case .end:
                if case .stall(let reason) = plan.ending {
                    guard try await wait({ [exchange] in try await exchange.waitForEver(reason) }) else { continue }
                }
                guard try await wait(until: plan.end) else { continue }
                if case .failure(let error) = plan.ending { throw error }
                return plan.closesAtEnd ? .close(code: WebSocket.CloseCode.normal.rawValue, reason: "") : nil
            }
        }
    }

    private func wait(until time: Duration) async throws -> Bool {
        try await wait { [exchange, settings] in
            try await exchange.wait(until: settings.time(time), heedsIdle: false)
        }
    }

    private func nextStep() -> Step {
        state.withLock { state in
            if state.isCancelled { return .fail(CancellationError()) }
            if let failure = state.failure { return .fail(failure) }
            if let closure = state.closure {
                // As recorded, where the server's close is; it echoes the client's elsewhere.
                let recorded = messages[min(state.nextReceived, messages.count)...].first { !$0.isSent && $0.isClose }
                return .close(recorded?.content ?? closure)
            }
            if state.nextSent < state.nextReceived { return .wait(state.progress) }
            return state.nextReceived < messages.count ? .say(messages[state.nextReceived]) : .end
        }
    }

    /// - Returns: whether the wait is over; else the client has done something meanwhile.
    private func wait(_ work: @escaping @Sendable () async throws -> Void) async throws -> Bool {
        let waiting = state.withLock { state -> Task<Void, any Error>? in
            if state.isCancelled || state.closure != nil || state.failure != nil { return nil }
            let waiting = Task { try await work() }
            state.waiting = waiting
            return waiting
        }
        guard let waiting else { return false }
        defer { state.withLock { $0.waiting = nil } }
        do { try await waiting.value } catch is CancellationError { return false }
        return true
    }

    // MARK: The client's side

    func send(_ message: SocketMessage) async throws {
        if case .close = message { return close(message) }
        let place = state.withLock(\.nextSent)
        do {
            guard place < messages.count, !messages[place].isClose else {
                throw unmatched("the client sends a message that was not recorded, behind its last")
            }
            let number = messages[..<place].count(where: \.isSent)
            if let difference = try difference(messages[place], message) {
                throw unmatched("message \(number) of the client, the first being 0: \(difference)")
            }
        } catch let error as NetworkClientError {
            proceed { $0.failure = error }
            throw error
        }
        proceed { $0.nextSent = Self.next(in: messages, from: place + 1, isSent: true) }
    }

    private func difference(_ recorded: ReplayPlan.Message, _ message: SocketMessage) throws -> String? {
        if recorded.isWithheld { return nil }
        return try settings.messages.difference(
            ofMessage: masked(recorded.content, isMasked: recorded.isMasked), from: masked(message, isMasked: false))
    }

    /// As it would stand in a cassette.
    private func masked(_ message: SocketMessage, isMasked: Bool) throws -> SocketMessage {
        let payload: Data
        switch message {
        case .text(let text): payload = Data(text.utf8)
        case .data(let data): payload = data
        case .close: return message
        }
        if isMasked { return message }
        var options = RecordingOptions()
        options.redaction = settings.redaction
        let body = BodyRecorder(nil, options, contentType: nil, requestOptions: { [requestOptions] in requestOptions })
        body.begin()
        body.add(payload, at: .zero)
        let masked: Data
        switch try body.finish().content {
        case .data(let data): masked = data
        case .file(let file): masked = try PrivateFile.read(file.path) ?? Data()
        case .withheld, .none: masked = Data()
        }
        if case .text = message { return .text(String(decoding: masked, as: UTF8.self)) }
        return .data(masked)
    }

    private func close(_ message: SocketMessage) {
        proceed { state in
            state.closure = state.closure ?? message
            if state.nextSent < messages.count, messages[state.nextSent].isClose { state.nextSent = messages.count }
        }
    }

    private func proceed(_ change: (inout State) -> Void) {
        let (progress, waiting) = state.withLock { state in
            change(&state)
            return state.proceed()
        }
        progress.finish(.success(()))
        // A message that is on its way comes when it came, whatever the client sends meanwhile.
        if state.withLock({ $0.closure != nil || $0.failure != nil || $0.isCancelled }) { waiting?.cancel() }
    }

    func ping() async throws {}

    func cancel() { proceed { $0.isCancelled = true } }
}

extension BodyComparison {
    /// Of two messages, both masked.
    func difference(ofMessage recorded: SocketMessage, from asked: SocketMessage) -> String? {
        func body(_ message: SocketMessage) -> (kind: String, request: RecordedRequest) {
            let (kind, data): (String, Data) =
                switch message {
                case .text(let text): ("text", Data(text.utf8))
                case .data(let data): ("data", data)
                case .close: ("a close", Data())
                }
            // A message says of itself what it is.
            let isJSON = data.first.map { [UInt8(ascii: "{"), UInt8(ascii: "[")].contains($0) } ?? false
            let head = HTTPRequest(
                method: .get, scheme: nil, authority: nil, path: nil,
                headerFields: isJSON ? [.contentType: "application/json"] : [:])
            return (
                kind,
                RecordedRequest(
                    number: 0, head: head, body: data, hasBody: true, options: RequestOptions(), trailers: [:])
            )
        }
        let (one, other) = (body(recorded), body(asked))
        if one.kind != other.kind { return "it is \(one.kind) there and \(other.kind) here" }
        return differenceInMemory(one.request, other.request)
    }
}
