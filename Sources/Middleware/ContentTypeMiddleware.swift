// SPDX-License-Identifier: Apache-2.0

public import StrataCore

/// Sets the `Content-Type` of requests that have a body, in place of what the encoder said, also for forms and multipart
/// bodies, unless `replacesExisting` is `false`. Place: anywhere.
public struct ContentTypeMiddleware: NetworkMiddleware {
    package let mediaType: String
    /// Whether a field that the request has already is replaced. Default: yes.
    package let replacesExisting: Bool

    public init(_ mediaType: String = "application/json", replacesExisting: Bool = true) {
        self.mediaType = mediaType
        self.replacesExisting = replacesExisting
    }

    @_documentation(visibility: internal)
    public var placement: MiddlewarePlacement { MiddlewarePlacement(role: .decoration) }

    @_documentation(visibility: internal)
    public func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        if request.body.isEmpty { return try await next(request) }
        return try await next(request.setting(.contentType, to: mediaType, replacing: replacesExisting))
    }
}
