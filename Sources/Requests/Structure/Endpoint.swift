// SPDX-License-Identifier: Apache-2.0

import StrataCore

public import Foundation

/// A level of an API below a service or another endpoint, with a path of its own.
///
///     enum Users: Endpoint {
///         static let path = "users"
///         typealias Parent = UserService
///
///         static let getAll = Request(.get, parent: Self.self)
///     }
public protocol Endpoint: APISubComponent {
    /// Added to the parent's URL with one slash between; may have several segments, and a query.
    ///
    /// Escapes such as `%20` stay, other characters that a path cannot have are encoded.
    static var path: String { get }
}

extension Endpoint {
    @_documentation(visibility: internal)
    public static var baseURL: URL {
        var url = URLReference(Parent.baseURL.urlText)
        let parts = path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        if let path = parts.first, !path.isEmpty {
            let segments = Substring(path.utf8.drop { $0 == UInt8(ascii: "/") })
            url.appendPath("/" + PercentEncoding.encodeKeepingEscapes(segments, allowed: .path))
        }
        if parts.count > 1 { url.appendQuery(PercentEncoding.encodeKeepingEscapes(parts[1], allowed: .query)) }
        // Of a service without a URL no request is sent.
        return URL(string: url.text) ?? URL(filePath: "/")
    }
}
