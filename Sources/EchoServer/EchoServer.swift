// SPDX-License-Identifier: Apache-2.0

// JSONValue, MediaType, HTTPDate and Digest are written anew here: the client under test must not check itself.

import Hummingbird
import HummingbirdCore
import HummingbirdHTTP2
import HummingbirdTLS
import Logging
import NIOCore

/// An HTTP server on this machine that answers with what it was asked, for tests and demonstrations.
///
/// It has the routes of httpbin with the same JSON, except for its images and its form page, and some of its own: `/echo` (the
/// exact request), `/sse`, `/upload`, `/download/{n}`, `/hang`, `/websocket`. Some play the services that the examples ask:
/// `/v1/chat/completions`, `/repos/{owner}/{name}/issues`, `/oauth`, `/files`, `/quote`; before any path, `/sequence` fails as often
/// as it is told. `GET /` lists all but `/websocket`. For answers that no well-behaved server
/// gives see `RawServer` in `StrataTesting`.
///
///     try await EchoServer.withServer { server in
///         let response = try await client.execute(TransportRequest(url: server.url + "/get?a=1"))
///     }
///
/// Any number of servers run side by side. A server that is not stopped runs until the process ends.
package final class EchoServer: Sendable {
    package let configuration: Configuration
    /// The port that is listened on: the one asked for, or the free one that `0` found.
    package let port: Int
    /// What a client needs to trust the server, and to be trusted by it. `nil` without TLS.
    package let certificateAuthority: TestCertificateAuthority?

    private let serving: Task<Void, any Error>
    let connections: ConnectionRegistry

    private init(
        configuration: Configuration, port: Int, certificateAuthority: TestCertificateAuthority?,
        serving: Task<Void, any Error>, connections: ConnectionRegistry
    ) {
        self.configuration = configuration
        self.port = port
        self.certificateAuthority = certificateAuthority
        self.serving = serving
        self.connections = connections
    }

    /// Returns when connections are accepted. Throws what binding throws, and errors of the certificates.
    package static func start(_ configuration: Configuration = .init()) async throws -> EchoServer {
        let authority = try configuration.tls.map { try $0.authority ?? TestCertificateAuthority() }
        let connections = ConnectionRegistry()
        let (ports, port) = AsyncThrowingStream.makeStream(of: Int.self)
        let application = Application(
            responder: EchoRouter(isSecure: configuration.tls != nil),
            server: try configuration.server(authority: authority, connections: connections),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port), serverName: "strata-echo",
                // Thousands may come at once; whoever finds the queue full asks again after one second, two, four, …
                backlog: 4096),
            onServerRunning: { port.yield($0.localAddress?.port ?? configuration.port) },
            logger: configuration.logger)
        let serving = Task {
            do {
                try await application.run()
                port.finish()
            } catch {
                port.finish(throwing: error)
                throw error
            }
        }
        for try await port in ports {
            return EchoServer(
                configuration: configuration, port: port, certificateAuthority: authority, serving: serving,
                connections: connections)
        }
        serving.cancel()
        connections.closeAll()
        _ = await serving.result
        throw CancellationError()
    }

    /// Stops accepting, closes all connections, also those with requests under way, and returns when that is done.
    /// A second call does nothing more.
    package func stop() async {
        // In this order: a stream that begins on a connection whose loop is cancelled would be dropped by NIO, which
        // ends the process.
        for closed in connections.closeAll() { try? await closed.get() }
        serving.cancel()
        _ = await serving.result
    }

    /// Starts a server for the time of `body` and stops it, whether `body` returns or throws.
    @discardableResult
    package static func withServer<Result>(
        _ configuration: Configuration = .init(),
        _ body: (EchoServer) async throws -> Result
    ) async throws -> Result {
        let server = try await start(configuration)
        do {
            let result = try await body(server)
            await server.stop()
            return result
        } catch {
            await server.stop()
            throw error
        }
    }

    /// Scheme, host and port, without a slash at the end: `http://127.0.0.1:49152`.
    ///
    /// The host is the configured one, or the loopback address when that means all addresses.
    package var url: String {
        let host =
            switch configuration.host {
            case "0.0.0.0": "127.0.0.1"
            case "::": "[::1]"
            case let host where host.contains(":"): "[\(host)]"
            case let host: host
            }
        return "\(configuration.tls == nil ? "http" : "https")://\(host):\(port)"
    }
}

extension EchoServer.Configuration {
    fileprivate func server(
        authority: TestCertificateAuthority?, connections: ConnectionRegistry
    ) throws -> HTTPServerBuilder {
        let channel = HTTP1Channel.Configuration(additionalChannelHandlers: [
            ExactHeadHandler(), ConnectionHandler(), WebSocketHandler(),
        ])
        let streams = HTTP2Channel.Configuration(streamConfiguration: channel)
        let tlsConfiguration = try authority.flatMap { try tls?.nioConfiguration(authority: $0) }
        return HTTPServerBuilder { [http2] responder in
            let base: any ServerChildChannel =
                switch (tlsConfiguration, http2) {
                case (nil, false): HTTP1Channel(responder: responder, configuration: channel)
                case (nil, true): HTTP2Channel(responder: responder, configuration: streams)
                case (let tls?, false):
                    try TLSChannel(HTTP1Channel(responder: responder, configuration: channel), tlsConfiguration: tls)
                case (let tls?, true):
                    try HTTP2UpgradeChannel(tlsConfiguration: tls, configuration: streams, responder: responder)
                }
            return connections.registering(base)
        }
    }

    fileprivate var logger: Logger {
        var logger = Logger(label: "strata-echo")
        logger.logLevel = logLevel
        return logger
    }
}
