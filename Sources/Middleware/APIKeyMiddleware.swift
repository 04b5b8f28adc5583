// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StrataCore

/// Sends an API key with each request, in a field or in the query, to the origins that it is bound to and nowhere else.
///
///     APIKeyMiddleware(key)
///     APIKeyMiddleware(key, in: .query("api_key"))
///
/// Its place is marked as sensitive: the key is redacted in what is written about the call. Place: inside redirects; outside
/// of digest authentication, which covers the URL.
public struct APIKeyMiddleware: NetworkMiddleware {
    package let location: Location
    package let origins: OriginPolicy
    private let key: Hidden<String>

    public init(_ key: String, in location: Location = .field(.apiKey), origins: OriginPolicy = .baseURL) {
        self.key = Hidden(key)
        self.location = location
        self.origins = origins
    }

    @_documentation(visibility: internal)
    public var placement: MiddlewarePlacement {
        let rule = MiddlewarePlacement.Rule.inside(
            .redirects, because: "the key would be put on a hop to another origin")
        return switch location {
        case .field(.authorization): .authentication(repeatsRequests: false)
        case .field: MiddlewarePlacement(role: .apiKey, rules: [rule])
        case .query: MiddlewarePlacement(role: .urlDecoration, rules: [rule])
        }
    }

    @_documentation(visibility: internal)
    public func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        guard try origins.allows(request, for: "APIKeyMiddleware") else { return try await next(request) }
        var request = request
        switch location {
        case .field(let name):
            request = try request.setting(name, to: key.value)
            request.options.sensitiveFields.insert(name)
        case .query(let name):
            request.removeQueryItems(named: name)
            request.addQueryItem(name, key.value)
            request.options.sensitiveQueryItems.insert(name)
        }
        return try await next(request)
    }

    /// Where the key is put, in place of what is there already.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Location: Hashable, Sendable {
        case field(HTTPField.Name)
        case query(String)
    }
}
