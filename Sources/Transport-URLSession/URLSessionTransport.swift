// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import StrataCore

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// Carries requests over `URLSession`: the platform's own HTTP on Apple platforms, a fallback on Linux.
///
///     let transport = URLSessionTransport()
///
/// It has one session of its own for its whole life, in which everything is switched off that the layers above decide:
/// redirects and challenges (401, 407) are handed up as responses, and no cookie, response or credential is kept.
/// Bodies are streamed in both directions.
///
/// On Apple platforms it opens WebSockets, for `client.webSocket` of `StrataWebSocket`: without compression, and the body of a refusal is
/// not delivered.
///
/// `URLSession` cannot do everything that a transport should; ``capabilities`` has what it can. It sends no body with a
/// GET, changes the case of field names, does not let the version of HTTP be chosen, and has a connect timeout only for
/// requests with a body. On Linux it also cannot slow a sender down, keeps a core busy while it waits, and **dies with
/// the process** when a server sends trailers after a chunked body or closes the connection inside the head of a
/// response; see the guide "URLSession on Linux", and prefer `CurlTransport` there.
public final class URLSessionTransport: NetworkTransport {
    public let capabilities: TransportCapabilities
    /// The session that it was made from, for its configuration; it carries none of the requests.
    public let session: URLSession?
    private let engine: SessionEngine
    /// Counts those that wait for a head.
    private let gate = CallGate(of: "transport")

    /// A transport with an ephemeral session, and up to 64 connections to a host.
    public convenience init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = 64
        self.init(configuration: configuration, session: nil)
    }

    /// A transport with a session made from a copy of `configuration`.
    ///
    /// Its settings for cookies, caching, credentials and timeouts are not used.
    public convenience init(configuration: URLSessionConfiguration) {
        self.init(configuration: configuration, session: nil)
    }

    /// A transport with a session of its own, made from the configuration of `session`: its additional headers, protocol classes,
    /// proxies, TLS settings and connection limit.
    ///
    /// Of the additional headers, those that hold secrets, and `Origin`, go to the origin of the client's base URL alone,
    /// when there is one, and not where a redirect leads to another origin.
    ///
    /// `session` itself carries no requests, because its delegate is not this transport. On Apple platforms its
    /// delegate is still asked about the server's trust and client certificates, on its own queue: by
    /// `urlSession(_:didReceive:completionHandler:)`, else by `urlSession(_:task:didReceive:completionHandler:)`. A
    /// connection that it refuses fails with the code `tlsFailed`. Cookies, cached responses and stored credentials of
    /// the session are not used; neither are those of `URLSession.shared`.
    public convenience init(session: URLSession) {
        self.init(configuration: session.configuration, session: session)
    }

    private init(configuration: URLSessionConfiguration, session: URLSession?) {
        self.session = session
        capabilities = Platform.capabilities
        engine = SessionEngine(configuration: configuration, trust: session.flatMap(SessionTrust.init))
    }

    /// Transfers under way.
    package var liveTransfers: Int { engine.liveTransfers }

    @_documentation(visibility: internal)
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        try gate.enter()
        defer { gate.leave() }
        try Task.checkCancellation()
        if request.options.opensSocket { return try await engine.openSocket(request) }
        let exchange = try engine.start(request)
        let head = try await exchange.head()
        do {
            var response = try ResponseTranslation.response(
                head: head, to: request.head.method, body: exchange, firstByte: exchange.elapsed)
            // Only the end is still to come. If the caller drops this body, the connection must not be closed for it.
            if response.body.length == 0, try await exchange.next() == nil { response.body = ResponseBody() }
            return response
        } catch {
            exchange.cancel()
            throw error
        }
    }

    /// Ends what is under way with ``NetworkClientError/Code-swift.struct/transportShutDown``, waits until the session has let go of
    /// it, and closes every connection. Where that takes more than ten seconds, it goes on after the return.
    public func shutdown() async {
        await engine.shutdown()
    }

    public func drain(within limit: Duration) async {
        gate.close()
        await SystemClock().wait(within: limit) { gate.isEmpty && liveTransfers == 0 }
        await shutdown()
    }
}

extension URLSessionTransport: CustomReflectable {
    /// What it can do. The configuration of its session may hold a proxy's password.
    @_documentation(visibility: internal)
    public var customMirror: Mirror { Mirror(self, children: ["capabilities": capabilities]) }
}
