// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The links of a `Link` field (RFC 8288): how many APIs tell where the next page is.
///
///     LinkField(of: response)["next"]?.target
public struct LinkField: Hashable, Sendable {
    public struct Link: Hashable, Sendable {
        /// As written: often relative to the URL of the response.
        public let target: String
        /// The relation types, in lower case: `next`, `prev` …; a link may have several.
        public let relations: [String]
        /// All parameters by lower-case name; of one that is repeated the first counts. `title*=UTF-8''…` (RFC 8187) is the
        /// `title`, decoded.
        public let parameters: [String: String]
    }

    public let links: [Link]

    /// - Parameter value: one field value, or several joined with commas. What cannot be read ends the list.
    public init(_ value: some StringProtocol) {
        var reader = FieldReader(Array(value.utf8))
        var links: [Link] = []
        while let link = Self.link(&reader) { links.append(link) }
        self.links = links
    }

    /// All `Link` fields of a response.
    public init(of response: HTTPResponse) {
        links = response.headerFields[values: .known("Link")].flatMap { LinkField($0).links }
    }

    /// The first link with this relation type; one with an `anchor` is about another resource than the response's, also where
    /// that is a fragment of it (RFC 8288 §3.2), and is among ``links`` alone. An empty one is the response's own (RFC 3986
    /// §4.4); others that may be so are known only by its URL.
    public subscript(relation: String) -> Link? {
        let relation = relation.asciiLowercased
        return links.first { $0.relations.contains(relation) && $0.parameters["anchor", default: ""].isEmpty }
    }

    private static func link(_ reader: inout FieldReader) -> Link? {
        repeat { reader.skipWhitespace() } while reader.consume(UInt8(ascii: ","))
        guard reader.consume(UInt8(ascii: "<")) else { return nil }
        let target = reader.read { $0 != UInt8(ascii: ">") }
        guard reader.consume(UInt8(ascii: ">")) else { return nil }
        var found = FieldParameters()
        reader.skipWhitespace()
        while reader.consume(UInt8(ascii: ";")) {
            reader.skipWhitespace()
            if let (name, value) = parameter(&reader) { found.add(name, value) }
            reader.skipWhitespace()
        }
        guard reader.isAtEnd || reader.peek() == UInt8(ascii: ",") else { return nil }
        let parameters = found.merged
        let relations = (parameters["rel"] ?? "").split(whereSeparator: { $0 == " " || $0 == "\t" })
        return Link(
            target: String(decoding: target, as: UTF8.self), relations: relations.map { $0.asciiLowercased },
            parameters: parameters)
    }

    private static func parameter(_ reader: inout FieldReader) -> (String, String)? {
        guard let name = reader.token() else { return nil }
        reader.skipWhitespace()
        guard reader.consume(UInt8(ascii: "=")) else { return (name.asciiLowercased, "") }
        reader.skipWhitespace()
        if let quoted = reader.quotedText() { return (name.asciiLowercased, quoted) }
        let value = reader.read { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }.trimmingBlanks
        return (name.asciiLowercased, String(decoding: value, as: UTF8.self))
    }
}
