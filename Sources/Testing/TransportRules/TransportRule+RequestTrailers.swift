// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension TransportRule {
    private static func body(
        _ pieces: [String], _ trailers: HTTPFields, isReplayable: Bool = true
    ) -> RequestBody {
        .stream(isReplayable: isReplayable, hasTrailers: true) {
            PiecesSource(pieces.map { Data($0.utf8) }, trailers: trailers)
        }
    }

    private static func words(_ request: RawLog.Request) -> [String] {
        request.trailers.map { "\($0.name)=\($0.value)" }
    }

    private static func sendsTrailers(
        _ name: String, _ body: RequestBody, text: String, _ expected: [String]
    ) -> TransportRule {
        sends(name, source: "RFC 9110 §6.5", needs: .requestTrailers, .init(.post, body: body)) { bench, request in
            try bench.expect(request.values(of: "Transfer-Encoding"), is: ["chunked"], "Transfer-Encoding")
            try bench.expect(request.values(of: "Content-Length"), is: [], "Content-Length")
            try bench.expect(String(decoding: request.body, as: UTF8.self), is: text, "the body")
            try bench.expect(words(request), is: expected, "the trailers")
        }
    }

    private static func refuses(
        _ name: String, _ trailers: @escaping @Sendable () async throws -> HTTPFields
    ) -> TransportRule {
        TransportRule(name, source: "RFC 9110 §6.5.1", needs: .requestTrailers) { bench in
            let body = RequestBody.stream(
                make: {
                    AsyncStream<Data> { continuation in
                        continuation.yield(Data("ok".utf8))
                        continuation.finish()
                    }
                }, trailers: trailers)
            let server = try RawServer.start(script: [.readRequest, .respond(), .hang])
            defer { server.stop() }
            let error = try await bench.failure(.init(.post, body: body), with: server)
            try bench.expect(error.code, is: .uploadFailed, "the code")
            try await server.wait { $0.isClosedByPeer }
            let bytes = server.log.received.values.joined()
            try bench.expect(
                !String(decoding: Array(bytes), as: UTF8.self).hasSuffix("0\r\n\r\n"), "the body was ended")
        }
    }

    private struct Failure: Error {}

    private static let sent: [TransportRule] = [
        sendsTrailers("a trailer goes out behind the last chunk", body(["ok"], [.xSum: "7"]), text: "ok", ["X-Sum=7"]),
        sendsTrailers(
            "trailers keep order, repeats and empty values on the way out",
            body(["o", "k"], [.xSum: "1", .xMore: "", .xSum: "2"]), text: "ok", ["X-Sum=1", "X-More=", "X-Sum=2"]),
        sendsTrailers("a trailer goes out behind an empty body", body([], [.xSum: "0"]), text: "", ["X-Sum=0"]),
        sendsTrailers("a body that has no trailers after all goes out without", body(["ok"], [:]), text: "ok", []),
        TransportRule("trailers are made when the body has ended", source: "contract", needs: .requestTrailers) {
            bench in
            let count = Tally()
            let body = RequestBody.stream(
                from: AsyncStream<Data> { continuation in
                    for _ in 0..<20 { continuation.yield(Data(count: 50_000)) }
                    continuation.finish()
                }.map { piece in
                    count.add(piece.count)
                    return piece
                }, trailers: { [.xSum: "\(count.value)"] })
            let exchange = try await bench.exchange(.init(.put, body: body), script: [.readRequest, .respond()])
            let request = try bench.theRequest(exchange.log)
            try bench.expect(request.body.count, is: 1_000_000, "the length")
            try bench.expect(words(request), is: ["X-Sum=1000000"], "the trailers")
        },
        TransportRule(
            "each request on a connection has its own trailers", source: "RFC 9112 §7.1.2", needs: .requestTrailers
        ) { bench in
            try await RawServer.withServer(script: alive) { server in
                let asks: [RuleBench.Ask] = [
                    .init(.post, body: body(["a"], [.xSum: "1"])), .init(.post, body: body(["b"], [.xSum: "2"])),
                    .init(.post, body: .stream(isReplayable: true) { PiecesSource([Data("c".utf8)]) }), .init(),
                    .init(.post, body: body(["d"], [.xMore: "3"])),
                ]
                for ask in asks { _ = try await bench.exchange(ask, with: server) }
                try bench.expect(
                    server.log.requests.map(words), is: [["X-Sum=1"], ["X-Sum=2"], [], [], ["X-More=3"]], "the trailers"
                )
                try bench.expect(server.log.requests.map(\.body.count), is: [1, 1, 1, 0, 1], "the lengths")
            }
        },
    ]

    private static let refused: [TransportRule] = [
        refuses("a trailer named Content-Length is not sent") { [.contentLength: "2"] },
        refuses("a trailer named Authorization is not sent") { [.xSum: "7", .authorization: "Basic x"] },
        refuses("trailers that cannot be made fail the upload") { throw Failure() },
    ]

    static let requestTrailers: [TransportRule] = sent + refused
}

extension HTTPField.Name {
    fileprivate static let xSum = known("X-Sum")
    fileprivate static let xMore = known("X-More")
}
