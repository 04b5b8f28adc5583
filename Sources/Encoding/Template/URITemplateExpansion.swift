// SPDX-License-Identifier: Apache-2.0

import StrataCore

extension URITemplate {
    /// RFC 6570 §3.2.
    enum Expansion {
        /// Puts in the values of an expression's variables.
        ///
        /// - Returns: whether any of the variables has a value.
        static func append(
            _ specifiers: [Specifier], _ form: Form, _ variables: [String: Value], to output: inout [UInt8]
        ) throws(URITemplateError) -> Bool {
            var isFirst = true
            for specifier in specifiers {
                guard let value = variables[specifier.name], !isUndefined(value) else { continue }
                output.append(contentsOf: (isFirst ? form.first : form.separator).utf8)
                isFirst = false
                try append(value, specifier, form, to: &output)
            }
            return !isFirst
        }

        private static func isUndefined(_ value: Value) -> Bool {
            switch value {
            case .string: false
            case .list(let list): list.isEmpty
            case .pairs(let pairs): pairs.isEmpty
            }
        }

        private static func append(
            _ value: Value, _ specifier: Specifier, _ form: Form, to output: inout [UInt8]
        ) throws(URITemplateError) {
            switch (value, specifier.modifier) {
            case (.string(let text), .prefix(let length)):
                append(named: specifier.name, prefix(of: text, length, form), form, to: &output)
            case (.string(let text), _): append(named: specifier.name, text, form, to: &output)
            case (_, .prefix):
                throw URITemplateError(reason: "a prefix of \"\(specifier.name)\", which is not text", offset: nil)
            case (.list(let list), .explode):
                append(list, separator: form.separator, to: &output) { element, output in
                    append(named: specifier.name, element, form, to: &output)
                }
            case (.pairs(let pairs), .explode):
                append(pairs, separator: form.separator, to: &output) { pair, output in
                    append(pair.name, form, to: &output)
                    if !(form.isNamed && pair.value.isEmpty && form.ifEmpty.isEmpty) {
                        output.append(UInt8(ascii: "="))
                    }
                    append(pair.value, form, to: &output)
                }
            case (.list(let list), .none):
                append(name: specifier.name, isEmpty: false, form, to: &output)
                append(list, separator: ",", to: &output) { append($0, form, to: &$1) }
            case (.pairs(let pairs), .none):
                append(name: specifier.name, isEmpty: false, form, to: &output)
                append(pairs, separator: ",", to: &output) { pair, output in
                    append(pair.name, form, to: &output)
                    output.append(UInt8(ascii: ","))
                    append(pair.value, form, to: &output)
                }
            }
        }

        /// The first `length` characters. In a form that keeps escapes, the escapes that make up one character count as
        /// one, and are not split (§3.2.1).
        private static func prefix(of text: String, _ length: Int, _ form: Form) -> String {
            var end = text.startIndex
            for _ in 0..<length where end < text.endIndex {
                guard form.allowsReserved, PercentEncoding.isEscape(text[end...].utf8) else {
                    end = text.unicodeScalars.index(after: end)
                    continue
                }
                repeat { end = text.utf8.index(end, offsetBy: 3) } while goesOn(text[end...].utf8)
            }
            return String(text[..<end])
        }

        /// Whether an escape is next that continues a character of UTF-8.
        private static func goesOn(_ text: Substring.UTF8View) -> Bool {
            PercentEncoding.escapedByte(text).map { (0x80..<0xC0).contains($0) } ?? false
        }

        private static func append<Element>(
            _ elements: [Element], separator: String, to output: inout [UInt8], _ body: (Element, inout [UInt8]) -> Void
        ) {
            for (offset, element) in elements.enumerated() {
                if offset > 0 { output.append(contentsOf: separator.utf8) }
                body(element, &output)
            }
        }

        private static func append(named name: String, _ text: String, _ form: Form, to output: inout [UInt8]) {
            append(name: name, isEmpty: text.isEmpty, form, to: &output)
            append(text, form, to: &output)
        }

        private static func append(name: String, isEmpty: Bool, _ form: Form, to output: inout [UInt8]) {
            guard form.isNamed else { return }
            // A name is of letters, digits, dots and escapes: nothing in it has to be encoded.
            output.append(contentsOf: name.utf8)
            output.append(contentsOf: (isEmpty ? form.ifEmpty : "=").utf8)
        }

        private static let reserved = PercentEncoding.Allowed(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/?#[]@!$&'()*+,;=")

        private static func append(_ text: String, _ form: Form, to output: inout [UInt8]) {
            if form.allowsReserved {
                PercentEncoding.appendKeepingEscapes(text[...].utf8, allowed: reserved, to: &output)
            } else {
                PercentEncoding.append(text, allowed: .unreserved, to: &output)
            }
        }
    }
}
