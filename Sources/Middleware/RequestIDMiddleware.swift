// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StrataCore

/// Gives each call an id that goes along with all its attempts and redirects, in `X-Request-ID` or another field.
///
/// Logs carry it as metadata. Place: anywhere.
public struct RequestIDMiddleware: NetworkMiddleware {
    package let field: HTTPField.Name
    /// Whether an id that the request has already is replaced. Default: yes.
    package let replacesExisting: Bool
    private let generate: @Sendable () -> String

    /// - `generate`: makes a new id; by default a random UUID.
    public init(
        field: HTTPField.Name = .requestID, replacesExisting: Bool = true,
        generate: @escaping @Sendable () -> String = { RandomIdentifier.uuid() }
    ) {
        self.field = field
        self.replacesExisting = replacesExisting
        self.generate = generate
    }

    @_documentation(visibility: internal)
    public var placement: MiddlewarePlacement { MiddlewarePlacement(role: .decoration) }

    @_documentation(visibility: internal)
    public func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        var request = request
        let existing = replacesExisting ? nil : request.head.headerFields[field]
        func make() -> String { existing ?? generate() }
        let id = request.call?.value(CallContext.RequestIDKey.self, orMake: make) ?? make()
        try request.head.headerFields.setValue(id, for: field)
        return try await next(request)
    }
}

extension CallContext {
    enum RequestIDKey: RequestAttributeKey {
        static let defaultValue: String? = nil
    }

    /// What `RequestIDMiddleware` has given the call.
    public var requestID: String? { self[RequestIDKey.self] }
}
