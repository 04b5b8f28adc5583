// SPDX-License-Identifier: Apache-2.0

/// A layer around the exchange: sees the request on its way down and the response, of any status, on its way up.
///
/// It may change either, answer by itself, or call `next` again. The body of a response is still arriving when `next`
/// returns; one that calls `next` again first disposes of it (``ResponseBody/discard()``).
///
///     struct Stamp: NetworkMiddleware {
///         func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
///             var request = request
///             request.head.headerFields[.userAgent] = "demo/1"
///             return try await next(request)
///         }
///     }
///
/// Errors pass up; an error of your own reaches the caller unchanged.
///
/// `intercept` runs where it is called from. In a type on the main actor it needs an `@MainActor` of its own to use
/// what is isolated there.
public protocol NetworkMiddleware: Sendable {
    func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse

    /// What it needs of its place in the stack, for ``NetworkClient/pipelineReport``. Default: nothing.
    var placement: MiddlewarePlacement { get }
}

extension NetworkMiddleware {
    @_documentation(visibility: internal)
    public var placement: MiddlewarePlacement { .anywhere }
}
