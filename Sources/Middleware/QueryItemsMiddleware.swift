// SPDX-License-Identifier: Apache-2.0

public import StrataCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Adds query items whose names the URL does not have, encoded once; those without a value are left out. The targets of
/// redirects to other origins stay as they are.
///
/// Place: outside of digest authentication, which covers the URL.
public struct QueryItemsMiddleware: NetworkMiddleware {
    public let items: [URLQueryItem]

    public init(_ items: [URLQueryItem]) {
        self.items = items
    }

    public var placement: MiddlewarePlacement { MiddlewarePlacement(role: .urlDecoration) }

    public func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        guard request.isAtFirstOrigin else { return try await next(request) }
        var request = request
        let present = request.queryItemNames
        for item in items where !present.contains(item.name) {
            if let value = item.value { request.addQueryItem(item.name, value) }
        }
        return try await next(request)
    }
}

extension TransportRequest {
    /// The names in the URL's query, decoded.
    var queryItemNames: Set<String> {
        guard let path = head.path, let mark = path.firstIndex(of: "?") else { return [] }
        return Set(
            path[path.index(after: mark)...].split(separator: "&").map { item in
                String(decoding: PercentEncoding.decode(item.prefix { $0 != "=" }.utf8), as: UTF8.self)
            })
    }

    /// Appends an item to the URL's query, encoded once.
    mutating func addQueryItem(_ name: String, _ value: String) {
        let item = "\(PercentEncoding.encode(name))=\(PercentEncoding.encode(value))"
        let path = head.path ?? "/"
        let separator = !path.contains("?") ? "?" : path.hasSuffix("?") || path.hasSuffix("&") ? "" : "&"
        head.path = path + separator + item
    }
}
