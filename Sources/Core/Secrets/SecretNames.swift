// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// Which names of fields, parameters and members say that their value is a secret.
///
/// In doubt a name counts as secret: what has been written down cannot be taken back.
package enum SecretNames {
    /// Case, `_`, `-`, brackets and the like do not matter, nor do the digits at the end of `password2` and `pin[0]`.
    package static func isSecret(_ name: String) -> Bool {
        var letters = normalized(name)
        if letters.withUTF8({ holdsPart($0[...]) }) || holdsToken(letters) { return !harmless.contains(letters) }
        var (whole, last) = (withoutNumber(letters), lastPart(of: name))
        return whole.withUTF8 { whole in
            endings.contains { isEnd($0, of: whole[...]) } || isWord(whole[...]) || isCode(whole[...])
        } || last.withUTF8 { isWord($0[...]) } || endsInWord(name)
    }

    private typealias Bytes = Slice<UnsafeBufferPointer<UInt8>>

    /// The last part of `user[pin]` and `card.cvc`; empty when the name has one alone.
    private static func lastPart(of name: String) -> Substring {
        guard name.utf8.contains(where: { "[].".utf8.contains($0) }) else { return "" }
        let parts = name.utf8.split { "[].".utf8.contains($0) }.lazy.reversed().map { normalized(Substring($0)) }
        return parts.first { !$0.allSatisfy(\.isNumber) }.map(withoutNumber) ?? ""
    }

    /// Names that mean a secret only among the parameters of a query, a form or an OAuth request. Elsewhere they are too
    /// common: products and errors have a `code`.
    package static let parameters: Set<String> = ["code", "key", "ticket"]

    /// Fields that hold a secret though their names do not tell (RFC 9110 §11.6.3).
    package static let fields: Set<HTTPField.Name> = [.authenticationInfo, .proxyAuthenticationInfo]

    /// What stands in a secret's place.
    package static let mark = "***"

    /// What is compared of a name: its letters and digits, in lower case.
    package static func normalized(_ name: some StringProtocol) -> String {
        guard name.utf8.allSatisfy({ $0 < 0x80 }) else {
            return name.lowercased().filter { $0.isLetter || $0.isNumber }
        }
        let bytes = name.utf8
        return String(unsafeUninitializedCapacity: bytes.count) { output in
            var count = 0
            for byte in bytes where byte.isLetter || byte.isDigit {
                // Digits have that bit.
                output[count] = byte | 0x20
                count += 1
            }
            return count
        }
    }

    /// Anywhere in a name.
    private static let parts: WordTable = [
        "accesskey", "accountkey", "apikey", "appkey", "applicationkey", "assertion", "authcode", "authkey",
        "authorizationcode", "cardnumber", "ccnumber", "codeverifier", "connectionstring", "connstr", "consumerkey",
        "contrasena", "contraseña", "credential", "creditcard", "customerkey", "decryptionkey", "deploykey",
        "devicecode",
        "encryptionkey", "functionskey", "hmackey", "kennwort", "licencekey", "licensekey", "masterkey", "mnemonic",
        "motdepasse", "oauthverifier", "oidcdata", "passcode", "passkey", "passphrase", "passwd", "password",
        "passwort", "pkcs12", "privatekey", "privkey", "pswd", "recoveryphrase", "recoverykey", "samlresponse",
        "secret", "securityanswer",
        "seedphrase", "seedwords", "serverkey", "sessid", "sessionid", "sessionkey", "sharedkey", "signature",
        "signingkey", "sshkey", "storagekey", "subscriptionkey", "wachtwoord",
    ]

    private static func holdsPart(_ letters: Bytes) -> Bool {
        letters.indices.contains { parts.containsStart(of: letters[$0...]) }
    }

    /// Names with one of these parts that say only whether there may be a secret.
    private static let harmless: Set<String> = ["accesscontrolallowcredentials"]

    private static let endings: [StaticString] = ["authorization", "pwd"]

    /// On their own, or behind the `X-` of a field.
    private static let words: WordTable = [
        "auth", "authentication", "bearer", "cookie", "cookies", "csc", "csrf", "cvc", "cvn", "cvv", "dpop", "dsn",
        "hmac", "jwe", "jws", "jwt", "mfa", "mpin", "otp", "pass", "pat", "pem", "pfx", "pin", "psk", "puk", "pw",
        "sas", "senha", "session", "setcookie", "sid", "sig", "ssn", "totp", "wsse", "xsrf",
    ]

    /// Words at the end of a compound name, such as `card_pin`. Not `sid`, because an `account_sid` does not name a
    /// session.
    private static func isLastWord(_ word: Bytes) -> Bool { words.contains(word) && !firstWords.contains(word) }

    private static let firstWords: WordTable = ["sid"]

    /// Words that may follow those without changing the meaning: `otp_code`.
    private static let fillers: WordTable = ["code", "data", "hash", "key", "number", "string", "value"]

    private static func isWord(_ word: Bytes) -> Bool {
        words.contains(word) || word.first == UInt8(ascii: "x") && words.contains(word.dropFirst())
    }

    private static func isEnd(_ end: StaticString, of word: Bytes) -> Bool {
        end.withUTF8Buffer { word.suffix($0.count).elementsEqual($0) }
    }

    /// Before `code` or `codes`, at the end of a name.
    private static let codes: [StaticString] = [
        "access", "activation", "backup", "confirmation", "invite", "login", "mfa", "onetime", "otp", "pairing",
        "recovery", "reset", "security", "signin", "sms", "unlock", "user", "verification",
    ]

    private static func isCode(_ word: Bytes) -> Bool {
        let word = word.last == UInt8(ascii: "s") ? word.dropLast() : word
        return isEnd("code", of: word) && codes.contains { isEnd($0, of: word.dropLast(4)) }
    }

    private static func endsInWord(_ name: String) -> Bool {
        var name = name
        return name.withUTF8 { bytes in
            var rest = bytes[...]
            while let word = popWord(from: &rest) {
                if isLastWord(word) { return true }
                if !fillers.contains(word) { return false }
            }
            return false
        }
    }

    /// Removes the last word, and returns it. A word begins after a character that is no letter, and at a capital letter that
    /// follows or precedes a small one.
    private static func popWord(from name: inout Bytes) -> Bytes? {
        while let byte = name.last, !byte.isLetter { name.removeLast() }
        guard var start = name.indices.last else { return nil }
        while start > name.startIndex, name[start - 1].isLetter, !beginsWord(name, at: start) { start -= 1 }
        defer { name = name[..<start] }
        return name[start...]
    }

    /// - Parameter index: of a letter behind a letter.
    private static func beginsWord(_ name: Bytes, at index: Int) -> Bool {
        func isCapital(_ index: Int) -> Bool { name[index] & 0x20 == 0 }
        guard isCapital(index) else { return false }
        let next = index + 1
        return !isCapital(index - 1) || (next < name.endIndex && name[next].isLetter && !isCapital(next))
    }

    private static func withoutNumber(_ letters: String) -> Substring {
        var word = letters[...]
        while let byte = word.utf8.last {
            if byte.isDigit {
                word = Substring(word.utf8.dropLast())
            } else if byte >= 0x80, word.last?.isNumber == true {
                word.removeLast()
            } else {
                break
            }
        }
        return word
    }

    /// Whether the name is that of a token. Names that count tokens, as language models do, and names that only
    /// describe a token are not.
    private static func holdsToken(_ letters: String) -> Bool {
        // A cheap test, which most names fail.
        guard letters.utf8.contains(UInt8(ascii: "k")), letters.contains("token"), !letters.contains("ratelimit") else {
            return false
        }
        return letters.ranges(of: "token").contains { token in
            let before = letters[..<token.lowerBound]
            let after = letters[token.upperBound...]
            if descriptions.contains(where: { after.hasPrefix($0) }) { return false }
            guard after.hasPrefix("s") else { return true }
            return !counted.contains { before.hasSuffix($0) }
                && !descriptions.contains { after.dropFirst().hasPrefix($0) }
        }
    }

    /// Behind `token` or `tokens`.
    private static let descriptions = [
        "budget", "count", "endpoint", "expir", "izer", "limit", "perday", "perhour", "perminute", "persecond",
        "remaining", "type", "usage", "used",
    ]

    /// Before `tokens`.
    private static let counted = [
        "amountof", "audio", "budget", "cached", "completion", "context", "count", "generated", "image", "input",
        "limit", "max", "maxnew", "min", "minnew", "numberof", "numof", "output", "prediction", "prompt", "reasoning",
        "remaining", "text", "thinking", "total", "used",
    ]
}
