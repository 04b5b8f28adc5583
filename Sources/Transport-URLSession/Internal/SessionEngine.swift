// SPDX-License-Identifier: Apache-2.0

import Dispatch
import StrataCore
import Synchronization

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

/// The sessions of one transport and the exchanges under way.
///
/// All exchanges share one session. Where the backend reads a streamed body by blocking the session's queue, such an upload
/// gets a session of its own, which is used again when it is done.
final class SessionEngine: Sendable {
    private enum Phase {
        case running, closing, closed
    }

    private struct State {
        var phase = Phase.running
        var live: [ObjectIdentifier: URLExchange] = [:]
        var idleLanes: [SessionLane] = []
        /// Who waits for the last exchange, and then for the closing of the sessions.
        var waiters: [CheckedContinuation<Void, Never>] = []
        var closers: [CheckedContinuation<Void, Never>] = []
    }

    /// How many sessions for streamed uploads are kept for the next one.
    private static let keptLanes = 4

    private let state = Mutex(State())
    private let mainLane: SessionLane
    private let makeLane: @Sendable () -> SessionLane
    private let timers = DispatchQueue(label: "strata.urlsession.timers")

    /// - Parameters:
    ///   - configuration: kept and not changed afterwards.
    ///   - trust: see ``SessionLane``.
    init(configuration: URLSessionConfiguration, trust: (any URLSessionDelegate)?) {
        let (configuration, trust) = (UncheckedTransfer(value: configuration), UncheckedTransfer(value: trust))
        makeLane = { SessionLane(configuration: configuration.value, trust: trust.value) }
        mainLane = makeLane()
    }

    deinit {
        mainLane.close()
        for lane in state.withLock({ $0.idleLanes }) { lane.close() }
    }

    /// - Throws: when the request cannot be sent, or the engine was shut down.
    func start(_ request: TransportRequest) throws -> URLExchange {
        var urlRequest = try RequestTranslation.urlRequest(for: request)
        var feeder: UploadFeeder?
        switch request.body.kind {
        case .empty: break
        case .data(let data): urlRequest.httpBody = data
        case .file, .stream:
            let made = try UploadFeeder(request.body)
            Platform.attach(made.pipe, to: &urlRequest, length: request.body.length)
            feeder = made
        }
        let usesOwnLane = feeder != nil && Platform.streamedUploadsBlockTheSession
        let lane = usesOwnLane ? idleLane() ?? makeLane() : mainLane
        let transfer = Transfer(lane: lane)
        let exchange = URLExchange(request, feeder: feeder, control: transfer, overflow: Platform.overflow)
        let isRunning = state.withLock { state in
            guard case .running = state.phase else { return false }
            state.live[ObjectIdentifier(exchange)] = exchange
            return true
        }
        guard isRunning else {
            feeder?.cancel()
            if usesOwnLane { lane.close() }
            throw Self.shutDownError
        }
        exchange.start(timers: timers)
        lane.start(urlRequest, transfer: transfer, exchange: exchange) { [self] in
            ended(exchange, lane: usesOwnLane ? lane : nil)
        }
        return exchange
    }

    private func idleLane() -> SessionLane? {
        state.withLock { $0.idleLanes.popLast() }
    }

    /// The session has nothing to do with the exchange any more.
    private func ended(_ exchange: URLExchange, lane: SessionLane?) {
        let (surplus, waiters) = state.withLock { state in
            state.live[ObjectIdentifier(exchange)] = nil
            var surplus = lane
            if let lane, case .running = state.phase, state.idleLanes.count < Self.keptLanes {
                state.idleLanes.append(lane)
                surplus = nil
            }
            guard state.live.isEmpty else { return (surplus, [CheckedContinuation<Void, Never>]()) }
            defer { state.waiters = [] }
            return (surplus, state.waiters)
        }
        surplus?.close()
        for waiter in waiters { waiter.resume() }
    }

    /// Ends every exchange, waits until the sessions have let go of them, then closes the sessions.
    func shutdown() async {
        let isFirst = state.withLock { state in
            guard case .running = state.phase else { return false }
            state.phase = .closing
            return true
        }
        guard isFirst else { return await waitUntilClosed() }
        for exchange in state.withLock({ Array($0.live.values) }) { exchange.fail(Self.shutDownError) }
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if !state.live.isEmpty { state.waiters.append(continuation) }
                return state.live.isEmpty
            }
            if isIdle { continuation.resume() }
        }
        let lanes = state.withLock { state in
            defer { state.idleLanes = [] }
            return state.idleLanes
        }
        for lane in [mainLane] + lanes { await lane.invalidate() }
        let closers = state.withLock { state in
            state.phase = .closed
            defer { state.closers = [] }
            return state.closers
        }
        for closer in closers { closer.resume() }
    }

    private func waitUntilClosed() async {
        await withCheckedContinuation { continuation in
            let isClosed = state.withLock { state in
                if case .closed = state.phase { return true }
                state.closers.append(continuation)
                return false
            }
            if isClosed { continuation.resume() }
        }
    }

    private static let shutDownError = NetworkClientError(.transportShutDown, "the transport was shut down")
}
