// SPDX-License-Identifier: Apache-2.0

/// A line of a `cookies.txt`, the file of Netscape's that curl, wget and Python read and write: seven values with tabs between.
package struct CookieLine: Hashable, Sendable {
    /// Without a dot in front.
    package var domain: String
    package var isHostOnly: Bool
    package var path: String
    package var isSecure: Bool
    package var isHTTPOnly: Bool
    /// Seconds since 1970; `nil` for a session cookie.
    package var expires: Int64?
    package var name: String
    package var value: String

    package init(
        domain: String, isHostOnly: Bool, path: String, isSecure: Bool, isHTTPOnly: Bool, expires: Int64?, name: String,
        value: String
    ) {
        self.domain = domain
        self.isHostOnly = isHostOnly
        self.path = path
        self.isSecure = isSecure
        self.isHTTPOnly = isHTTPOnly
        self.expires = expires
        self.name = name
        self.value = value
    }

    /// The seconds that a moment is written as: rounded up, so that no cookie ends early.
    package static func seconds(_ sinceEpoch: Double) -> Int64 {
        Int64(exactly: sinceEpoch.rounded(.up)) ?? (sinceEpoch < 0 ? 1 : .max)
    }

    package static let fileHeader = "# Netscape HTTP Cookie File\n"
    /// curl writes a cookie for HTTP alone as what looks like a comment.
    private static let httpOnlyMark = "#HttpOnly_"
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The cookies of a file, and the numbers of the lines, from 1, that are neither cookies nor comments nor empty.
    package static func read(_ text: String) -> (cookies: [CookieLine], malformed: [Int]) {
        var found: [CookieLine] = []
        var malformed: [Int] = []
        // By bytes: a line end is one `Character` with the return before it.
        let text = text.utf8.starts(with: byteOrderMark) ? text.utf8.dropFirst(byteOrderMark.count) : text.utf8[...]
        for (index, line) in text.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
            let line = Substring(line.last == 0x0D ? line.dropLast() : line)
            if let cookie = CookieLine(line) {
                found.append(cookie)
            } else if !line.utf8.allSatisfy(\.isBlank), line.hasPrefix(httpOnlyMark) || !line.hasPrefix("#") {
                malformed.append(index + 1)
            }
        }
        return (found, malformed)
    }

    private init?(_ line: Substring) {
        isHTTPOnly = line.hasPrefix(Self.httpOnlyMark)
        let line = isHTTPOnly ? line.dropFirst(Self.httpOnlyMark.count) : line
        guard !line.hasPrefix("#") else { return nil }
        var parts = line.utf8.split(separator: 0x09, omittingEmptySubsequences: false).map { String(Substring($0)) }
        // Some programs leave out the tab before an empty value.
        if parts.count == 6 { parts.append("") }
        guard parts.count == 7, let seconds = Self.seconds(of: parts[4]) else { return nil }
        let domain = parts[0].hasPrefix(".") ? String(parts[0].dropFirst()) : parts[0]
        guard !domain.isEmpty, parts[2].hasPrefix("/"), !line.utf8.contains(UInt8(ascii: ";")) else { return nil }
        self.domain = domain
        isHostOnly = parts[1].asciiLowercased != "true"
        path = parts[2]
        isSecure = parts[3].asciiLowercased == "true"
        expires = seconds == 0 ? nil : seconds
        name = parts[5]
        value = parts[6]
    }

    /// Zero for a session cookie, where Python writes nothing. Extensions of browsers write fractions.
    private static func seconds(of text: String) -> Int64? {
        if text.isEmpty { return 0 }
        return Int64(text) ?? Double(text).flatMap { $0.isFinite ? seconds($0) : nil }
    }

    /// The line with its end; `nil` when a value has a character that would be taken for another.
    package var text: String? {
        let values = [
            (isHTTPOnly ? Self.httpOnlyMark : "") + (isHostOnly ? "" : ".") + domain, isHostOnly ? "FALSE" : "TRUE",
            path, isSecure ? "TRUE" : "FALSE", expires.map { String(max($0, 1)) } ?? "0", name, value,
        ]
        guard values.allSatisfy({ $0.utf8.allSatisfy { !$0.isControl } }) else { return nil }
        return values.joined(separator: "\t") + "\n"
    }
}
