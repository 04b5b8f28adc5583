// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Synchronization

/// Holds the credential that calls share, and renews it once for all of them.
///
///     let store = CredentialStore(saved, renewAhead: .seconds(60)) { previous in try await logIn(again: previous) }
///     configuration.middleware = [RetryMiddleware(), BearerAuthMiddleware(store)]
///
/// However many calls find the credential expired or refused, one renewal is made. It runs in a task of the store's
/// own, which has no task-local values of a call. When a call is cancelled or its deadline passes, only that call stops
/// waiting. A refusal of a credential that has been replaced meanwhile renews nothing.
///
/// When a renewal fails, every call that waited for it throws its error, unless the call can still use the credential
/// it has. So do calls that come within `failureInterval` after the failure; the interval doubles with each further
/// failure, up to a minute.
public final class CredentialStore: Sendable {
    private enum Kind: Sendable {
        case fixed
        case provider(@Sendable () async throws -> String?)
        case source(any CredentialSource)
    }

    /// A credential and the number of its generation, by which the store knows which credential a server has refused.
    struct Snapshot: Sendable {
        let credential: Credential?
        let generation: Int
    }

    private struct State {
        var credential: Credential?
        /// How long before its expiry this credential is replaced; `nil` means the store's
        /// ``CredentialStore/renewAhead``.
        var renewAhead: Duration?
        var generation = 0
        /// Whether the server has refused the current credential.
        var isRefused = false
        var renewal: SharedResult<Snapshot>?
        var failures = 0
        var failure: (error: any Error, until: Duration)?
        var refusals = VainRenewals()

        var snapshot: Snapshot { Snapshot(credential: credential, generation: generation) }

        /// - Returns: the credential that counts now.
        mutating func end(_ renewal: SharedResult<Snapshot>) -> Snapshot {
            if self.renewal === renewal { self.renewal = nil }
            return snapshot
        }

        /// - Returns: the failure that is forgotten. It is an error of the source's own, and is to be released outside
        ///   of the lock.
        mutating func install(_ credential: Credential?, renewAhead: Duration? = nil) -> (any Error)? {
            self.credential = credential
            self.renewAhead = renewAhead
            generation += 1
            isRefused = false
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
    @TaskLocal private static var renewal: RenewalMark?
    private let kind: Kind
    private let onRenewal: (@Sendable (Credential) -> Void)?
    private let state: Mutex<State>

    private init(
        _ kind: Kind, initial: Credential?, renewAhead: Duration = .zero, failureInterval: Duration = .seconds(1),
        onRenewal: (@Sendable (Credential) -> Void)? = nil
    ) {
        self.kind = kind
        self.renewAhead = renewAhead
        self.failureInterval = failureInterval
        self.onRenewal = onRenewal
        state = Mutex(State(credential: initial))
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
    /// - `onRenewal`: told of each new credential, to keep it: an authorization server may accept a refresh token only once.
    public convenience init(
        _ initial: Credential? = nil, renewAhead: Duration = .zero, failureInterval: Duration = .seconds(1),
        source: any CredentialSource, onRenewal: (@Sendable (Credential) -> Void)? = nil
    ) {
        self.init(
            .source(source), initial: initial, renewAhead: renewAhead, failureInterval: failureInterval,
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

    /// The credential as it is now.
    public var credential: Credential? { state.withLock(\.credential) }

    /// Replaces the credential: by a new one after logging in, by `nil` after logging out. Earlier failures are
    /// forgotten. A renewal under way does not change the new credential, and calls that wait for that renewal go on
    /// with the new credential. A store with a provider asks its provider all the same.
    public func replace(with credential: Credential?) {
        let (overtaken, snapshot, _) = state.withLock { state in
            let forgotten = state.install(credential)
            state.refusals = VainRenewals()
            return (state.renewal.take(), state.snapshot, forgotten)
        }
        overtaken?.finish(.success(snapshot))
    }
}

extension CredentialStore {
    var canRenew: Bool {
        if case .fixed = kind { false } else { true }
    }

    /// Whether the request is made by the store's own source or provider, which would wait for itself.
    var isRenewingInThisTask: Bool { Self.renewal?.holds(self) == true }

    /// Whether the renewal is made by a source, so that a refused response is disposed of before the renewal is waited
    /// for. Otherwise that response may still be handed up.
    var renewsBySource: Bool {
        if case .source = kind { true } else { false }
    }

    /// The credential for a request that is about to be sent, renewed first when it must not be used any more.
    func current(for call: CallContext) async throws -> Snapshot {
        switch kind {
        case .fixed: return state.withLock(\.snapshot)
        case .provider(let provide):
            let token: String?
            do {
                token = try await marked(inside: Self.renewal) {
                    try await Self.token(from: provide, within: call.remaining)
                }
            } catch is CancellationError where !Task.isCancelled {
                throw Self.cancelledByItself
            }
            return Snapshot(credential: token.map { Credential(token: $0) }, generation: 0)
        case .source(let source):
            switch try state.withLock({ try plan(&$0, source, by: call.clock) }) {
            case .use(let snapshot): return snapshot
            case .wait(let renewal, let usable):
                do { return try await renewal.value(within: call.remaining) } catch {
                    // Renewed ahead of time without success: what there is still holds, unless it was refused meanwhile.
                    guard let usable, !(error is CancellationError), isCurrent(usable) else { throw error }
                    return usable
                }
            }
        }
    }

    private enum Plan {
        case use(Snapshot)
        /// Wait for the renewal; `otherwise` is what may be used if it fails.
        case wait(SharedResult<Snapshot>, otherwise: Snapshot?)
    }

    private func plan(_ state: inout State, _ source: any CredentialSource, by clock: any NetworkClock) throws -> Plan {
        func expires(within time: Duration) -> Bool {
            state.credential?.isExpiring(within: time, at: clock.date) ?? true
        }
        let usable = state.isRefused || expires(within: .zero) ? nil : state.snapshot
        if let usable, state.renewal == nil, !expires(within: state.renewAhead ?? renewAhead) { return .use(usable) }
        do {
            return .wait(try beginRenewal(&state, from: source, by: clock), otherwise: usable)
        } catch {
            guard let usable else { throw error }
            return .use(usable)
        }
    }

    /// Whether a refusal by a resource is worth a renewal: not within a minute after the resource has refused a fresh
    /// credential, and not within ``failureInterval`` after any resource has.
    func mayRenew(for resource: String, by clock: any NetworkClock) -> Bool {
        let now = clock.now
        return state.withLock { $0.refusals.allowRenewal(for: resource, at: now) }
    }

    /// Notes that a resource has refused a credential that was renewed for it.
    func noteVainRenewal(for resource: String, by clock: any NetworkClock) {
        let now = clock.now
        state.withLock { $0.refusals.add(resource, at: now, holding: failureInterval) }
    }

    /// Notes that a resource accepts the credential.
    ///
    /// - Parameter resource: asked for only if there is something to forget.
    func noteAcceptance(by resource: () -> String) {
        guard state.withLock({ !$0.refusals.isEmpty }) else { return }
        let resource = resource()
        state.withLock { $0.refusals.remove(resource) }
    }

    /// Notes that the server has refused a credential, so that the next request is not sent with it.
    func refuse(_ snapshot: Snapshot) {
        state.withLock { state in
            if state.generation == snapshot.generation { state.isRefused = true }
        }
    }

    /// Another credential in place of one that was refused; `nil` when there is none to be had.
    func renewed(after refused: Snapshot, for call: CallContext) async throws -> Snapshot? {
        switch kind {
        case .fixed: return nil
        case .provider:
            let again = try await current(for: call)
            return again.credential == nil || again.credential == refused.credential ? nil : again
        case .source(let source):
            let renewal = try state.withLock { state -> SharedResult<Snapshot>? in
                if state.generation == refused.generation { state.isRefused = true }
                guard state.isRefused else { return nil }
                return try beginRenewal(&state, from: source, by: call.clock)
            }
            return try await renewal?.value(within: call.remaining) ?? state.withLock(\.snapshot)
        }
    }

    /// The error when a source throws `CancellationError` of its own accord: the calls that wait for it have not been
    /// cancelled.
    private static var cancelledByItself: NetworkClientError {
        NetworkClientError(.internalFailure, "the source of credentials was cancelled", cause: CancellationError())
    }

    /// The token from a provider, which is cancelled when the call stops waiting for it.
    private static func token(
        from provide: @escaping @Sendable () async throws -> String?, within limit: Duration?
    ) async throws -> String? {
        try Task.checkCancellation()
        guard let limit else { return try await provide() }
        let result = SharedResult<String?>()
        let task = Task {
            do { result.finish(.success(try await provide())) } catch { result.finish(.failure(error)) }
        }
        defer { task.cancel() }
        return try await result.value(within: limit)
    }

    /// Does the work of a source or provider, whose own requests are sent without the credential.
    private func marked<Value>(
        inside outer: RenewalMark?, _ work: () async throws -> Value
    ) async rethrows -> Value {
        let mark = RenewalMark(self, inside: outer)
        defer { mark.end() }
        return try await Self.$renewal.withValue(mark) { try await work() }
    }

    private func isCurrent(_ snapshot: Snapshot) -> Bool {
        state.withLock { $0.generation == snapshot.generation && !$0.isRefused }
    }

    /// The renewal that is under way, or a new one.
    ///
    /// - Throws: the last failure, while it is remembered; `CancellationError` when the call is cancelled already,
    ///   because a renewal that it began would go on without it.
    private func beginRenewal(
        _ state: inout State, from source: any CredentialSource, by clock: any NetworkClock
    ) throws -> SharedResult<Snapshot> {
        if let renewal = state.renewal { return renewal }
        if let failure = state.failure, clock.now < failure.until { throw failure.error }
        try Task.checkCancellation()
        let renewal = SharedResult<Snapshot>()
        state.renewal = renewal
        let before = state.snapshot
        Task.detached { [self, outer = Self.renewal] in
            let result: Result<Credential, any Error>
            do {
                result = .success(
                    try await marked(inside: outer) { try await source.credential(replacing: before.credential) })
            } catch is CancellationError {
                result = .failure(Self.cancelledByItself)
            } catch {
                result = .failure(error)
            }
            finish(renewal, of: before, result, by: clock)
        }
        return renewal
    }

    private func finish(
        _ renewal: SharedResult<Snapshot>, of before: Snapshot, _ result: Result<Credential, any Error>,
        by clock: any NetworkClock
    ) {
        let (interval, date) = (failureInterval, clock.date)
        typealias End = (Result<Snapshot, any Error>, isInstalled: Bool, forgotten: (any Error)?)
        let (outcome, isInstalled, _) = state.withLock { state -> End in
            // Replaced meanwhile by hand: that one counts.
            guard state.generation == before.generation else { return (.success(state.end(renewal)), false, nil) }
            switch result {
            case .success(let credential):
                // A credential that lives shorter than `renewAhead` would otherwise be renewed by every call.
                let lifetime = credential.expiry.map { Duration.time(until: $0, from: date) }
                let forgotten = state.install(credential, renewAhead: lifetime.map { min(renewAhead, $0 / 2) })
                return (.success(state.snapshot), true, forgotten)
            case .failure(let error):
                let hold = interval < .seconds(60) ? min(interval * (1 << state.failures), .seconds(60)) : interval
                state.failures = min(state.failures + 1, 6)
                let forgotten = state.failure?.error
                state.failure = (error, until: clock.now + hold)
                _ = state.end(renewal)
                return (.failure(error), false, forgotten)
            }
        }
        guard isInstalled, case .success(let credential) = result else { return renewal.finish(outcome) }
        // Told before any call goes on with the credential, and before the next renewal.
        onRenewal?(credential)
        renewal.finish(.success(state.withLock { $0.end(renewal) }))
    }
}
