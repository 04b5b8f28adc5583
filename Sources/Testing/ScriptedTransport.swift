// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StrataCore
import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A transport that answers from a script and remembers what it was asked: the test double for everything above.
///
///     let transport = ScriptedTransport(.status(503, retryAfter: 7), .json(#"{"id": 1}"#))
///     …
///     #expect(transport.requests.count == 2)
///     #expect(transport.requests[0].url == "https://api.example/users")
///
/// Replies are given in order; the last one repeats for as long as is asked. Request bodies are read to their end
/// first, as a server would. An answer that takes longer than the attempt or the deadline may last, by the call's
/// clock, is a timeout; the other timeouts are not watched.
public final class ScriptedTransport: NetworkTransport {
    public let capabilities: TransportCapabilities
    private let answer: @Sendable (RecordedRequest) async throws -> ScriptedReply

    private struct State {
        var requests: [RecordedRequest] = []
        var isShutDown = false
    }

    private let state = Mutex(State())

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

    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        try Task.checkCancellation()
        let clock: any NetworkClock = request.call?.clock ?? SystemClock()
        let (start, limit) = (clock.now, request.timeLimit)
        let body = try await request.body.collect()
        let recorded = try state.withLock { state in
            guard !state.isShutDown else {
                throw NetworkClientError(.transportShutDown, "the transport was shut down")
            }
            let recorded = RecordedRequest(
                number: state.requests.count, head: request.head, body: body, hasBody: !request.body.isEmpty,
                options: request.options)
            state.requests.append(recorded)
            return recorded
        }
        let reply = try await answer(recorded)
        try Task.checkCancellation()
        if let limit, clock.now - start >= limit.duration {
            throw NetworkClientError.timedOut(limit.kind, after: limit.duration)
        }
        return try reply.response(to: request.head.method)
    }

    // Asynchronous, or `await` would choose the protocol's, which does nothing.
    public func shutdown() async {
        state.withLock { $0.isShutDown = true }
    }
}

/// A request as it reached the transport.
public struct RecordedRequest: Sendable {
    /// 0 for the first that arrived.
    public let number: Int
    public let head: HTTPRequest
    public let body: Data
    /// Whether there was a body at all; one of no bytes counts.
    public let hasBody: Bool
    public let options: RequestOptions

    public var method: HTTPRequest.Method { head.method }
    public var url: String { "\(head.scheme ?? "")://\(head.authority ?? "")\(head.path ?? "")" }
    /// Path and query.
    public var target: String { head.path ?? "" }
    /// The path without its query.
    public var path: String { String(target.prefix { $0 != "?" }) }
    /// What follows the question mark; `nil` without one.
    public var query: String? {
        target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) }
    }
    /// The body as UTF-8 text.
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// A field's value, by its name in any case; repeats joined by a comma.
    public subscript(_ name: String) -> String? {
        HTTPField.Name(name).flatMap { head.headerFields[$0] }
    }
}
