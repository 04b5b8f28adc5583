// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Harness
import NIOCore
import NIOPosix

/// AsyncHTTPClient under the same load: `what=get|post|download|upload url=… c=64 n=20000 warm=2000`; `http=1` asks for
/// HTTP/1.1. `what=socket` is swift-nio's WebSocket client.
@main
struct PeerBench {
    static func main() async throws {
        let arguments = Arguments()
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1024
        configuration.tlsConfiguration = .clientDefault
        configuration.tlsConfiguration?.certificateVerification = .none
        if arguments.number("http", 0) == 1 { configuration.httpVersion = .http1Only }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let client = HTTPClient(eventLoopGroupProvider: .shared(group), configuration: configuration)
        switch arguments.text("what", "get") {
        case "socket": try await NIOSockets.run(arguments, group)
        case "post": try await requests(client, .init(repeating: 0, count: arguments.number("bytes", 1024)), arguments)
        case "download": try await download(client, arguments)
        case "upload": try await upload(client, arguments)
        default: try await requests(client, nil, arguments)
        }
        try await client.shutdown()
        try await group.shutdownGracefully()
    }

    private static func requests(_ client: HTTPClient, _ body: [UInt8]?, _ arguments: Arguments) async throws {
        let url = arguments.url
        let buffer = body.map { ByteBuffer(bytes: $0) }
        try await Measurement(arguments).run {
            var request = HTTPClientRequest(url: url)
            if let buffer {
                request.method = .POST
                request.body = .bytes(buffer)
            }
            let response = try await client.execute(request, timeout: .seconds(30))
            return try await response.body.collect(upTo: 200 << 20).readableBytes
        }
    }

    private static func download(_ client: HTTPClient, _ arguments: Arguments) async throws {
        func receive(_ url: String) async throws -> Int {
            var bytes = 0
            for try await piece in try await client.execute(HTTPClientRequest(url: url), timeout: .seconds(300)).body {
                bytes += piece.readableBytes
            }
            return bytes
        }
        try await BodyMeasurement.run {
            _ = try await receive(arguments.text("small", arguments.url))
        } _: {
            try await receive(arguments.url)
        }
    }

    private static func upload(_ client: HTTPClient, _ arguments: Arguments) async throws {
        let piece = ByteBuffer(repeating: 0, count: 64 * 1024)
        let bytes = arguments.number("bytes", 100 << 20)
        func send(_ bytes: Int) async throws -> Int {
            var request = HTTPClientRequest(url: arguments.url)
            request.method = .POST
            request.body = .stream(
                Pieces(piece, count: bytes / piece.readableBytes), length: .known(Int64(bytes)))
            _ = try await client.execute(request, timeout: .seconds(300)).body.collect(upTo: 1 << 20)
            return bytes
        }
        try await BodyMeasurement.run {
            _ = try await send(piece.readableBytes)
        } _: {
            try await send(bytes)
        }
    }
}
