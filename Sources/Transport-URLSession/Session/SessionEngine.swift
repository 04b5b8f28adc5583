// SPDX-License-Identifier: Apache-2.0

import Dispatch
import HTTPTypes
import StrataCore
import Synchronization

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

/// The session of one transport and the exchanges under way.
final class SessionEngine: Sendable {
    private enum Phase {
        case running, closing, closed
    }

    private struct State {
        var phase = Phase.running
        var live: [ObjectIdentifier: URLExchange] = [:]
        /// Who waits for the last exchange, and who for the closing of the session.
        var drained: CheckedContinuation<Void, Never>?
        var closed: [Int: CheckedContinuation<Void, Never>] = [:]
        var lastWaiter = 0
    }

    private let state = Mutex(State())
    private let lane: SessionLane
    private let timers = DispatchQueue(label: "strata.urlsession.timers")
    let sessionFields: HTTPFields

    /// - Parameter trust: see ``SessionLane``.
    init(configuration: URLSessionConfiguration, trust: SessionTrust?) {
        lane = SessionLane(configuration: Platform.prepared(configuration), trust: trust)
        sessionFields = RequestTranslation.fields(of: configuration)
    }

    deinit { lane.close() }

    var liveTransfers: Int { state.withLock { $0.live.count } }

    // MARK: Exchanges

    /// - Throws: when the request cannot be sent, or the engine was shut down.
    func start(_ request: TransportRequest) throws -> URLExchange {
        try request.validate()
        var urlRequest = try RequestTranslation.urlRequest(for: request, sessionFields: sessionFields)
        switch request.body.kind {
        case .empty: break
        case .data(let data): urlRequest.httpBody = data
        case .file, .stream: return try Platform.startUpload(of: request, as: urlRequest, in: self)
        }
        let (exchange, transfer) = try makeExchange(request)
        begin(exchange, transfer, urlRequest, showsConnection: request.body.length != 0)
        return exchange
    }

    /// An exchange whose clock runs, and which is ended by a shutdown; it has sent nothing yet.
    func makeExchange(_ request: TransportRequest) throws -> (URLExchange, Transfer) {
        let transfer = Transfer(lane: lane)
        let exchange = URLExchange(request, control: transfer, overflow: Platform.overflow)
        transfer.onAbandon { [self, weak exchange] in if let exchange { ended(exchange) } }
        try state.withLock { state in
            guard case .running = state.phase else { throw Self.shutDownError }
            state.live[ObjectIdentifier(exchange)] = exchange
        }
        exchange.start(timers: timers)
        return (exchange, transfer)
    }

    /// Sends the request, unless the exchange has ended meanwhile.
    ///
    /// - Parameter socket: the WebSocket that the request is to open.
    func begin(
        _ exchange: URLExchange, _ transfer: Transfer, _ urlRequest: URLRequest, showsConnection: Bool,
        socket: SessionSocket? = nil
    ) {
        guard transfer.begin() else { return }
        exchange.beginConnecting(showsConnection: showsConnection)
        lane.start(urlRequest, transfer: transfer, exchange: exchange, socket: socket) { [self] in ended(exchange) }
    }

    /// The session has nothing to do with the exchange any more.
    private func ended(_ exchange: URLExchange) {
        let drained = state.withLock { state in
            state.live[ObjectIdentifier(exchange)] = nil
            return state.live.isEmpty ? state.drained.take() : nil
        }
        drained?.resume()
    }

    // MARK: The end

    /// How long a shutdown waits for the session.
    private static let patience = Duration.seconds(10)

    /// Ends every exchange, waits until the session has let go of them, and closes it. A session that a server's flood holds up
    /// is closed later: on Linux one queue serves all sessions of the process.
    func shutdown() async {
        let live: [URLExchange]? = state.withLock { state in
            guard case .running = state.phase else { return nil }
            state.phase = .closing
            return Array(state.live.values)
        }
        if let live {
            for exchange in live { exchange.fail(Self.shutDownError) }
            Task { await close() }
        }
        await waitUntilClosed()
    }

    private func close() async {
        await withCheckedContinuation { continuation in
            let isDrained = state.withLock { state in
                if !state.live.isEmpty { state.drained = continuation }
                return state.live.isEmpty
            }
            if isDrained { continuation.resume() }
        }
        await lane.invalidate()
        let closed = state.withLock { state in
            state.phase = .closed
            defer { state.closed = [:] }
            return state.closed
        }
        for continuation in closed.values { continuation.resume() }
    }

    private func waitUntilClosed() async {
        let waiter = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        let timer = ExchangeTimer(queue: timers) { [weak self] in
            self?.state.withLock { $0.closed.removeValue(forKey: waiter) }?.resume()
        }
        await withCheckedContinuation { continuation in
            let isClosed = state.withLock { state in
                if case .closed = state.phase { return true }
                state.closed[waiter] = continuation
                return false
            }
            if isClosed { continuation.resume() } else { timer.set(after: Self.patience) }
        }
        timer.stop()
    }

    private static let shutDownError = NetworkClientError(.transportShutDown, "the transport was shut down")
}
