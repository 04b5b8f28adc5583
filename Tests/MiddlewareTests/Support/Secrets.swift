// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

/// The secrets that the tests of this module put into requests, and the search for them in everything that is written.
///
/// Every client and every log handler of the suite hands what it sees to `Leaks.check`.
enum Secret {
    static let token = "s3cr3t-token-A"
    static let freshToken = "s3cr3t-token-B"
    static let refreshToken = "s3cr3t-refresh"
    static let password = "s3cr3t-password"
    static let apiKey = "s3cr3t-api-key"
    static let cookie = "s3cr3t-cookie"
    static let clientSecret = "s3cr3t-client"

    /// What all of them begin with.
    static let mark = "s3cr3t"
    /// The same in Base64, behind `me:`.
    static let encodedMark = "czNjcjN0"
}

enum Leaks {
    private static let count = Mutex(0)

    /// How many texts have been searched.
    static var searched: Int { count.withLock { $0 } }

    static func contains(_ text: String) -> Bool {
        text.contains(Secret.mark) || text.contains(Secret.encodedMark)
    }

    /// Records an issue when a secret is in the text.
    static func check(_ text: String, _ what: String, _ location: SourceLocation = #_sourceLocation) {
        count.withLock { $0 += 1 }
        #expect(!contains(text), "a secret is in \(what)", sourceLocation: location)
    }
}
