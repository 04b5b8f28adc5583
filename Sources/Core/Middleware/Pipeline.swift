// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// The stack of one client, built once: its middleware, outermost first, and the exchange at the end.
final class Pipeline: Sendable {
    let middleware: [any NetworkMiddleware]
    let transport: any NetworkTransport
    let capabilities: TransportCapabilities
    let interceptor: NetworkConfiguration.Interceptor?

    init(
        middleware: [any NetworkMiddleware], transport: any NetworkTransport,
        interceptor: NetworkConfiguration.Interceptor?
    ) {
        self.middleware = Self.withRedirects(middleware)
        self.transport = transport
        self.interceptor = interceptor
        capabilities = transport.capabilities
    }

    convenience init(_ configuration: NetworkConfiguration, middleware: [any NetworkMiddleware]? = nil) {
        self.init(
            middleware: middleware ?? configuration.middleware, transport: configuration.transport,
            interceptor: configuration.interceptor)
    }

    /// Redirects are followed outside of everything, unless the list places them, or begins with layers that want to see
    /// a call as one exchange.
    static func withRedirects(_ middleware: [any NetworkMiddleware]) -> [any NetworkMiddleware] {
        if middleware.contains(where: { $0 is RedirectMiddleware }) { return middleware }
        let outer = middleware.prefix { $0.placement.demandsOutside(.redirects) }
        return outer + [RedirectMiddleware()] + middleware[outer.endIndex...]
    }

    func run(_ request: TransportRequest) async throws -> TransportResponse {
        try await Next(pipeline: self, index: 0)(request)
    }

    /// One exchange, with what the interceptor makes of the request.
    func exchange(_ request: TransportRequest) async throws -> TransportResponse {
        // Requests are large: one that can go down as it is is not copied.
        if interceptor == nil, let call = request.call { return try await exchange(request, call) }
        var request = request
        if let interceptor { request = try await interceptor(request) }
        let call = request.call ?? CallContext(deadline: request.options.timeouts.deadline)
        request.call = call
        return try await exchange(request, call)
    }

    /// The checks, the transport, and the record of it.
    private func exchange(_ request: TransportRequest, _ call: CallContext) async throws -> TransportResponse {
        let attempt = call.beginAttempt(request, transport: capabilities.name)
        do {
            try request.validate()
            try capabilities.check(request)
            if let remaining = call.remaining, remaining <= .zero {
                throw NetworkClientError.timedOut(.deadline, after: request.options.timeouts.deadline)
            }
            try Task.checkCancellation()
            var response = try await transport.send(request)
            response.call = call
            response.request = request.head
            let elapsed = call.clock.now - call.started
            let limit = request.options.maximumResponseBytes
            func watched(_ source: any BodySource, length: Int64?) -> ResponseBody {
                ResponseBody(
                    length: length,
                    source: ExchangeBodySource(
                        source, head: response.head, call: call, attempt: attempt, limit: limit))
            }
            // A body beyond the limit fails when it is read: that of a redirect or a refusal may never be.
            switch response.body.storage {
            case .stream(let stream): response.body = watched(stream.asSource(), length: stream.length)
            case .data(let data):
                if let limit, data.count > limit {
                    response.body = watched(DataBodySource(data), length: Int64(data.count))
                }
            }
            call.update(attempt) { attempt in
                attempt.status = response.head.status
                attempt.metrics = response.metrics
                attempt.duration = elapsed - attempt.started
                attempt.bytesReceived = Int64(response.body.data?.count ?? 0)
            }
            return response
        } catch {
            throw call.fail(attempt, error)
        }
    }
}
