// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import MiddlewareSupport
import StrataCompression
import StrataCore
import StrataEncoding
import StrataMiddleware
import StrataTesting
import StrataTransportSupport
import Synchronization
import TestSupport
import Testing

struct CompressionMiddlewareTests {
    private let text = String(repeating: "all work and no play makes Jack a dull boy. ", count: 200)
    private let server = Origin(scheme: "https", host: "api.example")

    /// What a server gets that decodes the body.
    private func decoded(_ request: RecordedRequest) async throws -> String {
        var response = TransportResponse(
            head: HTTPResponse(
                status: .ok, headerFields: [.contentEncoding: request["content-encoding"] ?? "identity"]),
            body: ResponseBody(request.body))
        if request["content-encoding"] != nil { ContentCoding.decode(&response) }
        return String(decoding: try await response.body.collect(), as: UTF8.self)
    }

    private func body(_ pieces: [String], length: Int64? = nil) -> RequestBody {
        .stream(length: length, isReplayable: true) { PiecesSource(pieces.map { Data($0.utf8) }) }
    }

    @Test func compressesWhatIsInMemory() async throws {
        let transport = ScriptedTransport()
        let client = makeClient(transport, CompressionMiddleware(.origins(server)))
        _ = try await client.call(
            .post, fields: [.contentType: "text/plain", .contentLength: "\(text.utf8.count)"],
            body: .data(Data(text.utf8)))
        let request = transport.requests[0]
        #expect(request["content-encoding"] == "gzip" && request["content-length"] == nil)
        #expect(request.body.count < 200)
        #expect(try await decoded(request) == text)
    }

    @Test(arguments: [1, 2, 7, 300, 8999])
    func compressesStreamsAtEverySplit(size: Int) async throws {
        let transport = ScriptedTransport()
        let client = makeClient(transport, CompressionMiddleware(.any))
        let pieces = stride(from: 0, to: text.count, by: size).map { String(text.dropFirst($0).prefix(size)) }
        _ = try await client.call(.post, body: body(pieces))
        #expect(transport.requests[0]["content-encoding"] == "gzip")
        #expect(try await decoded(transport.requests[0]) == text)
    }

    @Test func eachPieceOfAStreamGoesOutAsItComes() async throws {
        let source = HangingSource("first piece")
        let sent = RequestBody.stream(isReplayable: false) { source }
        let transport = PullingTransport()
        let client = makeClient(transport, CompressionMiddleware(.any))
        let call = Task { try await client.call(.post, body: sent) }
        await eventually { transport.received.count > 0 }
        // Everything that was put in can be had again, though the stream has not ended.
        await eventually { transport.received.suffix(4) == Data([0, 0, 0xff, 0xff]) }
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(source.isCancelled)
    }

    @Test func compressesFilesAndLargeBodiesWhileTheyAreSent() async throws {
        let large = String(repeating: text, count: 300)
        let transport = ScriptedTransport()
        let client = makeClient(transport, CompressionMiddleware(.any))
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("compression-\(UUID())")
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        _ = try await client.call(.post, body: .data(Data(large.utf8)))
        _ = try await client.call(.put, body: .file(file))
        #expect(try await decoded(transport.requests[0]) == large)
        #expect(try await decoded(transport.requests[1]) == text)
    }

    @Test func leavesAloneWhatWouldNotGetSmaller() async throws {
        var random = SeededGenerator(seed: 1)
        let noise = Data((0..<5000).map { _ in UInt8.random(in: 0...255, using: &random) })
        let pieces = AsyncStream { continuation in
            continuation.yield(Data(text.utf8))
            continuation.finish()
        }
        let bodies: [(HTTPFields, RequestBody)] = [
            ([:], .data(Data("short".utf8))), ([:], .data(Data())), ([:], .empty), ([:], .data(noise)),
            ([.contentEncoding: "br"], .data(Data(text.utf8))), ([.contentType: "image/png"], .data(Data(text.utf8))),
            ([.contentType: "application/zip"], body([text])),
            ([.contentRange: "bytes 0-9/10"], .data(Data(text.utf8))),
            ([.known("Content-Digest"): "sha-256=:AA==:"], .data(Data(text.utf8))),
            ([:], .stream(from: pieces, trailers: { [.known("Content-Digest"): "sha-256=:AA==:"] })),
        ]
        let transport = ScriptedTransport()
        let client = makeClient(transport, CompressionMiddleware(.any))
        for (fields, body) in bodies { _ = try await client.call(.post, fields: fields, body: body) }
        #expect(
            transport.requests.map { $0["content-encoding"] } == [nil, nil, nil, nil, "br", nil, nil, nil, nil, nil])
        #expect(transport.requests[3].body == noise)
        _ = try await client.call(.post, fields: [.contentType: "image/svg+xml"], body: .data(Data(text.utf8)))
        #expect(transport.requests.last?["content-encoding"] == "gzip")
    }

    @Test func waitsForTheServersWord() async throws {
        let transport = ScriptedTransport { request in
            switch request.path {
            case "/yes": .status(200, fields: [.acceptEncoding: "br, gzip;q=0.5"])
            case "/no": .status(200, fields: [.acceptEncoding: "gzip;q=0, identity"])
            default: .status(200)
            }
        }
        let compression = CompressionMiddleware()
        let client = makeClient(transport, compression)
        func sends() async throws -> String? {
            _ = try await client.call(.post, body: .data(Data(text.utf8)))
            return transport.requests.last?["content-encoding"]
        }
        #expect(try await sends() == nil)
        _ = try await client.call(.get, "/yes")
        #expect(try await sends() == "gzip")
        _ = try await makeClient(transport, compression).call(.get, "/no")
        #expect(try await sends() == nil)
        _ = try await client.call(.get, "https://other.example/yes")
        #expect(try await sends() == nil)
    }

    @Test func aRefusedBodyIsSentAsItIs() async throws {
        let transport = ScriptedTransport { request in
            .status(request["content-encoding"] == nil ? 200 : 415, fields: [.acceptEncoding: "identity"])
        }
        let client = makeClient(transport, CompressionMiddleware(.origins(server)))
        for _ in 0..<2 {
            let response = try await client.call(.post, body: .data(Data(text.utf8)))
            #expect(response.head.status == .ok)
        }
        #expect(transport.requests.map { $0["content-encoding"] } == ["gzip", nil, nil])
        #expect(transport.requests[1].text == text)
    }

    @Test func aRefusalOfTheTypeIsHandedUp() async throws {
        let types = ScriptedTransport(.status(415, fields: [.acceptEncoding: "gzip"]))
        let client = makeClient(types, CompressionMiddleware(.origins(server)))
        #expect(try await client.call(.post, body: .data(Data(text.utf8))).head.status == .unsupportedMediaType)
        #expect(types.requests.count == 1)
        let silent = ScriptedTransport(.status(415))
        let other = makeClient(silent, CompressionMiddleware(.origins(server)))
        for _ in 0..<2 { _ = try await other.call(.post, body: .data(Data(text.utf8))) }
        #expect(silent.requests.map { $0["content-encoding"] } == ["gzip", nil, "gzip", nil])
    }

    @Test func aOneShotBodyThatIsRefusedIsHandedUp() async throws {
        let transport = ScriptedTransport { .status($0["content-encoding"] == nil ? 200 : 415) }
        let client = makeClient(transport, CompressionMiddleware(.origins(server)))
        #expect(try await client.call(.post, body: oneShotBody(text)).head.status == .unsupportedMediaType)
        #expect(try await client.call(.post, body: oneShotBody(text)).head.status == .ok)
        #expect(transport.requests.last?.text == text)
    }

    @Test func aRetrySendsTheSameBytes() async throws {
        let transport = ScriptedTransport(.status(503), .status(200))
        let client = makeClient(transport, CompressionMiddleware(.any), RetryMiddleware(backoff: .none))
        _ = try await client.call(.put, body: body([text, text]))
        #expect(transport.requests.count == 2 && transport.requests[0].body == transport.requests[1].body)
        #expect(try await decoded(transport.requests[1]) == text + text)
    }

    @Test func aBodyThatBreaksOffFailsTheUpload() async throws {
        let broken = RequestBody.stream(isReplayable: false) {
            PiecesSource([Data("a".utf8)], failure: TestError())
        }
        let client = makeClient(ScriptedTransport(), CompressionMiddleware(.any))
        await #expect { _ = try await client.call(.post, body: broken) } throws: { isFailure($0, .uploadFailed) }
    }

    /// It would not see that a server refuses a compressed body.
    @Test func standsInsideOfStatusValidation() {
        let (compression, validation) = (CompressionMiddleware(), StatusValidationMiddleware())
        #expect(makeClient(ScriptedTransport(), validation, compression).pipelineReport.findings.isEmpty)
        let wrong = makeClient(ScriptedTransport(), compression, validation).pipelineReport
        #expect(wrong.findings.contains { $0.fix.hasPrefix("Move CompressionMiddleware behind") }, "\(wrong)")
    }

    /// A request that is repeated without compression counts once more, and is one more attempt.
    @Test func standsOutsideOfWhatCountsRequests() {
        let compression = CompressionMiddleware()
        let counting: [any NetworkMiddleware] = [
            RateLimitMiddleware(.requests(1, per: .seconds(1))), ConcurrencyLimitMiddleware(1),
            CircuitBreakerMiddleware(),
        ]
        for layer in counting {
            #expect(makeClient(ScriptedTransport(), compression, layer).pipelineReport.findings.isEmpty)
            let wrong = makeClient(ScriptedTransport(), layer, compression).pipelineReport
            #expect(wrong.findings.contains { $0.fix.contains("behind CompressionMiddleware") }, "\(wrong)")
        }
    }

    @Test func standsOutsideOfWhatSigns() {
        struct Signing: NetworkMiddleware {
            let placement = MiddlewarePlacement(role: .signing)
            func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
                try await next(request)
            }
        }
        let compression = CompressionMiddleware()
        let bearer = BearerAuthMiddleware(token: Secret.token)
        for inner in [Signing(), bearer] as [any NetworkMiddleware] {
            let right = makeClient(ScriptedTransport(), compression, inner).pipelineReport
            #expect(right.findings.isEmpty, "\(right)")
            let wrong = makeClient(ScriptedTransport(), inner, compression).pipelineReport
            #expect(wrong.findings.contains { $0.fix.hasPrefix("Move CompressionMiddleware before") }, "\(wrong)")
        }
    }
}

/// Reads bodies piece by piece, and shows what has come.
private final class PullingTransport: NetworkTransport {
    let capabilities = TransportCapabilities(name: "pulling", features: ScriptedTransport.allFeatures)
    private let pieces = Mutex(Data())

    var received: Data { pieces.withLock { $0 } }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let source = try request.body.makeSource()
        defer { source.cancel() }
        while let piece = try await source.next() { pieces.withLock { $0.append(piece) } }
        return TransportResponse(head: HTTPResponse(status: .ok))
    }
}
