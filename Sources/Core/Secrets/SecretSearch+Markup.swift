// SPDX-License-Identifier: Apache-2.0

extension SecretSearch {
    /// Where secrets stand in XML and HTML: in an element or an attribute with a secret name, in an element that names a
    /// secret in an attribute (`<add key="password" value="…"/>`), and in the element behind one that does so
    /// (`<key>password</key><string>…</string>`).
    func markupValues(in text: [UInt8]) -> [Range<Int>] {
        var found: [Range<Int>] = []
        var position = 0
        var isBehindName = false
        while let tag = Self.tag(in: text, from: position) {
            position = tag.end
            found += secretAttributes(of: tag, in: text)
            guard !tag.isClosing else { continue }
            let content = text[tag.end...].prefix { $0 != UInt8(ascii: "<") }
            let isSecret = isBehindName || isSecretName(tag.localName) || namesSecret(tag, in: text)
            isBehindName = Self.namingElements.contains(Self.normalized(tag.localName)) && isSecretName(content)
            guard isSecret, !tag.isEmpty, !Self.emptyElements.contains(Self.normalized(tag.localName)) else { continue }
            // Nothing is known of what has no end: it may have been cut off.
            let end = Self.closingTag(of: tag, in: text) ?? text.count
            if tag.end < end { found.append(tag.end..<end) }
            position = end
        }
        return found
    }

    private struct Tag {
        var name: ArraySlice<UInt8>
        var attributes: ArraySlice<UInt8>
        var isClosing: Bool
        /// Whether it has no content.
        var isEmpty: Bool
        var end: Int

        /// Without a prefix.
        var localName: ArraySlice<UInt8> {
            name.lastIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name
        }
    }

    /// What names a secret by its content, and by its value.
    private static let namingElements: Set<String> = ["name", "key", "field", "id", "param", "header"]
    private static let namingAttributes: Set<String> = [
        "name", "key", "field", "id", "param", "header", "property", "n", "k",
    ]
    private static let valueAttributes: Set<String> = ["value", "val", "content", "default", "v", "defaultvalue"]
    private static let emptyElements: Set<String> = ["input", "meta", "br", "img", "link", "hr"]

    private static func normalized(_ name: ArraySlice<UInt8>) -> String {
        SecretNames.normalized(String(decoding: name.prefix(64), as: UTF8.self))
    }

    private func isSecretName(_ name: ArraySlice<UInt8>) -> Bool {
        guard (1...64).contains(name.count) else { return false }
        return redaction.isSensitiveMember(String(decoding: name, as: UTF8.self), options: options)
    }

    private static func tag(in text: [UInt8], from position: Int) -> Tag? {
        var position = position
        while let start = text[position...].firstIndex(of: UInt8(ascii: "<")) {
            var rest = text[(start + 1)...]
            let isClosing = rest.first == UInt8(ascii: "/")
            if isClosing { rest.removeFirst() }
            let name = rest.prefix { $0.isLetter || $0.isDigit || $0 >= 0x80 || "_-.:".utf8.contains($0) }
            // Not a URL in brackets, whose scheme ends in a colon.
            guard name.first.map({ $0.isLetter || $0 >= 0x80 || $0 == UInt8(ascii: "_") }) == true,
                name.last != UInt8(ascii: ":")
            else {
                position = start + 1
                continue
            }
            let attributes = insideOfTag(rest[name.endIndex...])
            let isEmpty = attributes.last == UInt8(ascii: "/")
            return Tag(
                name: name, attributes: attributes, isClosing: isClosing, isEmpty: isEmpty,
                end: min(attributes.endIndex + 1, text.count))
        }
        return nil
    }

    /// Up to the `>` that is not in quotes.
    private static func insideOfTag(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var quote: UInt8?
        return text.prefix { byte in
            if let open = quote {
                if byte == open { quote = nil }
                return true
            }
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") { quote = byte }
            return byte != UInt8(ascii: ">")
        }
    }

    private static func attributes(_ text: ArraySlice<UInt8>) -> [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)] {
        var found: [(ArraySlice<UInt8>, ArraySlice<UInt8>)] = []
        var rest = text
        while let equals = rest.firstIndex(of: UInt8(ascii: "=")) {
            let before = rest[..<equals].reversed().drop(while: \.isWhitespace)
                .prefix { !$0.isWhitespace && $0 != UInt8(ascii: "/") }
            let name = text[before.endIndex.base..<before.startIndex.base]
            let value = rest[(equals + 1)...].drop(while: \.isWhitespace)
            guard let quote = value.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
                let bare = value.prefix { !$0.isWhitespace }
                found.append((name, bare))
                rest = text[bare.endIndex...]
                continue
            }
            let content = value.dropFirst().prefix { $0 != quote }
            found.append((name, content))
            rest = text[content.endIndex...].dropFirst()
        }
        return found
    }

    private func namesSecret(_ tag: Tag, in text: [UInt8]) -> Bool {
        guard !tag.attributes.isEmpty else { return false }
        return Self.attributes(tag.attributes).contains {
            Self.namingAttributes.contains(Self.normalized(Self.local($0.name))) && isSecretName($0.value)
        }
    }

    private func secretAttributes(of tag: Tag, in text: [UInt8]) -> [Range<Int>] {
        guard tag.attributes.contains(UInt8(ascii: "=")) else { return [] }
        let attributes = Self.attributes(tag.attributes)
        let namesSecret = namesSecret(tag, in: text)
        return attributes.filter { attribute in
            let name = Self.local(attribute.name)
            return isSecretName(name) || namesSecret && Self.valueAttributes.contains(Self.normalized(name))
        }.map(\.value.indices).filter { !$0.isEmpty }
    }

    private static func local(_ name: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        name.lastIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name
    }

    /// Where the closing tag begins.
    private static func closingTag(of tag: Tag, in text: [UInt8]) -> Int? {
        let wanted = Array("</".utf8) + tag.name
        var position = tag.end
        while let start = text[position...].firstIndex(of: UInt8(ascii: "<")) {
            if text[start...].starts(with: wanted) { return start }
            position = start + 1
        }
        return nil
    }
}
