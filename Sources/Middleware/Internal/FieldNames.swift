// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

extension HTTPField.Name {
    static let idempotencyKey = known("Idempotency-Key")
    static let requestID = known("X-Request-ID")
    static let apiKey = known("X-API-Key")
    static let traceparent = known("traceparent")
    static let authenticationInfo = known("Authentication-Info")

    /// A name that is written in the source; one with a character that is not allowed would never match anything.
    static func known(_ name: String) -> HTTPField.Name { HTTPField.Name(name) ?? .accept }
}
