// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

/// The fields of a request.
///
///     Headers {
///         Header.contentType(.applicationJSON)
///         ("X-Tenant", "acme")
///     }
///
/// There is one field of each name. When a name comes again, also by inheritance, the new value replaces that of a
/// field with a single value (`Authorization`, `Content-Type`, `User-Agent`, keys and versions of services …), and is
/// added to that of a list: `Accept: application/json,text/plain`.
public struct Headers: RequestProperty {
    /// In the order in which the names came first.
    public private(set) var fields: [Header] = []

    public init(@Builder _ headers: () -> Headers) {
        self = headers()
    }

    public init(headers: [Header]) {
        for header in headers { append(header) }
    }

    /// Fields by name; they are sent sorted.
    public init(value: [String: String]) {
        self.init(headers: value.sorted { $0.key < $1.key }.map { Header($0.key, $0.value) })
    }

    /// The fields as a dictionary.
    public var value: [String: String] {
        Dictionary(fields.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    /// A field's value, by its name in any case. Setting replaces it; `nil` removes it.
    public subscript(name: String) -> String? {
        get { index(of: name).map { fields[$0].value } }
        set {
            switch (index(of: name), newValue) {
            case (let index?, let value?): fields[index] = Header(name, value)
            case (let index?, nil): fields.remove(at: index)
            case (nil, let value?): fields.append(Header(name, value))
            case (nil, nil): break
            }
        }
    }

    /// Adds a field: joined to a list of its name, else in place of it.
    public mutating func append(_ header: Header) {
        guard let index = index(of: header.name) else { return fields.append(header) }
        if let separator = FieldCombination.separator(forName: header.name), !fields[index].value.isEmpty {
            // RFC 9110 §5.6.1.1: no element of a list that is sent is empty.
            if !header.value.isEmpty { fields[index].value += separator + header.value }
        } else {
            fields[index] = header
        }
    }

    public func append(to property: Headers) -> Headers {
        var result = self
        for field in property.fields { result.append(field) }
        return result
    }

    @_documentation(visibility: internal)
    public static var slot: WritableKeyPath<Request.Properties, Headers> { \.headers }

    private func index(of name: String) -> Int? {
        let name = name.lowercased()
        return fields.firstIndex { $0.name.lowercased() == name }
    }

    /// Equal when they hold the same fields, in whatever order.
    @_documentation(visibility: internal)
    public static func == (left: Headers, right: Headers) -> Bool { Set(left.fields) == Set(right.fields) }

    @_documentation(visibility: internal)
    public func hash(into hasher: inout Hasher) { hasher.combine(Set(fields)) }
}

extension Headers {
    /// As they are sent.
    ///
    /// - Throws: ``StrataCore/NetworkClientError`` with code `invalidRequest`.
    func httpFields() throws -> HTTPFields {
        var result = HTTPFields()
        for field in fields { try result.addValue(field.value, forName: field.name) }
        return result
    }
}

extension Headers {
    @_documentation(visibility: internal)
    @resultBuilder public enum Builder: ListBuilder {
        public static func buildExpression(_ headers: Headers?) -> Headers { headers ?? buildBlock() }
        public static func buildExpression(_ header: Header?) -> Headers { Headers(headers: header.map { [$0] } ?? []) }
        public static func buildExpression(_ headers: [Header]) -> Headers { Headers(headers: headers) }
        public static func buildExpression(_ headers: [String: String]?) -> Headers { Headers(value: headers ?? [:]) }
        public static func buildExpression(_ header: (String, String)) -> Headers {
            Headers(headers: [Header(header.0, header.1)])
        }

        public static func buildBlock() -> Headers { Headers(headers: []) }
        public static func buildArray(_ parts: [Headers]) -> Headers { Headers(headers: parts.flatMap(\.fields)) }
    }
}
