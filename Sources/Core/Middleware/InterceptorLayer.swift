// SPDX-License-Identifier: Apache-2.0

/// What the interceptor makes of the request, for each attempt.
struct InterceptorLayer: NetworkMiddleware {
    let interceptor: NetworkConfiguration.Interceptor

    func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        try await next(try await interceptor(request))
    }
}
