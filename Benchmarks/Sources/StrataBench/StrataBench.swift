// SPDX-License-Identifier: Apache-2.0

import Foundation
import Harness
import StrataCore
import StrataCurl
import StrataEncoding
import StrataMiddleware
import StrataNative
import StrataURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What is measured of this package:
///
///     StrataBench what=get|post|stack|session|download|upload|multipart|idle|socket|sockets|cancel|micro url=… c=64 n=20000 warm=2000
///
/// `transport=native` and `transport=urlsession` measure the other transports. With the native one `executor=loop` has the tasks run on its
/// loops, `loops=2` gives it two, and `proxy=URL` a proxy. `http=1` asks for HTTP/1.1.
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
        case "socket": try await Sockets.run(arguments)
        case "sockets": try await Sockets.idle(arguments)
        case "cancel": try await Cancellation.run(arguments)
        case "micro": try await Micro.run()
        case let other: print("nothing is called \(other)")
        }
    }

    /// `execute` without any middleware, the body collected.
    private static func requests(_ method: HTTPRequest.Method, body: RequestBody, _ arguments: Arguments) async throws {
        let transport = benchTransport(arguments)
        let client = benchClient(transport)
        var request = try TransportRequest(method: method, url: arguments.url, body: body)
        if arguments.number("http", 0) == 1 { request.options.httpVersion = .http1 }
        let asked = request
        let onLoops = arguments.text("executor", "") == "loop"
        let executors = onLoops ? (transport as? NativeTransport)?.loopExecutors ?? [] : []
        try await Measurement(arguments, executors: executors).run {
            try await client.execute(asked).body.collect().count
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
    switch arguments.text("transport", "curl") {
    case "urlsession": return URLSessionTransport()
    case "native":
        var configuration = NativeTransport.Configuration()
        let proxy = arguments.text("proxy", "")
        configuration.proxy = proxy.isEmpty ? .none : .url(proxy)
        configuration.loops = arguments.number("loops", 1)
        if arguments.url.hasPrefix("https") { configuration.tls.dangerouslySkipsVerification = true }
        return NativeTransport(configuration: configuration)
    default: break
    }
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
