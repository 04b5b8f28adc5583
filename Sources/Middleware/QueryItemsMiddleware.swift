// SPDX-License-Identifier: Apache-2.0

public import StrataCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Adds query items whose names the URL does not have, encoded once; those without a value are left out.
///
/// They may hold a key, so they go to the origin of the client's base URL alone. Without one they go where the call began, and
/// not when a link to a next page led there.
///
/// Place: outside of digest authentication, which covers the URL.
public struct QueryItemsMiddleware: NetworkMiddleware {
    package let items: [URLQueryItem]

    public init(_ items: [URLQueryItem]) {
        self.items = items
    }

    @_documentation(visibility: internal)
    public var placement: MiddlewarePlacement { MiddlewarePlacement(role: .urlDecoration) }

    @_documentation(visibility: internal)
    public func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        guard request.isAtHome else { return try await next(request) }
        var request = request
        let present = request.queryItemNames
        for item in items where !present.contains(ExactText(item.name)) {
            if let value = item.value { request.addQueryItem(item.name, value) }
        }
        return try await next(request)
    }
}

extension QueryItemsMiddleware: DumpedAsDescription {
    /// The names, without the values.
    public var description: String { "QueryItemsMiddleware(\(items.map(\.name).joined(separator: ", ")))" }
}
