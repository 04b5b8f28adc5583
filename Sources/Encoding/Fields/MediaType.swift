// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
import StrataCore

/// A media type with its parameters: `application/vnd.api+json; charset=utf-8` (RFC 9110 §8.3.1).
///
/// Parsed as the MIME Sniffing standard (§4.4) says, which tolerates the usual mistakes of servers. Type, subtype and
/// the names of parameters are in lower case. If a parameter is repeated, the first one counts.
public struct MediaType: Hashable, Sendable {
    public struct Parameter: Hashable, Sendable {
        public let name: String
        public let value: String
    }

    public let type: String
    public let subtype: String
    /// In the order of the text.
    public private(set) var parameters: [Parameter]

    /// - Returns: `nil` when there is no `type/subtype` of token characters.
    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        var reader = FieldReader(bytes)
        reader.skipWhitespace()
        guard let type = reader.token(), reader.consume(UInt8(ascii: "/")), let subtype = reader.token() else {
            return nil
        }
        reader.skipWhitespace()
        guard reader.isAtEnd || reader.peek() == UInt8(ascii: ";") else { return nil }
        self.type = type.asciiLowercased
        self.subtype = subtype.asciiLowercased
        parameters = []
        var names: Set<String> = []
        while let parameter = reader.mediaTypeParameter() {
            let isText = parameter.value.unicodeScalars.allSatisfy {
                $0 == "\t" || ($0 >= " " && $0 != "\u{7F}" && $0 <= "\u{FF}")
            }
            if isText, names.insert(parameter.name).inserted { parameters.append(parameter) }
        }
    }

    public init(_ type: String, _ subtype: String, parameters: [(name: String, value: String)] = []) {
        self.type = type.asciiLowercased
        self.subtype = subtype.asciiLowercased
        self.parameters = parameters.map { Parameter(name: $0.name.asciiLowercased, value: $0.value) }
    }

    /// The `Content-Type` of a response; the last media type in it if a server has sent several by mistake (RFC 9110
    /// §8.3). `nil` when there is none that can be parsed.
    public init?(of response: HTTPResponse) {
        guard let text = response.headerFields.contentType else { return nil }
        self.init(text)
    }

    /// `type/subtype`.
    public var essence: String { "\(type)/\(subtype)" }

    /// What follows the last `+` of the subtype (RFC 6839): `json` for `application/problem+json`.
    public var suffix: Substring? {
        subtype.lastIndex(of: "+").map { subtype[subtype.index(after: $0)...] }
    }

    /// Without blanks around it.
    public var charset: String? { self["charset"].map { String(Substring($0.utf8.trimmingBlanks)) } }

    public var isJSON: Bool {
        suffix == "json" || essence == "application/json" || essence == "text/json"
    }

    /// The value of the parameter with this name, in any case; setting `nil` removes it.
    public subscript(name: String) -> String? {
        get { parameters.first { $0.name == name.asciiLowercased }?.value }
        set {
            let name = name.asciiLowercased
            let index = parameters.firstIndex { $0.name == name }
            switch (index, newValue) {
            case (let index?, let value?): parameters[index] = Parameter(name: name, value: value)
            case (let index?, nil): parameters.remove(at: index)
            case (nil, let value?): parameters.append(Parameter(name: name, value: value))
            case (nil, nil): break
            }
        }
    }
}

extension MediaType: CustomStringConvertible {
    /// As it goes into a field: values that are no tokens are quoted.
    public var description: String {
        parameters.reduce(into: essence) { $0 += "; \($1.name)=\(FieldReader.quotedIfNeeded($1.value))" }
    }
}

extension FieldReader {
    /// The next parameter, behind its `;`, by the MIME Sniffing standard (§4.4), which skips those that mean nothing.
    fileprivate mutating func mediaTypeParameter() -> MediaType.Parameter? {
        while !isAtEnd {
            position += 1
            skipWhitespace()
            let name = read { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "=") }
            guard consume(UInt8(ascii: "=")) else { continue }
            let value: String
            if let quoted = quotedText() {
                value = quoted
                _ = read { $0 != UInt8(ascii: ";") }
            } else {
                var raw = read { $0 != UInt8(ascii: ";") }
                while raw.last?.isWhitespace == true { raw.removeLast() }
                if raw.isEmpty { continue }
                value = String(decoding: raw, as: UTF8.self)
            }
            guard !name.isEmpty, name.allSatisfy(\.isTokenCharacter) else { continue }
            return .init(name: String(decoding: name, as: UTF8.self).asciiLowercased, value: value)
        }
        return nil
    }
}
