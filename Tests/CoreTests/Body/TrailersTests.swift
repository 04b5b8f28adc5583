// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataTesting
import Testing

struct TrailersTests {
    private static let sum = HTTPField.Name("X-Sum") ?? .accept
    private static let fields: HTTPFields = [sum: "7"]
    private static let pieces = ScriptedReply.pieces([Data("a".utf8), Data("b".utf8)]).followed(by: fields)

    private func execute(
        _ reply: ScriptedReply, middleware: [any NetworkMiddleware] = []
    ) async throws -> TransportResponse {
        try await makeClient(ScriptedTransport(reply), middleware: middleware)
            .execute(TransportRequest(url: "https://h.example/"))
    }

    private func isNotRead(_ error: any Error) -> Bool { (error as? NetworkClientError)?.code == .bodyNotRead }

    // MARK: Of responses

    @Test func areThereWhenTheBodyHasBeenRead() async throws {
        let response = try await execute(Self.pieces)
        #expect(try await response.body.collect() == Data("ab".utf8))
        #expect(try await response.trailers == Self.fields)
        #expect(try await response.trailers == Self.fields)
    }

    @Test func areAskedForInVainBeforeTheEnd() async throws {
        let response = try await execute(Self.pieces)
        await #expect { try await response.trailers } throws: { isNotRead($0) }
        var pieces = response.body.makeAsyncIterator()
        _ = try await pieces.next()
        await #expect { try await response.trailers } throws: { isNotRead($0) }
        while try await pieces.next() != nil {}
        #expect(try await response.trailers == Self.fields)
    }

    @Test func areNotThereWhenTheBodyFails() async throws {
        let lost = NetworkClientError(.connectionLost, "lost")
        let response = try await execute(.pieces([Data("a".utf8)], failure: lost).followed(by: Self.fields))
        await #expect(throws: NetworkClientError.self) { try await response.body.collect() }
        await #expect { try await response.trailers } throws: { error in
            isNotRead(error) && (error as? NetworkClientError)?.exchange?.attempts.count == 1
        }
    }

    @Test func areNotThereWhenTheBodyIsGivenUp() async throws {
        let response = try await execute(Self.pieces)
        response.body.cancel()
        await #expect { try await response.trailers } throws: { isNotRead($0) }
    }

    @Test func ofAWholeBodyAreThereWhenItIsRead() async throws {
        let response = try await execute(.text("ok").followed(by: Self.fields))
        #expect(try await response.body.collect() == Data("ok".utf8))
        #expect(try await response.trailers == Self.fields)
    }

    @Test func areNoneWhereNoneCame() async throws {
        let whole = try await execute(.text("ok"))
        #expect(try await whole.trailers.isEmpty)
        let pieces = try await execute(.pieces([Data("a".utf8)]))
        _ = try await pieces.body.collect()
        #expect(try await pieces.trailers.isEmpty)
    }

    @Test func areNeverFieldsOfTheHead() async throws {
        let response = try await execute(Self.pieces)
        _ = try await response.body.collect()
        #expect(response.head.headerFields[Self.sum] == nil)
    }

    @Test(arguments: [
        "Content-Length", "transfer-encoding", "Host", "Trailer", "TE", "Connection", "Content-Type",
        "Content-Encoding",
        "Set-Cookie", "Authorization", "Cache-Control", "If-None-Match", "Location", "Sec-WebSocket-Accept", "Range",
        "Access-Control-Allow-Origin", "Date",
    ])
    func leaveOutWhatMayNotStandBehindABody(_ name: String) async throws {
        let name = try #require(HTTPField.Name(name))
        #expect(!name.mayBeTrailer)
        let fields: HTTPFields = [name: "1", Self.sum: "7"]
        let response = try await execute(.pieces([Data("a".utf8)]).followed(by: fields))
        _ = try await response.body.collect()
        #expect(try await response.trailers == Self.fields)
    }

    @Test(arguments: [
        "grpc-status", "ETag", "Content-Digest", "Repr-Digest", "Digest", "Server-Timing", "Signature",
        "Signature-Input",
        "Authentication-Info", "Accept-Ranges", "Last-Modified", "X-Amz-Checksum-Crc32",
    ])
    func keepWhatMayStandBehindABody(_ name: String) throws {
        #expect(try #require(HTTPField.Name(name)).mayBeTrailer)
    }

    @Test func stayWhenALayerPutsSomethingAroundTheBody() async throws {
        let layer = Around { request, next in
            var response = try await next(request)
            response.body = response.body.mapSource { $0 }
            return response
        }
        let response = try await execute(Self.pieces, middleware: [layer, layer])
        _ = try await response.body.collect()
        #expect(try await response.trailers == Self.fields)
    }

    @Test func stayWhenALayerCollectsTheBody() async throws {
        let layer = Around { request, next in
            var response = try await next(request)
            response.body = try await response.body.collected(upTo: 100)
            return response
        }
        let response = try await execute(Self.pieces, middleware: [layer])
        #expect(response.body.data == Data("ab".utf8))
        #expect(try await response.trailers == Self.fields)
        // Also with something around the whole body.
        let mapped = response.body.mapSource { $0 }
        #expect(try await mapped.collect() == Data("ab".utf8))
    }

    @Test func areInACollectedResponse() async throws {
        let client = makeClient(
            ScriptedTransport(.pieces([Data(#"{"id":1,"title":"a"}"#.utf8)]).followed(by: Self.fields)))
        let response = try await client.run(NetworkRequest<VoidRequest, Post>(path: "posts/1", method: .get))
        #expect(response.value.id == 1)
        #expect(response.trailers == Self.fields)
    }

    @Test func areInACollectedResponseWithoutAModel() async throws {
        let client = makeClient(ScriptedTransport(.status(204), .pieces([Data("x".utf8)]).followed(by: Self.fields)))
        let request = NetworkRequest<VoidRequest, VoidResponse>(path: "posts/1", method: .get)
        #expect(try await client.run(request).trailers.isEmpty)
        #expect(try await client.run(request).trailers == Self.fields)
    }

    @Test func showNoSecrets() async throws {
        let fields: HTTPFields = [Self.sum: "opensesame"]
        let client = makeClient(ScriptedTransport(.pieces([Data(#"{"id":1,"title":"a"}"#.utf8)]).followed(by: fields)))
        let response = try await client.run(NetworkRequest<VoidRequest, Post>(path: "posts/1", method: .get))
        #expect(response.trailers == fields)
        var dumped = "\(response) \(String(reflecting: response))"
        dump(response, to: &dumped)
        #expect(!dumped.contains("opensesame"))
    }

    // MARK: Of requests

    private func send(_ body: RequestBody) async throws -> RecordedRequest {
        let transport = ScriptedTransport()
        _ = try await makeClient(transport).execute(
            TransportRequest(method: .post, url: "https://h.example/", body: body))
        return try #require(transport.requests.first)
    }

    private static func stream() -> AsyncStream<Data> {
        AsyncStream { continuation in
            for text in ["a", "b"] { continuation.yield(Data(text.utf8)) }
            continuation.finish()
        }
    }

    @Test func areMadeAtTheEndOfAStream() async throws {
        let bodies: [RequestBody] = [
            .stream(from: Self.stream(), trailers: { Self.fields }),
            .stream(make: Self.stream, trailers: { Self.fields }),
            .stream(isReplayable: true, hasTrailers: true) { PiecesSource([Data("ab".utf8)], trailers: Self.fields) },
        ]
        #expect(bodies.map(\.hasTrailers) == [true, true, true])
        #expect(bodies.map(\.isReplayable) == [false, true, true])
        #expect(bodies.map(\.length) == [nil, nil, nil])
        for body in bodies {
            let request = try await send(body)
            #expect(request.text == "ab")
            #expect(request.trailers == Self.fields)
        }
    }

    @Test(arguments: ["Content-Length", "Host", "Authorization", "Cookie", "Transfer-Encoding"])
    func thatMayNotStandBehindABodyFailTheUpload(_ name: String) async throws {
        let name = try #require(HTTPField.Name(name))
        await #expect {
            try await send(.stream(make: Self.stream, trailers: { [name: "1"] }))
        } throws: { error in
            let text = "\(error)"
            return (error as? NetworkClientError)?.code == .uploadFailed && text.contains(name.rawName)
        }
    }

    @Test func withControlCharactersFailTheUpload() async {
        let fields = HTTPFields([HTTPField(name: Self.sum, lenientValue: Array("a\u{1}b".utf8))])
        await #expect {
            try await send(.stream(make: Self.stream, trailers: { fields }))
        } throws: { ($0 as? NetworkClientError)?.code == .uploadFailed }
    }

    @Test func thatWereNotAnnouncedFailTheUpload() async {
        await #expect {
            try await send(.stream(isReplayable: true) { PiecesSource([Data("a".utf8)], trailers: Self.fields) })
        } throws: { ($0 as? NetworkClientError)?.code == .uploadFailed }
    }

    @Test func thatCannotBeMadeFailTheUpload() async {
        struct Failure: Error {}
        await #expect {
            try await send(.stream(make: Self.stream, trailers: { throw Failure() }))
        } throws: { error in
            (error as? NetworkClientError)?.code == .uploadFailed && (error as? NetworkClientError)?.cause is Failure
        }
    }

    @Test func areNotSentByATransportThatCannot() async throws {
        let transport = ScriptedTransport([], features: ScriptedTransport.allFeatures.subtracting(.requestTrailers))
        await #expect {
            try await makeClient(transport).execute(
                TransportRequest(
                    method: .post, url: "https://h.example/",
                    body: .stream(make: Self.stream, trailers: { Self.fields })))
        } throws: { ($0 as? NetworkClientError)?.code == .unsupportedByTransport }
        #expect(transport.requests.isEmpty)
    }
}
