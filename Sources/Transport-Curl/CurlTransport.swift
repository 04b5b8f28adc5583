// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import StrataCore
import StrataTransportSupport

/// Carries requests by libcurl: HTTP/1.1 and HTTP/2, streaming both ways, proxies and TLS as libcurl has them.
///
///     let client = NetworkClient(configuration: .init(baseURL: url, transport: CurlTransport()))
///
/// One thread carries all transfers, another one event streams, and a third requests over TLS that must be sent by
/// HTTP/1.1 (see ``Configuration/loops``). Each starts with its first request and ends with ``shutdown()``, or when the
/// transport and all its response bodies are gone. Share one transport: it keeps connections, TLS sessions and resolved
/// names.
///
/// Where it can be noticed that an idle connection has died, or that bytes came on it unasked, the connection is not
/// used again. When a connection ends after the request was written and before an answer came, a request with an
/// idempotent method is sent once more (RFC 9110 §9.2.2), unless its body cannot be produced again. Any other fails with
/// `connectionLost`, because the server may have acted on it; when the server has said that it has not (HTTP/2
/// `REFUSED_STREAM`, `GOAWAY`), it is sent again, too.
public final class CurlTransport: NetworkTransport {
    public let configuration: Configuration
    public let capabilities: TransportCapabilities
    @_documentation(visibility: internal)
    public var connectionEvents: ConnectionEvents? { options.connectionEvents }
    private let options: HandleOptions
    private let loops: [CurlLoop]
    /// The loops of event streams. libcurl (7.88) looks at all its connections whenever a request ends, so that
    /// thousands of quiet ones would slow each small request down. Their threads start with the first event stream.
    private let streamLoops: [CurlLoop]
    /// The loops of requests over TLS that must be sent by HTTP/1.1. In one loop, libcurl (7.88) puts these on
    /// connections that carry others over HTTP/2, and the other way round, and bodies get lost or mixed up.
    private let http1Loops: [CurlLoop]
    /// Counts those that wait for a head.
    private let gate = CallGate(of: "transport")

    public convenience init(configuration: Configuration = Configuration()) {
        self.init(configuration: configuration, environment: environmentVariable)
    }

    /// - Parameter environment: where the names of ``ProxyPolicy/environment`` are looked up.
    package convenience init(configuration: Configuration, environment: (String) -> String?) {
        self.init(configuration: configuration, environment: environment, lookup: nil)
    }

    /// - Parameter lookup: gives the addresses of hosts; `nil`: the system is asked.
    init(configuration: Configuration, environment: (String) -> String?, lookup: NameResolver.Lookup?) {
        let version = CurlVersion.current
        let options = HandleOptions(configuration, environment: environment, lookup: lookup)
        self.configuration = configuration
        self.options = options
        capabilities = TransportCapabilities(version, configuration)
        func makeLoops() -> [CurlLoop] {
            (0..<min(max(1, configuration.loops), 64)).map { _ in CurlLoop(options) }
        }
        loops = makeLoops()
        streamLoops = makeLoops()
        http1Loops = makeLoops()
    }

    @_documentation(visibility: internal)
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        try gate.enter()
        defer { gate.leave() }
        if let interaction = request.options.interaction { return try await send(request, interaction) }
        return try await perform(request)
    }

    /// Sends the request again without the expectation that the server has refused (RFC 9110 §10.1.1). libcurl, which would do so by itself,
    /// would repeat the field too.
    private func sendExpecting(_ request: TransportRequest) async throws -> TransportResponse {
        let response = try await perform(request)
        guard response.head.status.code == 417, request.options.expectContinue != nil, !request.body.isEmpty,
            request.body.isReplayable
        else { return response }
        response.body.cancel()
        var again = request
        again.options.expectContinue = nil
        return try await perform(again)
    }

    // A function of its own, which few need: others' tasks have no memory for it.
    @inline(never)
    private func send(_ request: TransportRequest, _ interaction: Interaction) async throws -> TransportResponse {
        guard let onInterim = interaction.onInterim else { return try await sendExpecting(request) }
        // The loop lists what comes, and the call's task hands it on. The head parser limits how much that is.
        let (heads, list) = AsyncStream.makeStream(of: HTTPResponse.self)
        var listing = request
        listing.options.onInterim = { list.yield($0) }
        async let response = {
            defer { list.finish() }
            return try await sendExpecting(listing)
        }()
        for await head in heads { onInterim(head) }
        return try await response
    }

    private func perform(_ request: TransportRequest) async throws -> TransportResponse {
        let exchange = try beginExchange(request)
        let isolation = #isolation
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
                exchange.wait(Waiter(continuation, isolation: isolation))
                exchange.loop.submit(.start(exchange))
            }
        } onCancel: {
            exchange.cancel()
        }
        return try exchange.takeResponse()
    }

    // A function of its own: if it were inlined, the task would hold the memory for its variables until the response is
    // there.
    @inline(never)
    private func beginExchange(_ request: TransportRequest) throws -> Exchange {
        if let refusal = options.refusal { throw refusal }
        if request.options.proxy != nil {
            throw NetworkClientError(
                .unsupportedByTransport,
                "CurlTransport has one proxy for all its requests; NativeTransport takes one for each")
        }
        let plan = try RequestPlan(request, decodesContent: configuration.decodesContent)
        try Task.checkCancellation()
        let loop = loop(for: request, plan)
        let upload: UploadPipe? =
            if case .stream(let length) = plan.sending { UploadPipe(length: length) } else { nil }
        let source = upload == nil ? nil : try request.body.makeSource()
        let exchange = Exchange(request, plan: plan, upload: upload, loop: loop)
        if let upload, let source { upload.start(source) { loop.submit(.resumeSending(exchange)) } }
        return exchange
    }

    public func shutdown() async {
        options.resolver.stop()
        for loop in allLoops { await loop.core.shutdown() }
        options.connectionEvents.finish()
    }

    public func drain(within limit: Duration) async {
        gate.close()
        await SystemClock().wait(within: limit) { gate.isEmpty && liveTransfers == 0 }
        await shutdown()
    }

    /// Transfers under way.
    package var liveTransfers: Int { allLoops.reduce(0) { $0 + $1.core.liveTransfers } }

    private var allLoops: [CurlLoop] { loops + streamLoops + http1Loops }

    private func loop(for request: TransportRequest, _ plan: RequestPlan) -> CurlLoop {
        let loops =
            plan.version == .http1 && request.head.scheme == "https"
            ? http1Loops : plan.isEventStream ? streamLoops : loops
        return loops[request.head.loop(among: loops.count)]
    }
}

extension CurlTransport: CustomReflectable {
    /// The configuration, without secrets, and what it can do.
    @_documentation(visibility: internal)
    public var customMirror: Mirror {
        Mirror(self, children: ["configuration": configuration, "capabilities": capabilities])
    }
}

extension TransportCapabilities {
    init(_ version: CurlVersion, _ configuration: CurlTransport.Configuration) {
        var features: Features = [
            .streamingResponse, .streamingUpload, .concurrentUpload, .backpressure, .bodyOnAnyMethod, .exactFields,
            .httpVersionChoice, .anyMethod, .connectTimeout, .proxies, .challengesDelivered, .invalidFieldSkipping,
            .responseTrailers, .interimResponses, .expectContinue,
        ]
        if configuration.decodesContent { features.formUnion(ContentCoding.features) }
        if version.hasHTTP2 { features.formUnion([.http2, .http2PriorKnowledge]) }
        if version.hasHTTP3 { features.insert(.http3) }
        if version.hasTLS { features.formUnion([.customTrust, .clientCertificates, .publicKeyPinning]) }
        if version.hasUnixSockets { features.insert(.unixDomainSockets) }
        var remarks: [String] = []
        if version.losesPriorKnowledgeOnReuse {
            remarks.append(
                "HTTP/2 with prior knowledge over cleartext opens a connection for each request (\(version.name)).")
        }
        if version.hasHTTP2, version.confusesStreams {
            remarks.append(
                "An HTTP/2 connection carries one request at a time, and those with a body go by HTTP/1.1 (\(version.name) before 8.10.0)."
            )
        }
        remarks += configuration.tls.remarks(proxy: configuration.proxyTLS, keyLogFile: configuration.tlsKeyLogFile)
        self.init(name: version.name, features: features, remarks: remarks)
    }
}
