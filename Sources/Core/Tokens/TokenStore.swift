// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Where one login is kept: a `CredentialStore` or the properties of `@Rest` read and write it, as JSON.
///
///     let store = CredentialStore(storage: FileTokenStore(file), source: endpoint.refreshToken())
///     RestConfiguration.shared.tokenStore = KeychainTokenStore(service: "com.example.app")
///
/// What a store throws is thrown by the call that needed it.
public protocol TokenStore: Sendable {
    /// What is kept; `nil` when there is nothing.
    func load() async throws -> Data?
    /// Replaces what is kept, as a whole; `nil` removes it. Returns when it would survive the end of the process.
    func save(_ token: Data?) async throws
    /// Does work while nobody else does work on the same login, in this process or another. Default: does the work at once.
    func exclusively<Result: Sendable>(
        _ work: @Sendable () async throws -> Result
    ) async throws -> Result
}

extension TokenStore {
    public func exclusively<Result: Sendable>(
        _ work: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await work()
    }

    /// What is kept, read as JSON.
    package func load<Token: Decodable>(as type: Token.Type) async throws -> Token? {
        try await load().map { try JSONDecoder().decodeReceived(type, from: $0) }
    }

    package func save(json token: (some Encodable)?) async throws {
        try await save(token.map { try JSONEncoder().encode($0) })
    }
}
