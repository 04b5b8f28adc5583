// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Cookies as JSON: what a jar is encoded as.
struct CookieList: Codable {
    let cookies: [Cookie]
}

/// The file of a jar.
final class CookieFile: Sendable {
    let onFailure: (@Sendable (any Error) -> Void)?
    private let path: String
    private let keepsSessionCookies: Bool
    /// How many changes of the jar the file has. Held while it is written, so that an older state never replaces a newer one.
    private let written = Mutex(0)

    init(path: String, keepsSessionCookies: Bool, onFailure: (@Sendable (any Error) -> Void)?) {
        self.path = path
        self.keepsSessionCookies = keepsSessionCookies
        self.onFailure = onFailure
    }

    func load() throws -> [Cookie] {
        guard let data = try PrivateFile.read(path) else { return [] }
        return try JSONDecoder().decodeReceived(CookieList.self, from: data).cookies
    }

    /// - Parameter state: the cookies, and the count of the changes that led to them.
    func save(_ state: () -> (cookies: [Cookie], changes: Int)) throws {
        try written.withLock { written in
            let (cookies, changes) = state()
            guard changes > written else { return }
            let kept = keepsSessionCookies ? cookies : cookies.filter { $0.expires != nil }
            try PrivateFile.write(JSONEncoder().encode(CookieList(cookies: kept)), to: path)
            written = changes
        }
    }
}
