// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Harness
import StrataCompression
import StrataCore
import StrataMiddleware

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a layer adds to a call when it has nothing to do, for `scripts/guard-costs`: processor time, and allocations when they are
/// counted.
///
///     NAME|cpu_ns=… mallocs=…
@main
struct LayerProbe {
    static func main() async throws {
        let layers: [(String, any NetworkMiddleware)] = [
            ("concurrency limit", ConcurrencyLimitMiddleware(100)), ("rate limit", RateLimitMiddleware()),
            ("circuit breaker", CircuitBreakerMiddleware()), ("compression", CompressionMiddleware()),
        ]
        let bare = try await cost([])
        let passing = try await cost([PassThrough()])
        print("a layer that does nothing|\(figures(passing, besides: bare))")
        for (name, layer) in layers { print("\(name)|\(figures(try await cost([layer]), besides: bare))") }
    }

    private struct Cost {
        var nanoseconds: Double
        var mallocs: Double?
    }

    private static func figures(_ cost: Cost, besides bare: Cost) -> String {
        let time = "cpu_ns=\(((cost.nanoseconds - bare.nanoseconds) * 10).rounded() / 10)"
        guard let mallocs = cost.mallocs, let others = bare.mallocs else { return time }
        return time + " mallocs=\(((mallocs - others) * 100).rounded() / 100)"
    }

    private static let count = 100_000

    /// Of one call: the least of five rounds, as others use the machine too.
    private static func cost(_ layers: [any NetworkMiddleware]) async throws -> Cost {
        let client = NetworkClient(
            configuration: NetworkConfiguration(
                baseURL: nil, transport: Canned(), middleware: layers, defaultEncoder: NoFormat(),
                defaultDecoder: NoFormat()))
        let request = try TransportRequest(url: "https://api.example.com/v1/posts")
        for _ in 0..<1000 { _ = try await client.execute(request) }
        var best = Cost(nanoseconds: .infinity, mallocs: nil)
        for _ in 0..<5 {
            let (mallocs, cpu) = (Allocations.count, CPUTime.now)
            for _ in 0..<count { _ = try await client.execute(request) }
            best.nanoseconds = min(best.nanoseconds, (CPUTime.now - cpu).total * 1000 / Double(count))
            if let mallocs, let now = Allocations.count { best.mallocs = Double(now - mallocs) / Double(count) }
        }
        return best
    }
}

/// Answers at once.
private struct Canned: NetworkTransport {
    let capabilities = TransportCapabilities(name: "canned", features: .init(rawValue: .max))
    let head = HTTPResponse(status: .ok, headerFields: [.contentType: "application/json", .server: "bench"])
    let body = Data(#"{"id":1,"title":"hello"}"#.utf8)

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        TransportResponse(head: head, body: ResponseBody(body))
    }
}

private struct PassThrough: NetworkMiddleware {
    func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        try await next(request)
    }
}

/// `execute` neither encodes nor decodes.
private struct NoFormat: RequestBodyEncoder, ResponseBodyDecoder {
    var acceptedContentTypes: [String] { [] }

    func encodeBody<Model: Encodable>(_ model: Model) throws -> EncodedBody { EncodedBody(.empty, contentType: nil) }

    func decode<Model: Decodable>(_ type: Model.Type, from data: Data, response: HTTPResponse) throws -> Model {
        throw NetworkClientError(.decodingFailed, "there is no format")
    }
}
