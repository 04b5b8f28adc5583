// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import Synchronization

/// The circuits of a ``CircuitBreakerMiddleware``.
final class CircuitBreaker: Sendable {
    /// A call that was let through.
    struct Pass: Sendable {
        fileprivate let place: Int
        fileprivate let circuit: Circuit.Pass
        /// How many exchanges the call had had.
        fileprivate let earlierAttempts: Int
    }

    /// Until when the circuit lets nothing through, by the call's clock: for the retries of the same call.
    enum OpenUntil: RequestAttributeKey {
        static let defaultValue: Duration? = nil
    }

    let listeners = Listeners<CircuitChange>()
    private let scope: LoadScope
    /// `nil`: the rule below.
    private let ownRule: (@Sendable (Result<HTTPResponse, any Error>) -> Bool)?
    private let state: Mutex<State>

    private struct State {
        var table: LoadTable<Circuit>
        /// What the listeners have not been told yet, in order.
        var changes: [CircuitChange] = []
        var isTelling = false

        subscript(place: Int) -> Circuit {
            _read { yield table[place] }
            _modify { yield &table[place] }
        }
    }

    init(
        _ thresholds: CircuitBreakerMiddleware.Thresholds, scope: LoadScope,
        isFailure: (@Sendable (Result<HTTPResponse, any Error>) -> Bool)?
    ) {
        self.scope = scope
        ownRule = isFailure
        state = Mutex(State(table: LoadTable(scope, new: Circuit(thresholds))))
    }

    var underWay: (calls: Int, probes: Int) {
        state.withLock { state in
            state.table.all.reduce((0, 0)) { ($0.0 + $1.callsUnderWay, $0.1 + $1.probesUnderWay) }
        }
    }

    /// How many circuits are in each state: those of the server of a change, where each origin has one, or all.
    func counts(with change: CircuitChange) -> CircuitCounts {
        var counts = CircuitCounts()
        if case .origin = scope.kind { counts.server = change.origin }
        state.withLock { state in
            if let server = counts.server {
                for circuit in state.table.all(ofServer: server) { counts.circuits[circuit.state, default: 0] += 1 }
            } else {
                for circuit in state.table.all { counts.circuits[circuit.state, default: 0] += 1 }
            }
        }
        return counts
    }

    /// What counts as a failure of the server.
    private func isFailure(_ response: HTTPResponse) -> Bool {
        ownRule?(.success(response)) ?? (response.status.code >= 500)
    }

    /// What counts as one of the server, or of the way to it.
    private func isFailure(_ error: any Error) -> Bool {
        if let ownRule { return ownRule(.failure(error)) }
        guard let error = error as? NetworkClientError else { return false }
        switch error.code {
        case .dnsFailed, .cannotConnect, .tlsFailed, .proxyFailed, .connectionLost, .protocolViolation, .timedOut,
            .internalFailure:
            return true
        case .unacceptableStatus: return error.response.map { $0.status.code >= 500 } ?? false
        default: return false
        }
    }

    /// What an error says of the server.
    private func outcome(of error: any Error) -> Circuit.Outcome {
        if error is CancellationError || (error as? NetworkClientError)?.code == .cancelled { return .none }
        if isFailure(error) { return .failure }
        // It has answered, and a layer further in did not like the answer.
        return (error as? NetworkClientError)?.response != nil || error is RetryAfterError ? .success : .none
    }

    // MARK: Calls

    /// - Throws: `circuitOpen`.
    func admit(_ request: TransportRequest) throws(NetworkClientError) -> Pass {
        let key = scope.key(of: request)
        let attempts = request.call?.attemptCount ?? 0
        let free = state.withLock { state -> Pass? in
            let place = state.table.place(of: request, key: key)
            return state[place].passIfClosed().map { Pass(place: place, circuit: $0, earlierAttempts: attempts) }
        }
        return if let free { free } else { try admitOrRefuse(request, key, attempts) }
    }

    @inline(never)
    private func admitOrRefuse(
        _ request: TransportRequest, _ key: String?, _ attempts: Int
    ) throws(NetworkClientError) -> Pass {
        let (pass, place) = change(
            { $0.table.place(of: request, key: key) }, origin: request.origin, request.call
        ) { circuit in
            circuit.admit(request.call.map(ObjectIdentifier.init)) { (request.call?.clock ?? SystemClock()).now }
        }
        guard let pass else { throw refusal(of: request, place) }
        return Pass(place: place, circuit: pass, earlierAttempts: attempts)
    }

    /// For a request that was let through, and has waited since.
    ///
    /// - Throws: `circuitOpen`.
    func checkAgain(_ request: TransportRequest) throws(NetworkClientError) {
        let key = scope.key(of: request)
        let (place, isRefused) = state.withLock { state in
            let place = state.table.place(of: request, key: key)
            return (place, state[place].hasTurnedAgainst(request.call.map(ObjectIdentifier.init)))
        }
        if isRefused { throw refusal(of: request, place) }
    }

    @inline(never)
    private func refusal(of request: TransportRequest, _ place: Int) -> NetworkClientError {
        let end = state.withLock { $0[place].openUntil }
        let server = request.origin.map { "of \($0) " } ?? ""
        let now = (request.call?.clock ?? SystemClock()).now
        let rest = end.map { "for another \(max($0 - now, .zero).brief)" } ?? "while others try the server"
        return NetworkClientError(.circuitOpen, "the circuit \(server)is open \(rest)")
    }

    /// The head is there.
    func end(_ pass: Pass, _ request: TransportRequest, _ response: inout TransportResponse) {
        // If nothing was sent, a cache further in has answered, or another layer.
        let outcome: Circuit.Outcome =
            !wasSent(request, pass) ? .none : isFailure(response.head) ? .failure : .success
        let isOver = response.body.isWhole
        let step = end(pass, request, outcome, isOver: isOver)
        if !isOver { leave(pass, request, &response, outcome, step) }
    }

    /// When the body is over.
    ///
    /// - Parameter step: counts a success by the head.
    @inline(never)
    private func leave(
        _ pass: Pass, _ request: TransportRequest, _ response: inout TransportResponse, _ outcome: Circuit.Outcome,
        _ step: OutcomeWindow.StepNumber?
    ) {
        let (call, origin) = (request.call, request.origin)
        response.observeBody(onPiece: { _ in }) { [self] end in
            var failure: Duration?
            if case .failed(let error) = end, outcome == .success, self.outcome(of: error) == .failure {
                failure = (call?.clock ?? SystemClock()).now
            }
            _ = change({ _ in pass.place }, origin: origin, failure == nil ? nil : call) { circuit in
                if outcome == .success { circuit.endBody(pass.circuit, countedIn: step, failure: failure) }
                circuit.leave()
            }
        }
    }

    func end(_ pass: Pass, _ request: TransportRequest, _ error: any Error) {
        let isOfClient = (error as? NetworkClientError)?.code.isRefusalOfClient == true
        let outcome = isOfClient || !wasSent(request, pass) ? .none : outcome(of: error)
        end(pass, request, outcome, isOver: true)
    }

    private func wasSent(_ request: TransportRequest, _ pass: Pass) -> Bool {
        request.call.map { $0.attemptCount > pass.earlierAttempts } ?? true
    }

    /// - Returns: the step of the window that counts a success.
    @discardableResult
    private func end(
        _ pass: Pass, _ request: TransportRequest, _ outcome: Circuit.Outcome, isOver: Bool
    ) -> OutcomeWindow.StepNumber? {
        let now = (request.call?.clock ?? SystemClock()).now
        if outcome == .success,
            let step = state.withLock({ $0[pass.place].succeedIfClosed(pass.circuit, at: now, isOver: isOver) })
        {
            return step
        }
        _ = change({ _ in pass.place }, origin: request.origin, outcome == .failure ? request.call : nil) { circuit in
            if outcome == .success, !isOver {
                circuit.answer(pass.circuit, at: now)
            } else {
                circuit.judge(pass.circuit, outcome, at: now)
            }
            if isOver { circuit.leave() }
        }
        return nil
    }

    // MARK: Changes

    /// - Parameters:
    ///   - find: where the circuit is.
    ///   - origin: asked for when the state changes.
    ///   - call: one that has failed, or is refused: it learns until when nothing is let through, whoever has found that.
    @inline(never)
    private func change<Result>(
        _ find: (inout State) -> Int, origin: @autoclosure () -> Origin?, _ call: CallContext?,
        _ work: (inout Circuit) -> Result
    ) -> (Result, place: Int) {
        let (result, place, openUntil, hasChanged) = state.withLock { state in
            let place = find(&state)
            let before = state[place].state
            let result = work(&state[place])
            let after = state[place].state
            if after != before, !listeners.isEmpty {
                state.changes.append(CircuitChange(origin: origin(), from: before, to: after))
            }
            return (result, place, state[place].openUntil, after != before)
        }
        if let openUntil { call?[OpenUntil.self] = openUntil }
        if hasChanged { tellChanges() }
        return (result, place)
    }

    /// One at a time, in their order: while one thread tells, the others leave theirs to it.
    private func tellChanges() {
        let begins = state.withLock { state in
            defer { state.isTelling = true }
            return !state.isTelling
        }
        if begins { while let change = nextChange() { listeners.tell(change) } }
    }

    private func nextChange() -> CircuitChange? {
        state.withLock { state in
            if state.changes.isEmpty {
                state.isTelling = false
                return nil
            }
            return state.changes.removeFirst()
        }
    }
}
