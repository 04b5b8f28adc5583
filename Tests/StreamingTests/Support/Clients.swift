// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataStreaming
import StrataTesting

typealias PlainRequest = NetworkRequest<VoidRequest, VoidResponse>

extension NetworkClient {
    init(
        _ transport: ScriptedTransport, clock: any NetworkClock = VirtualClock(),
        middleware: [any NetworkMiddleware] = []
    ) {
        self.init(
            configuration: NetworkConfiguration(
                baseURL: URL(string: "https://h.example"), transport: transport, middleware: middleware, clock: clock))
    }
}

extension ScriptedReply {
    /// A stream of events of which the test keeps hold.
    static func events(from source: any BodySource, contentType: String = "text/event-stream") -> ScriptedReply {
        .source(fields: [.contentType: contentType]) { source }
    }

    /// A body of this type in one piece, as a stream.
    static func stream(_ text: String, _ contentType: String?) -> ScriptedReply {
        .pieces([Data(text.utf8)], fields: contentType.map { [.contentType: $0] } ?? [:])
    }
}

/// As a layer does that validates statuses.
struct StrictStatus: NetworkMiddleware {
    var policy = StatusPolicy.success

    func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        let response = try await next(request)
        if policy.accepts(response.head.status) { return response }
        throw NetworkClientError(
            .unacceptableStatus, "scripted", response: response.head, body: try await response.body.collect(),
            exchange: response.exchange)
    }
}

extension ReconnectionPolicy {
    /// Waits exactly as long as it says.
    static var exact: ReconnectionPolicy {
        var policy = ReconnectionPolicy()
        policy.jitter = 0
        return policy
    }
}

/// The events of a script.
func source(
    _ transport: ScriptedTransport, clock: any NetworkClock = VirtualClock(), policy: ReconnectionPolicy = .exact
) throws -> EventSource {
    let request = PlainRequest(path: "events", method: .get)
    return try NetworkClient(transport, clock: clock).eventSource(for: request, reconnection: policy)
}
