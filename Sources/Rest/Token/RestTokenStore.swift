// SPDX-License-Identifier: Apache-2.0

/// Where the bearer token of ``Rest`` properties is kept.
///
/// What it throws is the request's failure, as ``RestQueryError/other(_:)``.
public protocol RestTokenStore: Sendable {
    /// The stored token, `nil` when there is none. One without a value counts as none.
    func token() throws -> RestBearerToken?
    /// Replaces the stored token; `nil` removes it.
    func store(_ token: RestBearerToken?) throws
}
