// SPDX-License-Identifier: Apache-2.0

import Foundation
import Harness
import StrataCore
import StrataCurl
import StrataEncoding
import StrataMiddleware
import StrataURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What is measured of this package:
///
///     StrataBench what=get|post|stack|session|download|upload|multipart|idle|cancel|micro url=… c=64 n=20000 warm=2000
///
/// `transport=urlsession` measures the other transport.
@main
struct StrataBench {
    static func main() async throws {
        let arguments = Arguments()
        switch arguments.text("what", "get") {
        case "get": try await requests(.get, body: .empty, arguments)
        case "post": try await requests(.post, body: .data(Data(count: arguments.number("bytes", 1024))), arguments)
        case "stack": try await stack(arguments)
        case "session": try await session(arguments)
        case "download": try await LargeBodies.download(arguments)
        case "upload": try await LargeBodies.upload(arguments)
        case "multipart": try await LargeBodies.multipart(arguments)
        case "idle": try await IdleStreams.run(arguments)
        case "cancel": try await Cancellation.run(arguments)
        case "micro": try await Micro.run()
        case let other: print("nothing is called \(other)")
        }
    }

    /// `execute` without any middleware, the body collected.
    private static func requests(_ method: HTTPRequest.Method, body: RequestBody, _ arguments: Arguments) async throws {
        let client = benchClient(benchTransport(arguments))
        let request = try TransportRequest(method: method, url: arguments.url, body: body)
        try await Measurement(arguments).run {
            try await client.execute(request).body.collect().count
        }
    }

    /// Everything that an app has: URL building, five middleware, the status check and JSON.
    private static func stack(_ arguments: Arguments) async throws {
        let client = NetworkClient(
            configuration: NetworkConfiguration(
                baseURL: URL(string: arguments.url), transport: benchTransport(arguments),
                middleware: [
                    RetryMiddleware(), RequestIDMiddleware(), UserAgentMiddleware("bench/1"), AcceptMiddleware(),
                    PassThrough(),
                ]))
        let request = NetworkRequest<VoidRequest, Completion>(method: .get)
        try await Measurement(arguments).run { try await client.run(request).value.choices.count }
    }

    /// URLSession as its users call it.
    private static func session(_ arguments: Arguments) async throws {
        let session = URLSession(configuration: .ephemeral)
        guard let url = URL(string: arguments.url) else { return }
        try await Measurement(arguments).run { try await session.data(from: url).0.count }
    }
}

/// Certificates of the benchmark's server are made for the run.
func benchTransport(_ arguments: Arguments) -> any NetworkTransport {
    if arguments.text("transport", "curl") == "urlsession" { return URLSessionTransport() }
    var configuration = CurlTransport.Configuration()
    configuration.proxy = .none
    if arguments.url.hasPrefix("https") { configuration.tls.dangerouslySkipsVerification = true }
    return CurlTransport(configuration: configuration)
}

func benchClient(_ transport: any NetworkTransport) -> NetworkClient {
    NetworkClient(configuration: NetworkConfiguration(baseURL: nil, transport: transport))
}

struct PassThrough: NetworkMiddleware {
    func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        try await next(request)
    }
}

/// The shape of the server's `/1k`.
struct Completion: Codable {
    struct Choice: Codable {
        struct Message: Codable {
            var role: String
            var content: String
        }
        var index: Int
        var message: Message
    }
    var id: String
    var model: String
    var choices: [Choice]
}
