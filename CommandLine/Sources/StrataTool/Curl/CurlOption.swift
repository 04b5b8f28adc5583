// SPDX-License-Identifier: Apache-2.0

/// curl's options that can be taken over, by their long names.
enum CurlOption {
    /// What curl shows or how it is built up, which changes no request.
    static let ignoredFlags: Set<String> = [
        "silent", "show-error", "no-buffer", "progress-bar", "no-progress-meter", "globoff", "path-as-is", "fail-early",
        "no-keepalive", "tcp-nodelay", "ssl-no-revoke", "create-dirs", "remove-on-error", "tlsv1", "tlsv1.2", "tlsv1.0",
        "tlsv1.1", "http1.0", "raw", "styled-output", "no-sessionid", "no-alpn", "parallel", "ssl-reqd",
    ]
    static let flags: Set<String> = ignoredFlags.union([
        "location", "get", "head", "insecure", "compressed", "include", "verbose", "fail", "fail-with-body",
        "remote-name",
        "remote-header-name", "digest", "basic", "anyauth", "http1.1", "http2", "http2-prior-knowledge", "http3",
        "ipv4",
        "ipv6", "tlsv1.3", "post301", "post302", "post303",
    ])
    static let ignoredValues: Set<String> = [
        "keepalive-time", "speed-limit", "speed-time", "expect100-timeout", "stderr",
    ]
    static let values: Set<String> = ignoredValues.union([
        "request", "header", "data", "data-ascii", "data-raw", "data-binary", "data-urlencode", "json", "form",
        "form-string", "user", "oauth2-bearer", "user-agent", "referer", "cookie", "max-redirs", "cacert", "cert",
        "key",
        "pass", "proxy", "proxy-user", "noproxy", "max-time", "connect-timeout", "retry", "output", "upload-file",
        "url",
        "url-query", "unix-socket", "resolve", "range", "continue-at", "interface",
    ])

    static let short: [Character: String] = [
        "X": "request", "H": "header", "d": "data", "F": "form", "G": "get", "I": "head", "u": "user",
        "A": "user-agent",
        "e": "referer", "b": "cookie", "L": "location", "k": "insecure", "E": "cert", "x": "proxy", "U": "proxy-user",
        "m": "max-time", "o": "output", "O": "remote-name", "J": "remote-header-name", "s": "silent", "S": "show-error",
        "v": "verbose", "i": "include", "f": "fail", "T": "upload-file", "0": "http1.0", "4": "ipv4", "6": "ipv6",
        "N": "no-buffer", "r": "range", "C": "continue-at", "#": "progress-bar", "g": "globoff", "Z": "parallel",
        "1": "tlsv1",
    ]

    /// The words of a command in pieces: options by their long names, and what stands alone as `url`.
    static func read(_ words: some Sequence<String>) throws -> [(name: String, value: String)] {
        var pieces: [(name: String, value: String)] = []
        var words = Array(words)[...]
        var takesOptions = true
        func value(of name: String) throws -> String {
            guard let value = words.popFirst() else { throw UsageError("curl's --\(name) has no value") }
            return value
        }
        while let word = words.popFirst() {
            if takesOptions, word == "--" {
                takesOptions = false
            } else if takesOptions, word.hasPrefix("--") {
                let name = String(word.dropFirst(2))
                if flags.contains(name) {
                    pieces.append((name, ""))
                } else if values.contains(name) {
                    pieces.append((name, try value(of: name)))
                } else {
                    throw UsageError("curl's --\(name.prefix { $0 != "=" }) is not known here")
                }
            } else if takesOptions, word.hasPrefix("-"), word.count > 1 {
                var letters = word.dropFirst()
                while let letter = letters.popFirst() {
                    guard let name = short[letter] else { throw UsageError("curl's -\(letter) is not known here") }
                    if flags.contains(name) {
                        pieces.append((name, ""))
                    } else {
                        pieces.append((name, letters.isEmpty ? try value(of: name) : String(letters)))
                        letters = ""
                    }
                }
            } else {
                pieces.append(("url", word))
            }
        }
        return pieces
    }
}
