// SPDX-License-Identifier: Apache-2.0

public import StrataCore

/// A middleware from a closure, for what is too small for a type.
///
///     configuration.middleware = [
///         .before { request in … return request },
///         .after { response, request in … return response },
///     ]
///
/// Place: anywhere. Inside a retry it runs once an attempt, outside once a call.
public struct InterceptorMiddleware: NetworkMiddleware {
    public typealias Around = @Sendable (TransportRequest, Next) async throws -> TransportResponse

    private let body: Around

    /// - Parameter body: gets the request and the rest of the stack; may change either side, answer by itself, or repeat.
    public init(_ body: @escaping Around) {
        self.body = body
    }

    @_documentation(visibility: internal)
    public func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        try await body(request, next)
    }
}

extension NetworkMiddleware where Self == InterceptorMiddleware {
    /// Changes the request on its way down.
    public static func before(
        _ change: @escaping @Sendable (TransportRequest) async throws -> TransportRequest
    ) -> InterceptorMiddleware {
        InterceptorMiddleware { request, next in try await next(change(request)) }
    }

    /// Sees and may replace the response, of any status, on its way up. The body may still be arriving.
    ///
    /// - Parameter change: gets the response and the request that it answers.
    public static func after(
        _ change: @escaping @Sendable (TransportResponse, TransportRequest) async throws -> TransportResponse
    ) -> InterceptorMiddleware {
        InterceptorMiddleware { request, next in try await change(try await next(request), request) }
    }

    /// Both sides at once.
    public static func around(_ body: @escaping InterceptorMiddleware.Around) -> InterceptorMiddleware {
        InterceptorMiddleware(body)
    }
}
