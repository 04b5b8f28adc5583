// SPDX-License-Identifier: Apache-2.0

/// Where a ``CredentialStore`` gets new credentials from: a token endpoint, a keychain, a person.
///
/// It is asked by one task at a time, unless ``CredentialStore/replace(with:)`` comes while it is. Requests that it
/// sends from that task are sent without the credential that it is asked for, also through a client that would add it;
/// those of other tasks need `RequestOptions.isAuthenticationExempt`. So do those of two sources of which each asks
/// through the other's store: their renewals might wait for each other.
public protocol CredentialSource: Sendable {
    /// - Parameter previous: the credential that has expired or was refused; `nil` when there never was one.
    /// - Throws: what every call that waits for the credential then throws.
    func credential(replacing previous: Credential?) async throws -> Credential
}

/// A source from a closure.
struct ClosureCredentialSource: CredentialSource {
    let refresh: @Sendable (Credential?) async throws -> Credential

    func credential(replacing previous: Credential?) async throws -> Credential {
        try await refresh(previous)
    }
}
