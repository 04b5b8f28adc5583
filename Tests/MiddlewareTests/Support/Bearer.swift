// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import MiddlewareSupport
import StrataTesting

/// A server that refuses the old token.
enum Bearer {
    static let old = "Bearer \(Secret.token)"
    static let fresh = "Bearer \(Secret.freshToken)"

    /// Answers 200 to the fresh token alone.
    static func server(
        challenge: String = #"Bearer error="invalid_token""#,
        before: @escaping @Sendable (RecordedRequest) async -> Void = { _ in }
    ) -> ScriptedTransport {
        ScriptedTransport { request in
            await before(request)
            if request["authorization"] == fresh { return .text("ok") }
            return .text("who are you?", status: 401, fields: [.wwwAuthenticate: challenge])
        }
    }
}
