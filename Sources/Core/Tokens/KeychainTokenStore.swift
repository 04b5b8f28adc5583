// SPDX-License-Identifier: Apache-2.0

#if canImport(Security)
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif
import Security
import Synchronization

/// Keeps the login in the Keychain of Apple's platforms, readable after the first unlock and on this device alone.
///
/// Those who share the store in one process take turns. Apps that share an access group do not: a login that another has renewed is
/// read again before it is given up.
public final class KeychainTokenStore: TokenStore {
    private let service: String
    private let account: String
    private let accessGroup: String?
    // An update that finds nothing adds: two at once would add twice.
    private let lock = Mutex(())
    private let turns = Turnstile()

    /// - Parameters:
    ///   - service: what the login is for, such as the app's bundle identifier.
    ///   - account: tells logins of one service apart.
    ///   - accessGroup: shares the login among apps. Default: the app's own group.
    public init(service: String, account: String = "bearer", accessGroup: String? = nil) {
        self.service = service
        self.account = account
        self.accessGroup = accessGroup
    }

    /// - Throws: ``KeychainError``.
    public func load() throws -> Data? {
        var found: CFTypeRef?
        let question = item([kSecReturnData as String: true, kSecMatchLimit as String: kSecMatchLimitOne])
        let status = lock.withLock { _ in SecItemCopyMatching(question, &found) }
        if status == errSecItemNotFound { return nil }
        guard status == errSecSuccess, let data = found as? Data else { throw KeychainError(status: status) }
        return data
    }

    /// - Throws: ``KeychainError``.
    public func save(_ token: Data?) throws {
        let status = lock.withLock { _ in token.map(keep) ?? remove() }
        guard status == errSecSuccess else { throw KeychainError(status: status) }
    }

    public func exclusively<Result: Sendable>(
        _ work: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await turns.pass(work)
    }

    private func keep(_ data: Data) -> OSStatus {
        let content: [String: Any] = [
            kSecValueData as String: data,
            kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
        ]
        let status = SecItemUpdate(item([:]), NSDictionary(dictionary: content) as CFDictionary)
        return status == errSecItemNotFound ? SecItemAdd(item(content), nil) : status
    }

    private func remove() -> OSStatus {
        let status = SecItemDelete(item([:]))
        return status == errSecItemNotFound ? errSecSuccess : status
    }

    private func item(_ more: [String: Any]) -> CFDictionary {
        var item: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
            kSecAttrAccount as String: account,
        ]
        if let accessGroup { item[kSecAttrAccessGroup as String] = accessGroup }
        item.merge(more) { $1 }
        return NSDictionary(dictionary: item) as CFDictionary
    }
}

/// What the Keychain answered.
public struct KeychainError: DescribedError, Hashable {
    /// A code of `SecBase.h`, such as `errSecInteractionNotAllowed`.
    public let status: Int32

    public var description: String { "the Keychain answered \(status)" }
}
#endif
