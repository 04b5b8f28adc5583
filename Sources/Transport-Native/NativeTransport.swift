// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import StrataCore
import StrataTransportSupport

/// Carries requests by an engine of our own: HTTP/1.1 and HTTP/2, streaming both ways, TLS by OpenSSL.
///
///     let client = NetworkClient(configuration: .init(baseURL: url, transport: NativeTransport()))
///
/// A task that sends writes its request itself to an idle connection, and one thread reads what comes on all of them. The thread
/// starts with the first request and ends with ``shutdown()``, or when the transport and all its response bodies are gone. Share
/// one transport: it keeps connections, TLS sessions and resolved names.
///
/// An idle connection that has died, or on which bytes came unasked, is not used again. When a connection that was used before ends
/// before an answer came, a request with an idempotent method is sent once more on a new one (RFC 9110 §9.2.2), unless its body
/// cannot be produced again. Any other fails with `connectionLost`, because the server may have acted on it.
///
/// Over TLS the server chooses between HTTP/2 and HTTP/1.1 (RFC 7301). Over HTTP/2 all calls to an origin share a connection, as long as
/// it has streams, and so do upgrades where the server takes them (RFC 8441); what the server refuses unprocessed is sent again, whatever its method, where the body can be produced again. A
/// connection that was silent for ten seconds gives a sign of life before it is used again, and one that gives none while calls wait is
/// given up after half a minute.
public final class NativeTransport: NetworkTransport {
    public let configuration: Configuration
    public let capabilities: TransportCapabilities
    public var connectionEvents: ConnectionEvents? { settings.connectionEvents }
    private let settings: Settings
    private let loops: [NativeLoop]
    /// Counts those that wait for a head.
    private let gate = CallGate(of: "transport")

    public convenience init(configuration: Configuration = Configuration()) {
        self.init(configuration: configuration, environment: environmentVariable)
    }

    /// - Parameter environment: where the names of ``ProxyPolicy/environment`` are looked up.
    package convenience init(configuration: Configuration, environment: (String) -> String?) {
        self.init(configuration: configuration, environment: environment, lookup: nil)
    }

    /// - Parameters:
    ///   - lookup: gives the addresses of hosts; `nil`: the system is asked.
    ///   - batchShare: for how long a loop reads what has come before callers have their turn; for zero, from one socket at a time.
    package init(
        configuration: Configuration, environment: (String) -> String?, lookup: NameResolver.Lookup?,
        batchShare: Duration = .milliseconds(5)
    ) {
        let settings = Settings(configuration, environment: environment, lookup: lookup, batchShare: batchShare)
        self.configuration = configuration
        self.settings = settings
        capabilities = TransportCapabilities(configuration)
        loops = (0..<min(max(1, configuration.loops), 64)).map { _ in NativeLoop(settings) }
        ignoreBrokenPipeSignal()
    }

    @_documentation(visibility: internal)
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        try gate.enter()
        defer { gate.leave() }
        let exchange = try beginExchange(request)
        let isolation = #isolation
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
                exchange.loop.core.start(exchange, Waiter(continuation, isolation: isolation))
            }
            if let onInterim = exchange.plan.onInterim { try await handOn(to: onInterim, exchange) }
        } onCancel: {
            exchange.cancel()
        }
        return try exchange.takeResponse()
    }

    /// Waits for the answer, and has the caller see the interim ones before it.
    private func handOn(to onInterim: (HTTPResponse) -> Void, _ exchange: Exchange) async throws {
        let isolation = #isolation
        while true {
            let (interims, isAnswered) = exchange.loop.run { _ in
                defer { exchange.interims = [] }
                return (exchange.interims, exchange.response != nil)
            }
            for interim in interims { onInterim(interim) }
            if isAnswered { return }
            try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
                let caller = Waiter(continuation, isolation: isolation)
                exchange.loop.run { $0.wait(exchange, caller) }
            }
        }
    }

    // A function of its own: if it were inlined, the task would hold the memory for its variables until the response is
    // there.
    @inline(never)
    private func beginExchange(_ request: TransportRequest) throws -> Exchange {
        let plan = try RequestPlan(request, decodesContent: configuration.decodesContent)
        let proxies = try settings.check(request)
        try Task.checkCancellation()
        var upload: Upload?
        if case .stream(let length) = plan.content {
            upload = Upload(length: length, source: try request.body.makeSource())
        }
        return Exchange(request, plan: plan, proxies: proxies, upload: upload, loop: loop(for: request))
    }

    public func shutdown() async {
        settings.resolver.stop()
        for loop in loops { await loop.core.shutdown() }
        settings.connectionEvents.finish()
    }

    public func drain(within limit: Duration) async {
        gate.close()
        await SystemClock().wait(within: limit) { gate.isEmpty && liveTransfers == 0 }
        await shutdown()
    }

    /// Run tasks on the threads that carry exchanges, one for each of the `loops` of the ``configuration``.
    ///
    ///     try await withTaskExecutorPreference(transport.loopExecutors[0]) {
    ///         for try await event in try await client.events(for: request) { … }
    ///     }
    ///
    /// A task that prefers one goes on in the thread that has read its answer: neither does anything change threads nor is anybody woken.
    /// It pays where a program does little but call servers and hand on what they say: a gateway, a crawler, a relay of events.
    /// With several loops its calls stay with the loop that it prefers, so that a program can spread calls to one server by itself.
    ///
    /// **Nothing may block there**, or work for long: no waits for locks that are held for long, no reading of files, no
    /// semaphores, no large models to be decoded. Meanwhile no call of the loop goes on, their timeouts do not end them, and who waits
    /// there for one of its calls waits for ever. Tasks take turns with the sockets; priorities mean nothing.
    ///
    /// When the transport has been shut down, or the system has no thread for it, the tasks run in Swift's thread pool.
    public var loopExecutors: [any TaskExecutor] { loops }

    /// Exchanges under way.
    package var liveTransfers: Int { loops.reduce(0) { $0 + $1.run { $0.live } } }

    private func loop(for request: TransportRequest) -> NativeLoop {
        guard loops.count > 1 else { return loops[0] }
        return loops.first(where: \.isPreferred) ?? loops[request.head.loop(among: loops.count)]
    }
}

extension NativeTransport: CustomReflectable {
    /// The configuration, without secrets, and what it can do.
    @_documentation(visibility: internal)
    public var customMirror: Mirror {
        Mirror(self, children: ["configuration": configuration, "capabilities": capabilities])
    }
}

extension TransportCapabilities {
    init(_ configuration: NativeTransport.Configuration) {
        var features: Features = [
            .streamingResponse, .streamingUpload, .concurrentUpload, .backpressure, .bodyOnAnyMethod, .exactFields,
            .httpVersionChoice, .anyMethod, .connectTimeout, .proxies, .challengesDelivered, .invalidFieldSkipping,
            .unixDomainSockets,
            .customTrust, .clientCertificates, .publicKeyPinning, .requestTrailers, .responseTrailers,
            .interimResponses,
            .expectContinue, .upgrades, .requestProxies, .http2, .http2PriorKnowledge,
        ]
        if configuration.decodesContent { features.formUnion(ContentCoding.features) }
        self.init(
            name: "native/\(StrataVersion.current)", features: features,
            remarks: configuration.tls.remarks(proxy: configuration.proxyTLS, keyLogFile: configuration.tlsKeyLogFile))
    }
}
