// SPDX-License-Identifier: Apache-2.0

extension SecretSearch {
    /// Where secrets stand that are known by how they look, whatever they are called: JSON Web Tokens (RFC 7519 §3), private
    /// keys (RFC 7468 §10), and the keys of services that begin with a mark of theirs.
    static func shapes(in text: [UInt8]) -> [Range<Int>] {
        var found = privateKeys(in: text)
        var position = 0
        while position < text.count {
            let word = text[position...].prefix(while: isWordByte)
            guard !word.isEmpty else {
                position += 1
                continue
            }
            if hasSecretShape(word) { found.append(word.indices) }
            position = word.endIndex
        }
        return found
    }

    /// What the keys are made of: base64url, and the dots between the parts of a token.
    private static func isWordByte(_ byte: UInt8) -> Bool { byte.isLetter || byte.isDigit || "-._".utf8.contains(byte) }

    private static let marks: [[UInt8]] = [
        "AIza", "AKIA", "ASIA", "SG.", "dop_v1_", "eyJ", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_",
        "glpat-", "hf_",
        "npm_", "pypi-", "rk_live_", "rk_test_", "shpat_", "sk-", "sk_live_", "sk_test_", "whsec_", "xapp-", "xoxa-",
        "xoxb-",
        "xoxp-", "xoxr-", "xoxs-", "ya29.",
    ].map { Array($0.utf8) }

    /// How many bytes follow the mark of a key at least, so that `sk-learn` is none.
    private static let shortestKey = 16

    /// No secret that is known by how it looks is shorter.
    static let shortestShape = 3 + shortestKey

    private static func hasSecretShape(_ word: ArraySlice<UInt8>) -> Bool {
        marks.contains { $0[0] == word.first && word.count >= $0.count + shortestKey && word.starts(with: $0) }
    }

    /// From the line that begins a private key to the line that ends it.
    private static func privateKeys(in text: [UInt8]) -> [Range<Int>] {
        let (dashes, begin, end) = (Array("-----".utf8), Array("-----BEGIN ".utf8), Array("-----END ".utf8))
        var found: [Range<Int>] = []
        var keyStart: Int?
        var position = 0
        while position < text.count {
            let rest = text[position...]
            guard rest.starts(with: dashes) else {
                position += 1
                continue
            }
            if keyStart == nil, rest.starts(with: begin) {
                let label = rest.dropFirst(begin.count).prefix { $0 != UInt8(ascii: "-") }
                position = label.endIndex
                if label.reversed().starts(with: "PRIVATE KEY".utf8.reversed()) {
                    position = text[position...].prefix { $0 == UInt8(ascii: "-") }.endIndex
                    keyStart = position
                }
            } else if let start = keyStart, rest.starts(with: end) {
                found.append(start..<position)
                keyStart = nil
                position += end.count
            } else {
                position += dashes.count
            }
        }
        if let keyStart, keyStart < text.count { found.append(keyStart..<text.count) }
        return found
    }
}
