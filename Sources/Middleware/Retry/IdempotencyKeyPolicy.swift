// SPDX-License-Identifier: Apache-2.0

/// Where an `Idempotency-Key` comes from (draft-ietf-httpapi-idempotency-key-header). It is sent without the quotes of that
/// draft, as servers take it.
public struct IdempotencyKeyPolicy: Sendable {
    enum Kind: Sendable {
        case asGiven
        case generated(@Sendable () -> String)
    }

    let kind: Kind

    /// From the caller, if at all.
    public static let asGiven = IdempotencyKeyPolicy(kind: .asGiven)
    /// Unless the caller set a key, one is made for each call, and kept over its attempts and redirects. Default: a
    /// random UUID. A key that no field can hold fails the call with `invalidRequest`.
    public static func generated(
        by make: @escaping @Sendable () -> String = { RandomIdentifier.uuid() }
    ) -> IdempotencyKeyPolicy {
        IdempotencyKeyPolicy(kind: .generated(make))
    }
}
