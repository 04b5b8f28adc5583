// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StrataCore
public import StrataEncoding

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A request as it reached the transport.
public struct RecordedRequest: Sendable {
    /// 0 for the first that arrived.
    public let number: Int
    public let head: HTTPRequest
    public let body: Data
    /// Whether there was a body at all; one of no bytes counts.
    public let hasBody: Bool
    public let options: RequestOptions
    /// The fields behind the body; empty when there are none.
    public let trailers: HTTPFields

    public var method: HTTPMethod { head.method }
    public var url: String { head.absoluteURL }
    /// Path and query.
    public var target: String { head.path ?? "" }
    /// The path without its query.
    public var path: String { String(target.prefix { $0 != "?" }) }
    /// What follows the question mark; `nil` without one.
    public var query: String? {
        target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) }
    }
    /// The body as UTF-8 text.
    public var text: String { String(decoding: body, as: UTF8.self) }

    /// The body as JSON.
    ///
    ///     #expect(try transport.requests[0].json["user"]?["name"] == "ada")
    ///
    /// - Throws: where it stops being JSON.
    public var json: JSONValue {
        get throws { try JSONValue(parsing: body) }
    }

    /// A field's value, by its name in any case; repeats joined by a comma.
    public subscript(_ name: String) -> String? {
        HTTPField.Name(name).flatMap { head.headerFields[$0] }
    }
}

extension RecordedRequest: DumpedAsDescription {
    /// `GET https://api.example/users (12 bytes)`: without user information, query, fields and body.
    public var description: String {
        "\(method.rawValue) \(head.urlWithoutQuery)\(hasBody ? " (\(body.count) bytes)" : "")"
    }
}
