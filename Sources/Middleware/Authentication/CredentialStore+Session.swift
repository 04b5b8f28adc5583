// SPDX-License-Identifier: Apache-2.0

public import StrataCore
import Synchronization

/// Signing in and out, and the end of a session.
extension CredentialStore {
    /// The credential, read from the storage when that has not been done yet; `nil` when nobody is signed in.
    ///
    /// - Throws: what the storage throws; a `DecodingError` when it has something else.
    @discardableResult
    public func load() async throws -> Credential? {
        guard let storage, !state.withLock(\.isLoaded) else { return credential }
        let stored = try await storage.load(as: Credential.self)
        let (credential, _) = state.withLock { state in
            // Somebody has signed in or out meanwhile.
            let forgotten = state.isLoaded ? nil : state.install(stored)
            return (state.credential, forgotten)
        }
        return credential
    }

    /// Replaces the credential, after a person has signed in for example; `nil` has the source asked for the next one. It is saved
    /// before it is used.
    ///
    /// Earlier failures are forgotten, and so is the end of a session. A renewal under way does not change the new credential, and
    /// calls that wait for that renewal go on with the new credential. A store with a provider asks its provider all the same.
    ///
    /// - Throws: what the storage throws; the credential is the old one then.
    public func replace(with credential: Credential?) async throws {
        if let storage { try await exclusively { try await storage.save(json: credential) } }
        let (overtaken, snapshot, _) = state.withLock { state in
            let forgotten = state.install(credential)
            state.refusals = VainRenewals()
            return (state.renewal.take(), state.snapshot, forgotten)
        }
        overtaken?.result.finish(.success(snapshot))
    }

    /// Forgets the credential, in the storage too. Calls fail with `NetworkClientError.Code.signedOut` until ``replace(with:)``,
    /// and so do those that wait for a renewal, which is cancelled.
    ///
    /// The server is not told (RFC 7009).
    ///
    /// - Throws: what the storage throws. The store is signed out all the same, and the storage may still have the credential.
    public func signOut() async throws {
        let end = NetworkClientError(.signedOut, "signed out")
        let (overtaken, generation, _) = state.withLock { state in
            let forgotten = state.install(nil)
            state.end = end
            return (state.renewal.take(), state.generation, forgotten)
        }
        overtaken?.task.cancel()
        overtaken?.result.finish(.failure(end))
        tell(end)
        guard let storage else { return }
        try await exclusively {
            // Unless somebody has signed in meanwhile.
            if state.withLock({ $0.generation == generation }) { try await storage.save(nil) }
        }
    }

    /// The ends of sessions from now on, as they come: because the server does not accept the login any more, which is then the
    /// error's cause, or by ``signOut()``. Each call makes a sequence of its own.
    public var sessionEnds: AsyncStream<NetworkClientError> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let number = listen { continuation.yield($0) }
            continuation.onTermination = { [weak self] _ in
                _ = self?.state.withLock { $0.listeners.removeValue(forKey: number) }
            }
        }
    }

    /// The same for a closure, which is called as long as there is the store.
    public func onSessionEnd(_ action: @escaping @Sendable (NetworkClientError) -> Void) { _ = listen(action) }

    private func listen(_ action: @escaping @Sendable (NetworkClientError) -> Void) -> UInt64 {
        state.withLock { state in
            state.lastListener += 1
            state.listeners[state.lastListener] = action
            return state.lastListener
        }
    }

    func tell(_ end: NetworkClientError) {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener(end) }
    }

    /// Works on what is stored while nobody else does. The store's own source has its turn already.
    func exclusively<Result: Sendable>(_ work: @Sendable () async throws -> Result) async throws -> Result {
        guard let storage, !isRenewingInThisTask else { return try await work() }
        return try await turns.pass { try await storage.exclusively(work) }
    }
}

/// An error of a source that may mean that a login is worth nothing any more.
package protocol SessionRefusal: Error {
    var refusesSession: Bool { get }
}
