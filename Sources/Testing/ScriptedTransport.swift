// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import StrataCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A transport that answers from a script and remembers what it was asked: the test double for everything above.
///
///     let transport = ScriptedTransport(.status(503, retryAfter: 7), .json(#"{"id": 1}"#))
///     …
///     #expect(transport.requests.count == 2)
///     #expect(transport.requests[0].url == "https://api.example/users")
///
/// Replies are given in order; the last one repeats. Request bodies are read to their end first, as a server would.
///
/// An answer that takes longer, by the call's clock, than the attempt or the deadline may last is a timeout. So is the
/// rest of a body, from the first piece that comes too late. The other timeouts are not watched. Requests after
/// ``shutdown()`` fail with `transportShutDown`.
public final class ScriptedTransport: NetworkTransport {
    public let capabilities: TransportCapabilities
    private let answer: @Sendable (RecordedRequest) async throws -> ScriptedReply

    private struct State {
        var requests: [RecordedRequest] = []
        var isShutDown = false
        private var connections: [OpenConnection] = []

        private struct OpenConnection: Sendable {
            weak var connection: MemoryConnection?
        }

        mutating func opened(_ connection: MemoryConnection) {
            connections.removeAll { $0.connection == nil }
            connections.append(OpenConnection(connection: connection))
        }

        mutating func shutDown() -> [MemoryConnection] {
            isShutDown = true
            defer { connections = [] }
            return connections.compactMap(\.connection)
        }

        func checkRunning() throws {
            if isShutDown { throw ScriptedTransport.shutDown }
        }
    }

    private static let shutDown = NetworkClientError(.transportShutDown, "the transport was shut down")

    private let state = Mutex(State())
    private let gate = CallGate(of: "transport")
    /// What requests wait for that get no answer.
    private let end = SharedResult<TransportResponse>()

    /// Everything that the doubles can do.
    public static let allFeatures = TransportCapabilities.Features(rawValue: .max)

    public convenience init(_ replies: ScriptedReply...) {
        self.init(replies)
    }

    /// - `replies`: in order, the last repeats. Empty: every request gets 200 without a body.
    public convenience init(_ replies: [ScriptedReply], features: TransportCapabilities.Features = allFeatures) {
        self.init(features: features) { request in
            replies.isEmpty ? .status(200) : replies[min(request.number, replies.count - 1)]
        }
    }

    /// - `answer`: is asked for each request; may wait, and may throw what a transport throws.
    public init(
        features: TransportCapabilities.Features = allFeatures,
        _ answer: @escaping @Sendable (RecordedRequest) async throws -> ScriptedReply
    ) {
        capabilities = TransportCapabilities(name: "scripted", features: features)
        self.answer = answer
    }

    /// Every request so far, in the order of arrival.
    public var requests: [RecordedRequest] { state.withLock(\.requests) }

    @_documentation(visibility: internal)
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        try gate.enter()
        defer { gate.leave() }
        try Task.checkCancellation()
        let time = ExchangeTime(request)
        let (body, trailers) = try await Self.read(request.body)
        let recorded = try state.withLock { state in
            try state.checkRunning()
            let recorded = RecordedRequest(
                number: state.requests.count, head: request.head, body: body, hasBody: !request.body.isEmpty,
                options: request.options, trailers: trailers)
            state.requests.append(recorded)
            return recorded
        }
        let reply = try await answer(recorded)
        try Task.checkCancellation()
        try state.withLock { try $0.checkRunning() }
        if let timeout = time.timeout { throw timeout }
        if let onInterim = request.options.onInterim { reply.interim.forEach(onInterim) }
        let response = try reply.response(to: request, within: time) { connection in
            state.withLock { $0.opened(connection) }
        }
        if let response { return response }
        return try await silence(within: time)
    }

    private static func read(_ body: RequestBody) async throws -> (Data, trailers: HTTPFields) {
        guard body.hasTrailers else { return (try await body.collect(), [:]) }
        let source = try body.makeSource()
        defer { source.cancel() }
        var data = Data()
        while let piece = try await source.next() {
            try Task.checkCancellation()
            data.append(piece)
        }
        return (data, source.trailers ?? [:])
    }

    /// Ends with the limit, the shutdown or a cancel, whichever comes first.
    private func silence(within time: ExchangeTime) async throws -> TransportResponse {
        try await withThrowingTaskGroup(of: TransportResponse.self) { [end] group in
            defer { group.cancelAll() }
            group.addTask { try await end.value() }
            group.addTask {
                try await time.waitForTimeout()
                return try await end.value()
            }
            guard let response = try await group.next() else { throw CancellationError() }
            return response
        }
    }

    // Asynchronous, because otherwise `await` would choose the protocol's default, which does nothing.
    public func shutdown() async {
        for connection in state.withLock({ $0.shutDown() }) { connection.end(Self.shutDown) }
        end.finish(.failure(Self.shutDown))
    }

    /// Waits for answers, and not for bodies and channels: these are in memory.
    public func drain(within limit: Duration) async {
        gate.close()
        await SystemClock().wait(within: limit) { gate.isEmpty }
        await shutdown()
    }
}
