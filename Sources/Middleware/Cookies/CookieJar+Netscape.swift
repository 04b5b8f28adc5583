// SPDX-License-Identifier: Apache-2.0

import StrataCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension CookieJar {
    /// The cookies as a `cookies.txt`, which curl, wget, Python and browsers' extensions read.
    ///
    ///     try Data(jar.netscapeText.utf8).write(to: file)  // curl --cookie cookies.txt …
    ///
    /// The format knows no `SameSite`. A cookie whose name or value has a tab, or is not UTF-8, is left out.
    public var netscapeText: String {
        CookieLine.fileHeader + cookies.compactMap(\.line?.text).joined()
    }

    /// Puts in the cookies of a `cookies.txt`, in place of those with their names, domains and paths.
    ///
    /// - Returns: the numbers of the lines, from 1, that are neither cookies nor comments.
    @discardableResult
    public func insert(netscapeText text: String, now: Date = Date()) -> [Int] {
        let (lines, malformed) = CookieLine.read(text)
        for line in lines { insert(Cookie(line, created: now), now: now) }
        return malformed
    }
}

extension Cookie {
    init(_ line: CookieLine, created: Date) {
        self.init(
            name: line.name, value: line.value, domain: (line.isHostOnly ? "" : ".") + line.domain, path: line.path,
            expires: line.expires.map { Date(timeIntervalSince1970: Double($0)) }, isSecure: line.isSecure,
            isHTTPOnly: line.isHTTPOnly, created: created)
    }

    fileprivate var line: CookieLine? {
        guard let name = String(validating: nameBytes, as: UTF8.self),
            let value = String(validating: valueBytes, as: UTF8.self)
        else { return nil }
        return CookieLine(
            domain: domain, isHostOnly: isHostOnly, path: path, isSecure: isSecure, isHTTPOnly: isHTTPOnly,
            expires: expires.map { CookieLine.seconds($0.timeIntervalSince1970) }, name: name, value: value)
    }
}
