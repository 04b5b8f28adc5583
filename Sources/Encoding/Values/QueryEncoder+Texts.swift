// SPDX-License-Identifier: Apache-2.0

import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension QueryEncoder {
    /// The text of a value where there is room for one, such as a segment of a path. None for `nil`.
    ///
    /// - Parameter name: the place, for the error.
    /// - Throws: an `EncodingError` for an object, a list, and what has no text.
    package func text(of value: any Encodable, named name: String) throws -> String? {
        let node = try node(of: value, named: name)
        guard node.kind != .array, node.kind != .empty || node.isKeyed else {
            throw EncodingError.invalid(
                "\(type(of: value))", at: [StringKey(name)], "one value, not a list, has a place here")
        }
        return try Self.text(of: node, named: name)
    }

    /// The text of a value; of a list, that of each element. None for `nil`.
    ///
    /// - Parameter name: the place, for the error.
    /// - Throws: an `EncodingError` for an object, a list in a list, and what has no text.
    package func texts(of value: any Encodable, named name: String) throws -> [String] {
        let node = try node(of: value, named: name)
        if node.kind == .empty, !node.isKeyed { return [] }
        return try (node.kind == .array ? node.elements : [node]).compactMap { try Self.text(of: $0, named: name) }
    }

    /// The texts of a header field. A date is written as HTTP has them where the field is a date (RFC 9110 §5.6.7).
    package func fieldTexts(of value: any Encodable, named name: String) throws -> [String] {
        if let date = value as? Date, Self.dateFields.contains(name.asciiLowercased), let text = HTTPDate.text(of: date)
        {
            return [text]
        }
        return try texts(of: value, named: name)
    }

    /// RFC 9110, RFC 9111, RFC 7089, RFC 8594.
    private static let dateFields: Set<String> = [
        "date", "if-modified-since", "if-range", "if-unmodified-since", "last-modified", "retry-after", "expires",
        "accept-datetime", "memento-datetime", "sunset",
    ]

    private func node(of value: any Encodable, named name: String) throws -> ValueNode {
        try ValueEncoder.Context(options: options, userInfo: userInfo).encode(value, named: name)
    }

    private static func text(of node: ValueNode, named name: String) throws -> String? {
        switch node.kind {
        case .scalar(let text): return text
        case .null: return nil
        case .array, .object, .empty:
            throw EncodingError.invalid(name, at: [StringKey(name)], "an object or a nested list has no place here")
        }
    }
}
