// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Keeps the login in a file that its owner alone may read and write (mode 0600).
///
/// The file appears whole or not at all: it is written beside its place, with its mode from the first byte, and then moved
/// there. Processes and stores that share it take turns by a lock on a file beside it (`NAME.lock`), which the system
/// gives up for a process that ends.
public final class FileTokenStore: TokenStore {
    private let path: String
    /// How long another may hold the lock.
    private let patience: Duration
    private let turns = Turnstile()

    /// - Parameter file: its folder has to exist.
    public init(_ file: URL) {
        path = file.path
        patience = .seconds(120)
    }

    package init(_ file: URL, patience: Duration) {
        path = file.path
        self.patience = patience
    }

    /// - Throws: a `POSIXError`.
    public func load() throws -> Data? { try PrivateFile.read(path) }

    /// - Throws: a `POSIXError`.
    public func save(_ token: Data?) throws {
        if let token { try PrivateFile.write(token, to: path) } else { try PrivateFile.remove(path) }
    }

    /// - Throws: what the work throws; `CancellationError`; a `POSIXError`, which is `ETIMEDOUT` when another has held the lock
    ///   for two minutes.
    public func exclusively<Result: Sendable>(
        _ work: @Sendable () async throws -> Result
    ) async throws -> Result {
        try await turns.pass {
            let lock = try await FileLock.acquire("\(path).lock", within: patience)
            defer { lock.release() }
            return try await work()
        }
    }
}
