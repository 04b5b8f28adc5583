// SPDX-License-Identifier: Apache-2.0

/// A field value with parameters: `Content-Type`, `Content-Disposition` (RFC 9110 §5.6.6).
struct MediaType: Sendable, Equatable {
    /// Before the first `;`, lower case.
    let essence: String
    /// Names in lower case, values unquoted. `%22` stands for a quote, as browsers write it (HTML §4.10.21.8), and a
    /// `name*` of RFC 8187 is decoded and stands under `name`.
    private(set) var parameters: [String: String] = [:]

    init(_ text: String) {
        var scanner = Scanner(text)
        essence = scanner.take { $0 != ";" }.trimmingSpaces().lowercased()
        while scanner.skip(";") {
            let name = scanner.take { $0 != "=" && $0 != ";" }.trimmingSpaces().lowercased()
            guard scanner.skip("=") else { continue }
            let value = scanner.takeValue()
            if name.hasSuffix("*") {
                let pieces = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
                if pieces.count == 3 { parameters[String(name.dropLast())] = PercentEncoding.decode(pieces[2]) }
            } else if parameters[name] == nil {
                parameters[name] = value.split(separator: "%22", omittingEmptySubsequences: false).joined(
                    separator: "\"")
            }
        }
    }

    private struct Scanner {
        private var rest: Substring.UnicodeScalarView

        init(_ text: String) { rest = Substring(text).unicodeScalars }

        mutating func take(while belongs: (Unicode.Scalar) -> Bool) -> String {
            let taken = rest.prefix(while: belongs)
            rest = rest.dropFirst(taken.count)
            return String(taken)
        }

        mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
            guard rest.first == scalar else { return false }
            rest.removeFirst()
            return true
        }

        /// A token, or a quoted string with its escapes undone.
        mutating func takeValue() -> String {
            _ = take { $0 == " " || $0 == "\t" }
            guard skip("\"") else { return take { $0 != ";" }.trimmingSpaces() }
            var value = String.UnicodeScalarView()
            while let scalar = rest.popFirst(), scalar != "\"" {
                if scalar == "\\", rest.first == "\"" || rest.first == "\\" {
                    value.append(rest.removeFirst())
                } else {
                    value.append(scalar)
                }
            }
            _ = take { $0 != ";" }
            return String(value)
        }
    }
}

extension String {
    func trimmingSpaces() -> String {
        var text = self[...]
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return String(text)
    }
}
