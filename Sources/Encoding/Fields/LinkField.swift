// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The links of a `Link` field (RFC 8288), by which many APIs say where the next page is.
///
///     LinkField(of: response)["next"]?.target
public struct LinkField: Hashable, Sendable {
    public struct Link: Hashable, Sendable {
        /// As written: often relative to the URL of the response.
        public let target: String
        /// The relation types, in lower case: `next`, `prev` …; a link may have several.
        public let relations: [String]
        /// All parameters by their names in lower case. If one is repeated, the first counts. `title*=UTF-8''…` (RFC
        /// 8187) is decoded and stands under `title`.
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

    /// The first link of this relation type that is about the response's own resource.
    ///
    /// A link with an `anchor` is about another resource, which may be a fragment of this one (RFC 8288 §3.2), so it is
    /// found in ``links`` alone. An empty anchor means the response's own resource (RFC 3986 §4.4). Other anchors may
    /// mean it too, but only with the response's URL could that be told.
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
