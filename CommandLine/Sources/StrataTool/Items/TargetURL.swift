// SPDX-License-Identifier: Apache-2.0

/// The URL as it may be written: `:8080/path` and `:/path` are on this machine, `host/path` is `http`.
package enum TargetURL {
    package static func expand(_ text: String, scheme: String = "http") throws -> String {
        guard !text.isEmpty else { throw UsageError("the URL is empty") }
        if text == ":" { return "\(scheme)://localhost/" }
        if text.hasPrefix("://") { return scheme + text }
        if text.hasPrefix(":") {
            let rest = text.dropFirst()
            if rest.hasPrefix("/") { return "\(scheme)://localhost\(rest)" }
            let port = rest.prefix { ("0"..."9").contains($0) }
            let path = rest.dropFirst(port.count)
            if !port.isEmpty, path.isEmpty || "/?#".contains(path.first!) {
                return "\(scheme)://localhost:\(port)\(path)"
            }
            // An IPv6 address, which no scheme begins like.
            return "\(scheme)://\(text)"
        }
        guard let range = text.range(of: "://"), isScheme(text[..<range.lowerBound]) else {
            return "\(scheme)://\(text)"
        }
        return text
    }

    /// Whether a word can be a URL where a method can stand too: a method is a word in capitals.
    package static func isMethod(_ text: String) -> Bool {
        !text.isEmpty && text.allSatisfy { ("A"..."Z").contains($0) || $0 == "-" }
    }

    private static func isScheme(_ text: Substring) -> Bool {
        text.first?.isLetter == true
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    }
}
