// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

extension HTTPField.Name {
    /// `Idempotency-Key`
    public static let idempotencyKey = known("Idempotency-Key")
    /// `X-Request-ID`
    public static let requestID = known("X-Request-ID")
    /// `X-API-Key`
    public static let apiKey = known("X-API-Key")

    /// A name that is written in the source; one with a character that is not allowed would never match anything.
    static func known(_ name: String) -> HTTPField.Name { HTTPField.Name(name) ?? .accept }
}
