// SPDX-License-Identifier: Apache-2.0

public import StrataCore
import StrataWebSocket
import Synchronization

/// A transport that answers from a ``Cassette``, without a network.
///
///     let transport = CassetteTransport(try Cassette(contentsOf: file), time: .asRecorded)
///     …
///     try transport.verify()
///
/// A request is answered by the first unused entry that all matchers find fitting. Secrets in both are masked before they are
/// compared. Each entry answers once: of several to the same URL, the first answers first. A request that none fits fails with
/// `unsupportedByTransport`, which no layer repeats; the message names the nearest entries and what differs. Entries that no request
/// asked for, and requests that none fitted, make ``verify()`` throw.
///
/// An entry that failed fails again, at its time. Where the reader gave up a body, or a call was cancelled, nothing more comes: until
/// it is given up again, or a timeout passes. The limits `idle`, `attempt` and `deadline` hold, by the client's clock.
///
/// A WebSocket that was recorded is opened again. The server says what it said, each message behind those of the client that came before it
/// then; what the client sends is compared in its order, with secrets masked. A message that differs, or is one too many, ends the
/// socket with `unsupportedByTransport`, and makes ``verify()`` throw, as does one that the client has not sent. In a browser's file
/// nothing tells how a socket ended: it is closed with 1000.
public final class CassetteTransport: NetworkTransport {
    public let capabilities = TransportCapabilities(name: "cassette", features: ScriptedTransport.allFeatures)
    private let player: CassettePlayer
    private let options: ReplayOptions
    private let gate = CallGate(of: "transport")
    private let isShutDown = Atomic(false)

    /// - `matching`: what has to be the same. Default: method, URL and body.
    /// - `time`: Default: everything is there at once.
    /// - `faults`: what goes wrong beside what was recorded.
    /// - `rechunking`: cuts the bodies of responses in other places. Of ``Rechunking/everySplit`` the first way; see
    ///   ``Cassette/rechunked(_:)`` for all of them.
    /// - `redaction`: that with which the cassette was recorded.
    public convenience init(
        _ cassette: Cassette, matching: [RequestMatcher] = RequestMatcher.standard, time: ReplayTime = .immediate,
        faults: [ReplayFault] = [], rechunking: Rechunking? = nil, redaction: Redaction = .standard
    ) {
        var options = ReplayOptions()
        options.matching = matching
        options.time = time
        options.faults = faults
        options.rechunking = rechunking
        options.redaction = redaction
        self.init(cassette, options: options)
    }

    public convenience init(_ cassette: Cassette, options: ReplayOptions) {
        self.init(CassettePlayer(cassette, matching: options.matching, test: nil), options: options)
    }

    init(_ player: CassettePlayer, options: ReplayOptions) {
        self.player = player
        self.options = options
    }

    /// The entries that no request has asked for until now. Those that no request can ask for are not among them: of URLs that are
    /// neither `http` nor `https`.
    public var unusedEntries: [Cassette.Entry] { player.unused }

    /// - Throws: ``CassetteError`` that names the entries that no request has asked for, and the requests that no entry
    ///   fitted.
    public func verify() throws { try player.verify(allowsUnused: options.allowsUnused) }

    @_documentation(visibility: internal)
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        try gate.enter()
        defer { gate.leave() }
        try checkRunning()
        try Task.checkCancellation()
        let exchange = ExchangeTime(request)
        let asked = try await AskedRequest(request, redaction: options.redaction)
        let entry = try player.take(asked)
        let fault = options.faults.first { $0.happens(to: asked.recorded) }
        let plan: ReplayPlan
        do {
            plan = try ReplayPlan(
                entry, to: request.head.method, fault: fault, cutting: options.rechunking.map { Cutting($0) })
        } catch let error as CassetteError {
            throw NetworkClientError(.unsupportedByTransport, error.description, cause: error)
        }
        return try await perform(plan, request, exchange, of: entry)
    }

    private func perform(
        _ plan: ReplayPlan, _ request: TransportRequest, _ exchange: ExchangeTime, of entry: Cassette.Entry
    ) async throws -> TransportResponse {
        guard let head = plan.head else {
            if case .stall(let reason) = plan.ending { try await exchange.waitForEver(reason) }
            try await exchange.wait(until: options.time(plan.end))
            if case .failure(let error) = plan.ending { throw error }
            throw NetworkClientError(.internalFailure, "the entry has neither a response nor an error")
        }
        try await exchange.wait(until: options.time(plan.headTime))
        try checkRunning()
        var metrics = TransportMetrics()
        metrics.httpVersion = plan.httpVersion
        if let messages = plan.messages, request.options.opensSocket {
            let socket = ReplaySocket(
                plan, messages, options,
                requestOptions: request.call?.options(with: request.options) ?? request.options, exchange
            ) { [player] in player.unmatched($0, in: entry) }
            player.add(socket, of: entry)
            var response = try TransportResponse(
                switching: head.openingSocket(for: request), to: FramedMessages(socket), for: request)
            response.metrics = metrics
            return response
        }
        // What came whole at recording is whole again, unless it has a time of its own.
        if case .data(let data) = plan.body, case .complete = plan.ending, plan.pieces.count <= 1,
            plan.trailers == nil, options.time == .immediate
        {
            return TransportResponse(head: head, body: ResponseBody(data), metrics: metrics)
        }
        let source = ReplaySource(plan, options.time, exchange)
        return TransportResponse(head: head, body: ResponseBody(length: plan.length, source: source), metrics: metrics)
    }

    private func checkRunning() throws {
        guard isShutDown.load(ordering: .acquiring) else { return }
        throw NetworkClientError(.transportShutDown, "the transport was shut down")
    }

    // Asynchronous, because otherwise `await` would choose the protocol's default, which does nothing.
    public func shutdown() async { isShutDown.store(true, ordering: .releasing) }

    /// Waits for heads, and not for bodies.
    public func drain(within limit: Duration) async {
        gate.close()
        await SystemClock().wait(within: limit) { gate.isEmpty }
        await shutdown()
    }
}

/// How a ``CassetteTransport`` answers.
public struct ReplayOptions: Sendable {
    /// What has to be the same in a request and an entry. Default: method, URL and body.
    public var matching = RequestMatcher.standard
    /// Default: everything is there at once.
    public var time = ReplayTime.immediate
    /// What goes wrong beside what was recorded. Default: nothing.
    public var faults: [ReplayFault] = []
    /// When a message that the client sends over a WebSocket is the one that was recorded. Default: JSON by what it means, other
    /// messages byte by byte.
    public var messages = BodyComparison.automatic
    /// Default: bodies come in the pieces that were recorded.
    public var rechunking: Rechunking?
    /// That with which the cassette was recorded. Default: `Redaction.standard`.
    public var redaction = Redaction.standard
    /// Whether entries that no request asked for are no failure, as those of a browser's export. Default: no.
    public var allowsUnused = false

    public init() {}
}
