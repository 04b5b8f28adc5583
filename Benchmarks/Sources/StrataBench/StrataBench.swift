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

/// What is measured of this package: `what=bare|loop|stack|urlsession|urlsession-bare|download|upload|micro url=… c=64 n=40000 warm=2000`.
@main
struct StrataBench {
    static func main() async throws {
        let arguments = Arguments()
        let what = arguments.text("what", "bare")
        let url = arguments.text("url", "http://127.0.0.1:18080/1k")
        var measurement = Measurement(
            name: arguments.text("name", what), concurrency: arguments.number("c", 64),
            count: arguments.number("n", 20000),
            warmUp: arguments.number("warm", 2000))
        switch what {
        case "bare", "loop", "post":
            let transport = CurlTransport(configuration: configuration(for: url))
            if what == "loop" { measurement.executor = transport.loopExecutor }
            let client = NetworkClient(configuration: NetworkConfiguration(baseURL: nil, transport: transport))
            let body: RequestBody = what == "post" ? .data(Data(count: 1024)) : .empty
            let request = try TransportRequest(method: what == "post" ? .post : .get, url: url, body: body)
            try await measurement.run {
                try await client.execute(request).body.collect().count
            }
        case "stack":
            let transport = CurlTransport(configuration: configuration(for: url))
            let client = NetworkClient(
                configuration: NetworkConfiguration(
                    baseURL: URL(string: url), transport: transport,
                    middleware: [
                        RetryMiddleware(), RequestIDMiddleware(), UserAgentMiddleware("bench/1"), AcceptMiddleware(),
                        PassThrough(),
                    ]))
            let request = NetworkRequest<VoidRequest, Completion>(method: .get)
            try await measurement.run { try await client.run(request).value.choices.count }
        case "urlsession":
            let transport = URLSessionTransport()
            let client = NetworkClient(configuration: NetworkConfiguration(baseURL: nil, transport: transport))
            let request = try TransportRequest(url: url)
            try await measurement.run { try await client.execute(request).body.collect().count }
        case "urlsession-bare":
            let session = URLSession(configuration: .ephemeral)
            guard let target = URL(string: url) else { return }
            try await measurement.run { try await session.data(from: target).0.count }
        case "download": try await Streams.download(url)
        case "upload": try await Streams.upload(url, bytes: arguments.number("bytes", 100 << 20))
        case "micro": try await Micro.run()
        default: print("nothing is called \(what)")
        }
    }

    /// Certificates of the benchmark's server are made for the run.
    private static func configuration(for url: String) -> CurlTransport.Configuration {
        var configuration = CurlTransport.Configuration()
        configuration.proxy = .none
        if url.hasPrefix("https") { configuration.tls.dangerouslySkipsVerification = true }
        return configuration
    }
}

struct PassThrough: NetworkMiddleware {
    func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        try await next(request)
    }
}

/// The shape of the server's `/1k`.
struct Completion: Decodable {
    struct Choice: Decodable {
        struct Message: Decodable {
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
