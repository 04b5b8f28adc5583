// SPDX-License-Identifier: Apache-2.0

/// Where a ``CredentialStore`` gets new credentials from: a token endpoint, a keychain, a person.
///
/// One task at a time asks the source, except when ``CredentialStore/replace(with:)`` is called meanwhile.
///
/// A source may send its requests through the client that adds its credential: requests from the task that asks the
/// source are sent without that credential. Requests from other tasks need `RequestOptions.isAuthenticationExempt`. So
/// do the requests of two sources that each send through the other's store, because their renewals might wait for each
/// other.
public protocol CredentialSource: Sendable {
    /// - Parameter previous: the credential that has expired or was refused; `nil` when there never was one.
    /// - Throws: what every call that waits for the credential then throws.
    func credential(replacing previous: Credential?) async throws -> Credential
}

/// A source from a closure.
package struct ClosureCredentialSource: CredentialSource {
    private let refresh: @Sendable (Credential?) async throws -> Credential

    package init(refresh: @escaping @Sendable (Credential?) async throws -> Credential) {
        self.refresh = refresh
    }

    package func credential(replacing previous: Credential?) async throws -> Credential {
        try await refresh(previous)
    }
}
