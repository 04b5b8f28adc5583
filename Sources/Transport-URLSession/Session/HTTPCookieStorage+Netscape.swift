// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationNetworking)
import Foundation
import StrataCore

public import FoundationNetworking
#else
public import Foundation
import StrataCore
#endif

/// The way between Foundation's cookies and the `CookieJar` of `StrataMiddleware`: both read and write a `cookies.txt`.
///
///     jar.insert(netscapeText: HTTPCookieStorage.shared.netscapeText)
///     HTTPCookieStorage.shared.insert(netscapeText: jar.netscapeText)
extension HTTPCookieStorage {
    /// All cookies as a `cookies.txt`. One whose name or value has a control character is left out.
    public var netscapeText: String {
        CookieLine.fileHeader + (cookies ?? []).compactMap { CookieLine($0).text }.joined()
    }

    /// Puts in the cookies of a `cookies.txt`, as far as Foundation takes them.
    public func insert(netscapeText text: String) {
        for line in CookieLine.read(text).cookies { line.foundationCookie.map(setCookie) }
    }
}

extension CookieLine {
    fileprivate init(_ cookie: HTTPCookie) {
        let isHostOnly = !cookie.domain.hasPrefix(".")
        self.init(
            domain: String(isHostOnly ? cookie.domain[...] : cookie.domain.dropFirst()), isHostOnly: isHostOnly,
            path: cookie.path.hasPrefix("/") ? cookie.path : "/", isSecure: cookie.isSecure,
            isHTTPOnly: cookie.isHTTPOnly,
            expires: cookie.isSessionOnly
                ? nil : cookie.expiresDate.map { CookieLine.seconds($0.timeIntervalSince1970) },
            name: cookie.name, value: cookie.value)
    }

    /// `nil` when Foundation takes it for none.
    fileprivate var foundationCookie: HTTPCookie? {
        var properties: [HTTPCookiePropertyKey: Any] = [
            .name: name, .value: value, .domain: (isHostOnly ? "" : ".") + domain, .path: path,
        ]
        if isSecure { properties[.secure] = "TRUE" }
        if isHTTPOnly { properties[HTTPCookiePropertyKey("HttpOnly")] = "TRUE" }
        if let expires { properties[.expires] = Date(timeIntervalSince1970: Double(expires)) }
        return HTTPCookie(properties: properties)
    }
}
