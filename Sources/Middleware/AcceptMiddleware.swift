// SPDX-License-Identifier: Apache-2.0

public import StrataCore

/// Says which media types are wanted (RFC 9110 §12.5.1), in place of what the decoder would say. Place: anywhere.
public struct AcceptMiddleware: NetworkMiddleware {
    /// `application/json`, or a list with weights: `application/json, text/plain;q=0.5`.
    package let mediaTypes: String
    /// Whether a field that the request has already is replaced. Default: yes.
    package let replacesExisting: Bool

    public init(_ mediaTypes: String = "application/json", replacesExisting: Bool = true) {
        self.mediaTypes = mediaTypes
        self.replacesExisting = replacesExisting
    }

    @_documentation(visibility: internal)
    public var placement: MiddlewarePlacement { MiddlewarePlacement(role: .decoration) }

    @_documentation(visibility: internal)
    public func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        try await next(request.setting(.accept, to: mediaTypes, replacing: replacesExisting))
    }
}
