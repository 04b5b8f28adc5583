// SPDX-License-Identifier: Apache-2.0

/// All that a command line says: the call, over what it goes, and what is shown of it.
package struct Plan {
    package enum Task: Hashable {
        case send
        /// Prints the call as a command line of curl.
        case printCurl
        /// Prints the call as Swift.
        case printSwift
        /// Sends the lines of standard input as messages, and prints those that come.
        case talk
        case download(to: String?, continues: Bool)
    }

    package enum Transport: String, CaseIterable, Sendable {
        case curl, native, urlsession
    }

    /// What is written of an exchange, by HTTPie's letters.
    package enum Part: Character, CaseIterable {
        case requestHead = "H"
        case requestBody = "B"
        case responseHead = "h"
        case responseBody = "b"
        case metadata = "m"
    }

    package var call = Call()
    package var task = Task.send
    package var transport = Transport.curl
    package var recording: String?
    package var replayed: String?
    package var session: String?

    package var parts: Set<Part> = [.responseBody]
    /// Every exchange of the call is shown, with redirects and repetitions, and not the last alone.
    package var showsAll = false
    package var isIndented = false
    package var isColored = false
    package var streams = false
    package var explains = false
    package var showsSecrets = false
    package var checksStatus = false

    package init() {}

    package static func parts(_ letters: String) throws -> Set<Part> {
        try Set(
            letters.map { letter in
                guard let part = Part(rawValue: letter) else {
                    throw UsageError("`\(letter)` is none of H, B, h, b and m")
                }
                return part
            })
    }
}
