// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Synchronization

/// Using the credential, and renewing it.
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
        case .fixed: return try state.withLock { try $0.checkSession() }
        case .provider(let provide):
            _ = try state.withLock { try $0.checkSession() }
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
            try await load()
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
                _ = try state.checkSession()
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
        return try await Self.$renewal.withValue(mark) {
            try await CallGate.$servesACall.withValue(true) { try await work() }
        }
    }

    private func isCurrent(_ snapshot: Snapshot) -> Bool {
        state.withLock { $0.generation == snapshot.generation && !$0.isRefused }
    }

    /// The renewal that is under way, or a new one.
    ///
    /// - Throws: the end of the session; the last failure, while it is remembered; `CancellationError` when the call is
    ///   cancelled already, because a renewal that it began would go on without it.
    private func beginRenewal(
        _ state: inout State, from source: any CredentialSource, by clock: any NetworkClock
    ) throws -> SharedResult<Snapshot> {
        let before = try state.checkSession()
        if let renewal = state.renewal { return renewal.result }
        if let failure = state.failure, clock.now < failure.until { throw failure.error }
        try Task.checkCancellation()
        let renewal = SharedResult<Snapshot>()
        let task = Task.detached { [self, outer = Self.renewal, unkept = state.unkept] in
            let result: Result<Credential, any Error>
            do {
                result = .success(try await renew(before, or: unkept, from: source, inside: outer, by: clock))
            } catch is CancellationError {
                result = .failure(Self.cancelledByItself)
            } catch {
                result = .failure(error)
            }
            finish(renewal, of: before, result, by: clock)
        }
        state.renewal = Renewal(result: renewal, task: task)
        return renewal
    }

    /// A new credential, which has been kept.
    ///
    /// - Parameter unkept: one that is new already, and could not be kept.
    /// - Throws: `signedOut` when the session is over.
    private func renew(
        _ before: Snapshot, or unkept: Credential?, from source: any CredentialSource, inside outer: RenewalMark?,
        by clock: any NetworkClock
    ) async throws -> Credential {
        try await exclusively {
            let stored = try await storage?.load(as: Credential.self)
            if storage != nil {
                if let stored, isOfAnother(stored, than: before.credential, at: clock) { return stored }
                if stored == nil, before.credential != nil, unkept == nil {
                    throw NetworkClientError(.signedOut, "signed out by another who shares the storage")
                }
            }
            let previous = storage == nil ? before.credential : stored
            do {
                return try await marked(inside: outer) {
                    let credential =
                        if let unkept { unkept } else { try await source.credential(replacing: previous) }
                    return try await keep(credential, of: before)
                }
            } catch {
                guard let end = Self.end(error, of: previous) else { throw error }
                // Where a storage has no lock, another may have renewed with the same refresh token, and been faster.
                let now = try? await storage?.load(as: Credential.self)
                if let now, isOfAnother(now, than: previous, at: clock) { return now }
                // It is worth nothing. If it stays there, it is refused again after the next start.
                if isCurrent(before.generation) { try? await storage?.save(nil) }
                throw end
            }
        }
    }

    /// Whether another has put it there, and it is good for something.
    private func isOfAnother(_ stored: Credential, than known: Credential?, at clock: any NetworkClock) -> Bool {
        stored != known && !stored.isExpiring(within: .zero, at: clock.date)
    }

    /// Saves a new credential, unless it is out of date already.
    private func keep(_ credential: Credential, of before: Snapshot) async throws -> Credential {
        let isCurrent = state.withLock { state in
            guard state.generation == before.generation else { return false }
            state.unkept = credential
            return true
        }
        guard isCurrent else { return credential }
        try await storage?.save(json: credential)
        try await onRenewal?(credential)
        return credential
    }

    /// The end of the session, when that is what the error of a source means.
    private static func end(_ error: any Error, of previous: Credential?) -> NetworkClientError? {
        if let error = error as? NetworkClientError { return error.code == .signedOut ? error : nil }
        guard previous != nil, let refusal = error as? any SessionRefusal, refusal.refusesSession else { return nil }
        return NetworkClientError(.signedOut, "the session is over, sign in again: \(error)", cause: error)
    }

    private func isCurrent(_ generation: Int) -> Bool { state.withLock { $0.generation == generation } }

    private func finish(
        _ renewal: SharedResult<Snapshot>, of before: Snapshot, _ result: Result<Credential, any Error>,
        by clock: any NetworkClock
    ) {
        let (interval, date) = (failureInterval, clock.date)
        typealias End = (Result<Snapshot, any Error>, end: NetworkClientError?, forgotten: (any Error)?)
        let (outcome, end, _) = state.withLock { state -> End in
            // Replaced meanwhile by hand: that one counts.
            guard state.generation == before.generation else { return (.success(state.end(renewal)), nil, nil) }
            switch result {
            case .success(let credential):
                // A credential that lives shorter than `renewAhead` would otherwise be renewed by every call.
                let lifetime = credential.expiry.map { Duration.time(until: $0, from: date) }
                let forgotten = state.install(credential, renewAhead: lifetime.map { min(renewAhead, $0 / 2) })
                return (.success(state.end(renewal)), nil, forgotten)
            case .failure(let error as NetworkClientError) where error.code == .signedOut:
                let forgotten = state.install(nil)
                state.end = error
                _ = state.end(renewal)
                return (.failure(error), error, forgotten)
            case .failure(let error as NetworkClientError) where error.code.isRefusalOfClient && error.isUnprocessed:
                // A limit or a breaker of the client's own has kept its request from the source.
                _ = state.end(renewal)
                return (.failure(error), nil, nil)
            case .failure(let error):
                let hold = max(interval, min(interval * (1 << state.failures), .seconds(60)))
                state.failures = min(state.failures + 1, 6)
                let forgotten = state.failure?.error
                state.failure = (error, until: clock.now + hold)
                _ = state.end(renewal)
                return (.failure(error), nil, forgotten)
            }
        }
        if let end { tell(end) }
        renewal.finish(outcome)
    }
}

extension CredentialStore.State {
    /// - Throws: the end of the session, if it is over.
    func checkSession() throws -> CredentialStore.Snapshot {
        if let end { throw end }
        return snapshot
    }
}
