// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
import StrataCore

extension HTTPField.Name {
    /// `Idempotency-Key`
    public static let idempotencyKey = known("Idempotency-Key")
    /// `X-Request-ID`
    public static let requestID = known("X-Request-ID")
    /// `X-API-Key`
    public static let apiKey = known("X-API-Key")
}
