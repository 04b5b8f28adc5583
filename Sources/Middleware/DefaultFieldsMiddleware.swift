// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StrataCore

/// Adds fields that the request does not have.
///
/// - The sensitive ones, `Origin` and `Host` only at the origin of the client's base URL. Without one, only where the call
///   began, and not when a link to a next page led there.
/// - The sensitive ones not to a request that is exempt from authentication.
/// - `Content-Type` only to a request with a body.
///
/// Like `NetworkConfiguration.defaultFields`, for per-request lists. Place: anywhere.
public struct DefaultFieldsMiddleware: NetworkMiddleware {
    package let fields: HTTPFields
    private let sensitive: Set<HTTPField.Name>

    /// - `sensitive`: those that hold secrets, in addition to `RequestOptions.alwaysSensitive`.
    public init(_ fields: HTTPFields, sensitive: Set<HTTPField.Name> = []) {
        self.fields = fields
        self.sensitive = sensitive
    }

    @_documentation(visibility: internal)
    public var placement: MiddlewarePlacement { MiddlewarePlacement(role: .decoration) }

    @_documentation(visibility: internal)
    public func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        var request = request
        request.options.sensitiveFields.formUnion(sensitive)
        let additions = request.options.additions(
            to: request.head.headerFields, from: fields, isAtHome: request.isAtHome)
        for field in additions where !request.body.isEmpty || field.name != .contentType {
            request.head.headerFields.append(field)
        }
        return try await next(request)
    }
}

extension DefaultFieldsMiddleware: DumpedAsDescription {
    /// The names, without the values.
    public var description: String { "DefaultFieldsMiddleware(\(fields.map(\.name.rawName).joined(separator: ", ")))" }
}
