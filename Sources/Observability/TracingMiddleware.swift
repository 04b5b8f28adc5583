// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import StrataCore
public import StrataMiddleware
public import Tracing

/// Writes the spans of a distributed trace by swift-distributed-tracing, as OpenTelemetry's conventions for HTTP clients name them.
///
///     configuration.middleware = [TracingMiddleware(), RetryMiddleware(), BearerAuthMiddleware(store), TracingMiddleware.attempt]
///
/// `TracingMiddleware()` makes one span (`INTERNAL`) for a call with all that happens in it, `TracingMiddleware.attempt` one (`CLIENT`)
/// for each exchange, within it. A span ends when the body has been read to its end or given up, and only once. Either puts its
/// context into the request's fields, by the instrument of the app: `traceparent`, `b3`, `baggage` …
///
/// A span has the method, the server, the URL without its secrets, the status, why it failed, and what the transport knows. No
/// field, no body, no text of an error.
///
/// Place: `TracingMiddleware()` outermost, `.attempt` at the end of the list, inside of whatever repeats requests. Without
/// `TraceparentMiddleware`, which begins traces of its own.
public struct TracingMiddleware: NetworkMiddleware {
    package let scope: ObservationScope
    private let tracer: (any Tracer)?
    private let injects: @Sendable (TransportRequest) -> Bool

    /// - `tracer`: makes the spans, and puts their context into requests. Default: those of `InstrumentationSystem`.
    /// - `injects`: whether the request may have the context, with the baggage, which is meant for the app's own servers perhaps.
    ///   Default: each may.
    public init(
        scope: ObservationScope = .call, tracer: (any Tracer)? = nil,
        injects: @escaping @Sendable (TransportRequest) -> Bool = { _ in true }
    ) {
        self.scope = scope
        self.tracer = tracer
        self.injects = injects
    }

    /// A span for each exchange that passes.
    public static var attempt: TracingMiddleware { TracingMiddleware(scope: .attempt) }

    @_documentation(visibility: internal)
    public var placement: MiddlewarePlacement {
        let once = MiddlewarePlacement.Rule.without(
            .traceContext, because: "each would put the context of another trace into the request")
        var placement = scope.placement(.tracing)
        if scope == .attempt {
            let reason = "one span would stand for several exchanges"
            placement.rules = [.inside(.redirects, because: reason), .insideRepeats(because: reason)]
        }
        placement.rules.append(once)
        return placement
    }

    @_documentation(visibility: internal)
    public func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        let span = ClientSpan(of: request, in: scope, by: tracer ?? InstrumentationSystem.tracer)
        var sent = request
        if injects(request) { inject(span.context, into: &sent.head.headerFields) }
        do {
            var response = try await InstrumentationContext.$current.withValue(span.context) { [sent] in
                try await next(sent)
            }
            span.note(response)
            response.observeBody(onPiece: { _ in }, onEnd: { [status = response.head.status] in span.end($0, status) })
            return response
        } catch {
            span.end(with: error)
            throw error
        }
    }

    private func inject(_ context: InstrumentationContext, into fields: inout HTTPFields) {
        if let tracer {
            tracer.inject(context, into: &fields, using: FieldInjector())
        } else {
            InstrumentationSystem.instrument.inject(context, into: &fields, using: FieldInjector())
        }
    }
}

/// Writes fields; what is no field is left out.
private struct FieldInjector: Injector {
    func inject(_ value: String, forKey key: String, into fields: inout HTTPFields) {
        try? fields.setValue(value, forName: key)
    }
}
