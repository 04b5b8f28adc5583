// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

extension HTTPField.Name {
    /// `Idempotency-Key`
    public static let idempotencyKey = known("Idempotency-Key")
    /// `X-Request-ID`
    public static let requestID = known("X-Request-ID")
    /// `X-API-Key`
    public static let apiKey = known("X-API-Key")

    /// A name that is written in the source.
    static func known(_ name: StaticString) -> HTTPField.Name {
        guard let known = HTTPField.Name("\(name)") else { preconditionFailure("\(name) is no field name") }
        return known
    }
}
