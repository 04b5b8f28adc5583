// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// An absolute `http` or `https` URL, checked and encoded, ready for a request's head.
package struct RequestURL: Hashable, Sendable {
    package var scheme: String
    /// Host and port, without user information.
    package var authority: String
    /// The path, never empty, without its query.
    package var path: String
    package var query: String?
    /// User name and password that stood in the URL, percent-decoded, joined by a colon (RFC 7617 §2), also when there is no
    /// password: bytes, as nothing says what text they are. None when they are there and ignored.
    package var userinfo: [UInt8]?

    /// Path and query: the request target in origin form (RFC 9112 §3.2.1).
    package var target: String {
        guard var query else { return path }
        var path = path
        let size = path.utf8.count + 1 + query.utf8.count
        return String(unsafeUninitializedCapacity: size) { output in
            let mark = path.withUTF8 { output.update(fromContentsOf: $0) }
            output[mark] = UInt8(ascii: "?")
            return query.withUTF8 { output[(mark + 1)...].update(fromContentsOf: $0) }
        }
    }

    package var text: String { "\(scheme)://\(authority)\(target)" }

    package init(_ text: String) throws(NetworkClientError) {
        try self.init(URLReference(text))
    }

    /// The fragment stays with the client (RFC 9110 §4.2.5) and is dropped.
    package init(_ reference: URLReference, ignoresCredentials: Bool = false) throws(NetworkClientError) {
        guard let scheme = reference.scheme else { throw Self.malformed(reference, "has no scheme") }
        guard scheme == "http" || scheme == "https" else {
            throw Self.malformed(reference, "has a scheme that is neither http nor https")
        }
        guard let text = reference.authority, !text.isEmpty else { throw Self.malformed(reference, "has no host") }
        let authority: URLAuthority
        do throws(NetworkClientError) {
            authority = try URLAuthority(text)
        } catch {
            throw Self.malformed(reference, "cannot be used: \(error.message)")
        }
        self.scheme = scheme
        self.authority = authority.text(scheme: scheme)
        if let text = authority.userinfo, !text.isEmpty {
            userinfo = ignoresCredentials ? [] : try Self.credentials(text)
        }
        let path = PercentEncoding.encodeKeepingEscapes(reference.path[...], allowed: .path)
        self.path = path.isEmpty ? "/" : URLReference.removingDotSegments(path)
        query = reference.query.map { PercentEncoding.encodeKeepingEscapes($0[...], allowed: .query) }
    }

    /// What is wrong with a URL, and which it is: without what stands before an `@`, query and fragment, and at most 100
    /// characters of it.
    private static func malformed(_ reference: URLReference, _ problem: String) -> NetworkClientError {
        var shown = Substring(reference.textWithoutSecrets)
        // Without `//`, user information looks like a scheme and a path.
        if let at = shown.utf8.lastIndex(of: UInt8(ascii: "@")) { shown = "…" + shown[at...] }
        let line = shown.unicodeScalars.prefix(100).map { $0.isControl ? "\u{FFFD}" : String($0) }.joined()
        return NetworkClientError(.malformedURL, "the URL \"\(line)\" \(problem)")
    }

    /// RFC 7617 §2: a colon ends the user name, so that none can be in it, and control characters are out.
    private static func credentials(_ userinfo: String) throws(NetworkClientError) -> [UInt8] {
        let colon = userinfo.utf8.firstIndex(of: UInt8(ascii: ":")) ?? userinfo.endIndex
        let name = PercentEncoding.decode(userinfo[..<colon].utf8)
        let password = PercentEncoding.decode(userinfo[colon...].utf8.dropFirst())
        let credentials = name + [UInt8(ascii: ":")] + password
        guard !name.contains(UInt8(ascii: ":")), !credentials.contains(where: \.isControl) else {
            throw NetworkClientError(
                .malformedURL, "the URL's user name has a colon in it, or it or the password a control character")
        }
        return credentials
    }

    /// The URL of a request below `base`.
    ///
    /// - `path` is *appended* to the base's path with one slash between them, whether it begins with one or not; it may
    ///   carry a query of its own, and a complete `http` or `https` URL stands for itself.
    /// - Queries add up: the base's, then the path's, then `items` (without a value: dropped; each encoded once, all but
    ///   unreserved characters).
    /// - In `path`, escapes that are well formed stay, and characters that are not allowed there (`#` too) are encoded.
    package init(base: RequestURL?, path: String?, items: [URLQueryItem] = []) throws {
        if let path, Self.isAbsolute(path) {
            self = try RequestURL(path)
        } else {
            guard let base else {
                throw NetworkClientError(.malformedURL, "there is no base URL and the path is relative")
            }
            self = base
            if let path, !path.isEmpty { append(path) }
        }
        append(items)
    }

    package static func isAbsolute(_ path: String) -> Bool {
        guard path.utf8.first.map({ $0 | 0x20 }) == UInt8(ascii: "h") else { return false }
        let start = path.prefix(8).lowercased()
        return start.hasPrefix("http://") || start.hasPrefix("https://")
    }

    private mutating func append(_ addition: String) {
        var rest = addition[...]
        if let offset = rest.withUTF8({ $0.firstIndex(of: UInt8(ascii: "?")) }) {
            let mark = rest.utf8.index(rest.startIndex, offsetBy: offset)
            let own = PercentEncoding.encodeKeepingEscapes(rest[rest.utf8.index(after: mark)...], allowed: .query)
            query = query.map { Self.joined($0, own) } ?? own
            rest = rest[..<mark]
        }
        if rest.isEmpty { return }
        URLReference.append(PercentEncoding.encodeKeepingEscapes(rest, allowed: .path), to: &path)
        path = URLReference.removingDotSegments(path)
    }

    private static func joined(_ first: String, _ second: String) -> String {
        let isSeparated = first.isEmpty || second.isEmpty || first.utf8.last == UInt8(ascii: "&")
        return isSeparated ? first + second : "\(first)&\(second)"
    }

    private mutating func append(_ items: [URLQueryItem]) {
        if items.isEmpty { return }
        var own = query ?? ""
        let size = items.reduce(own.utf8.count) { $0 + 2 + 3 * ($1.name.utf8.count + ($1.value?.utf8.count ?? 0)) }
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: size) { output in
            let allowed = PercentEncoding.Allowed.unreserved
            var end = own.withUTF8 { output.update(fromContentsOf: $0) }
            let start = end
            for item in items {
                guard let value = item.value else { continue }
                if end > 0, output[end - 1] != UInt8(ascii: "&") {
                    output[end] = UInt8(ascii: "&")
                    end += 1
                }
                PercentEncoding.encode(item.name, allowed: allowed, to: output, at: &end)
                output[end] = UInt8(ascii: "=")
                end += 1
                PercentEncoding.encode(value, allowed: allowed, to: output, at: &end)
            }
            if end > start { query = String(decoding: UnsafeBufferPointer(rebasing: output[..<end]), as: UTF8.self) }
        }
    }
}
