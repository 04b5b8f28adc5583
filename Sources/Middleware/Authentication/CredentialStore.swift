// SPDX-License-Identifier: Apache-2.0

public import StrataCore
import Synchronization

/// Holds the credential that calls share, and renews it once for all of them.
///
///     let store = CredentialStore(
///         storage: FileTokenStore(file), renewAhead: .seconds(60), source: endpoint.refreshToken())
///     configuration.middleware = [RetryMiddleware(), BearerAuthMiddleware(store)]
///     …
///     try await store.replace(with: credential)  // signed in
///     for await end in store.sessionEnds { showSignIn() }
///
/// However many calls find the credential expired or refused, one renewal is made. It runs in a task of the store's
/// own, which has no task-local values of a call. When a call is cancelled or its deadline passes, only that call stops
/// waiting. A refusal of a credential that has been replaced meanwhile renews nothing.
///
/// When a renewal fails, every call that waited for it throws its error, unless the call can still use the credential
/// it has. So do calls that come within `failureInterval` after the failure; the interval doubles with each further
/// failure, up to a minute. When the server says that the login is worth nothing any more (`invalid_grant`), the session is
/// over: calls fail with `NetworkClientError.Code.signedOut`, without asking anybody, until ``replace(with:)``.
///
/// With a `storage`, a renewed credential is saved before any call uses it. One that cannot be saved is kept in memory, and saving
/// it is tried again in place of another renewal. Stores and processes that share a `FileTokenStore` renew one at a time,
/// and read before they renew what another has renewed. What is left is the moment between the server's answer and the end of
/// saving: when the process dies in it, the storage has the refresh token that has been used. A server that accepts it once
/// more goes on; for one that does not, the session is over.
public final class CredentialStore: Sendable {
    enum Kind: Sendable {
        case fixed
        case provider(@Sendable () async throws -> String?)
        case source(any CredentialSource)
    }

    /// A credential and the number of its generation, by which the store knows which credential a server has refused.
    struct Snapshot: Sendable {
        let credential: Credential?
        let generation: Int
    }

    struct Renewal {
        let result: SharedResult<Snapshot>
        let task: Task<Void, Never>
    }

    struct State {
        var credential: Credential?
        /// How long before its expiry this credential is replaced; `nil` means the store's
        /// ``CredentialStore/renewAhead``.
        var renewAhead: Duration?
        var generation = 0
        /// Whether the server has refused the current credential.
        var isRefused = false
        var renewal: Renewal?
        var failures = 0
        var failure: (error: any Error, until: Duration)?
        var refusals = VainRenewals()
        /// Whether the storage has been read, or overtaken.
        var isLoaded: Bool
        /// A renewed credential that could not be kept yet.
        var unkept: Credential?
        /// Why there is no session.
        var end: NetworkClientError?
        var listeners: [UInt64: @Sendable (NetworkClientError) -> Void] = [:]
        var lastListener: UInt64 = 0

        init(_ credential: Credential?, isLoaded: Bool) {
            self.credential = credential
            self.isLoaded = isLoaded
        }

        var snapshot: Snapshot { Snapshot(credential: credential, generation: generation) }

        /// - Returns: the credential that counts now.
        mutating func end(_ renewal: SharedResult<Snapshot>) -> Snapshot {
            if self.renewal?.result === renewal { self.renewal = nil }
            return snapshot
        }

        /// - Returns: the failure that is forgotten. It is an error of the source's own, and is to be released outside
        ///   of the lock.
        mutating func install(_ credential: Credential?, renewAhead: Duration? = nil) -> (any Error)? {
            self.credential = credential
            self.renewAhead = renewAhead
            generation += 1
            isRefused = false
            isLoaded = true
            unkept = nil
            end = nil
            failures = 0
            return failure.take()?.error
        }
    }

    /// How long before its expiry a credential is replaced. Default: not before it has expired. A credential that came
    /// from a renewal is kept for half of its lifetime at least.
    package let renewAhead: Duration
    /// How long after a failed renewal calls get its error, and no new attempt is made. Default: one second.
    package let failureInterval: Duration
    /// The stores whose source or provider is at work in this task.
    @TaskLocal static var renewal: RenewalMark?
    let kind: Kind
    let storage: (any TokenStore)?
    let onRenewal: (@Sendable (Credential) async throws -> Void)?
    let turns = Turnstile()
    let state: Mutex<State>

    private init(
        _ kind: Kind, initial: Credential?, storage: (any TokenStore)? = nil, renewAhead: Duration = .zero,
        failureInterval: Duration = .seconds(1), onRenewal: (@Sendable (Credential) async throws -> Void)? = nil
    ) {
        self.kind = kind
        self.renewAhead = renewAhead
        self.failureInterval = failureInterval
        self.onRenewal = onRenewal
        self.storage = storage
        state = Mutex(State(initial, isLoaded: storage == nil))
    }

    /// A token that stays as it is.
    public convenience init(token: String) {
        self.init(.fixed, initial: Credential(token: token))
    }

    /// A store that asks `provider` for the token of each request. When the provider returns `nil`, the request is sent
    /// without a credential.
    ///
    /// When the server refuses the token, the provider is asked again, and the request is repeated if it returns
    /// another token. A call waits for it until its deadline at most; cancelling the call cancels the provider.
    /// Requests that the provider sends itself are sent without the token.
    public convenience init(provider: @escaping @Sendable () async throws -> String?) {
        self.init(.provider(provider), initial: nil)
    }

    /// A credential that is renewed when it expires or is refused.
    ///
    /// - `initial`: the credential that there is already; without one, the first call gets it from the source.
    /// - `onRenewal`: told of each new credential, to keep it before it is used. When it throws, the calls that wait for the
    ///   credential do, and it is told of it again at the next attempt.
    public convenience init(
        _ initial: Credential? = nil, renewAhead: Duration = .zero, failureInterval: Duration = .seconds(1),
        source: any CredentialSource, onRenewal: (@Sendable (Credential) async throws -> Void)? = nil
    ) {
        self.init(
            .source(source), initial: initial, renewAhead: renewAhead, failureInterval: failureInterval,
            onRenewal: onRenewal)
    }

    /// A credential that outlives the process: it is read from `storage` when it is needed first, and saved there.
    ///
    /// - `onRenewal`: told of each new credential when it has been saved.
    public convenience init(
        storage: any TokenStore, renewAhead: Duration = .zero, failureInterval: Duration = .seconds(1),
        source: any CredentialSource, onRenewal: (@Sendable (Credential) async throws -> Void)? = nil
    ) {
        self.init(
            .source(source), initial: nil, storage: storage, renewAhead: renewAhead, failureInterval: failureInterval,
            onRenewal: onRenewal)
    }

    /// A credential that is renewed by a closure, which gets the one to be replaced.
    public convenience init(
        _ initial: Credential? = nil, renewAhead: Duration = .zero, failureInterval: Duration = .seconds(1),
        refresh: @escaping @Sendable (Credential?) async throws -> Credential
    ) {
        self.init(
            initial, renewAhead: renewAhead, failureInterval: failureInterval,
            source: ClosureCredentialSource(refresh: refresh))
    }

    /// The credential as it is in memory now; see ``load()``.
    public var credential: Credential? { state.withLock(\.credential) }
}
