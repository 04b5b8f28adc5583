// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataTesting
import TestSupport
import Testing

struct RecordedBodiesTests {
    private static let bodies: [Data] = [
        Data(), Data("plain".utf8), Data("caf\u{e9} \u{1F600} \u{FFFD}".utf8), Data(0...255), Data([0xFF, 0xFE, 0x41]),
        Data("bell \u{7} and esc \u{1B}[0m".utf8), Data("cut off \u{e9}".utf8.dropLast()), Data([0xE9, 0x20, 0x41]),
        Data("private use \u{F0041}\u{F00FF}".utf8), Data("\u{feff}bom".utf8), StoredBody.bytes(24_000, seed: 3),
    ]

    @Test(arguments: bodies, ["text/plain", "application/json", "image/png", nil])
    func aBodyComesBackByteForByte(_ body: Data, _ type: String?) async throws {
        let tape = try Tape()
        var options = RecordingOptions()
        options.largestInlineBody = 20_000
        let fields: HTTPFields = type.map { [.contentType: $0] } ?? [:]
        let (client, _) = try tape.recorder(ScriptedTransport(.status(200, fields: fields, body: body)), options)
        _ = try await client.execute(
            TransportRequest(method: .post, url: "https://api.example/", headerFields: fields, body: .data(body)))

        let entry = try #require(try tape.cassette().entries.first)
        #expect(try entry.responseBody() == body)
        #expect(try entry.requestBody() == body)
        let replay = CassetteTransport(try tape.cassette())
        let response = try await replay.send(
            TransportRequest(method: .post, url: "https://api.example/", headerFields: fields, body: .data(body)))
        #expect(try await response.body.collect() == body)
    }

    @Test func aLargeBodyIsAFileThatItsOwnerAloneReads() async throws {
        let tape = try Tape()
        var options = RecordingOptions()
        options.largestInlineBody = 1000
        let pieces = (0..<12).map { StoredBody.bytes(1 << 13, seed: UInt64($0)) }
        let (client, _) = try tape.recorder(ScriptedTransport(.pieces(pieces)), options)
        _ = try await client.execute(TransportRequest(url: "https://api.example/")).body.collect()

        #expect(try tape.folder.names == ["tape.bodies", "tape.har"])
        #expect(try tape.folder.attribute(.posixPermissions, of: "tape.har") == 0o600)
        let file = try #require(FileManager.default.contentsOfDirectory(atPath: tape.folder["tape.bodies"].path).first)
        #expect(try tape.folder.attribute(.posixPermissions, of: "tape.bodies/\(file)") == 0o600)
        #expect(try tape.folder.attribute(.size, of: "tape.har")! < 10_000)

        let replay = CassetteTransport(try tape.cassette())
        let (replayed, failure) = try await replay.send(TransportRequest(url: "https://api.example/")).body.pieces()
        #expect(failure == nil && replayed == pieces)
    }

    @Test func aLargeTextIsMaskedInParts() async throws {
        let tape = try Tape()
        var options = RecordingOptions()
        options.largestInlineBody = 1000
        let line = #"{"id": 1, "password": "hunter-2", "text": "some more words"}"# + "\n"
        let body = Data(String(repeating: line, count: 600).utf8)
        let (client, _) = try tape.recorder(
            ScriptedTransport(
                .pieces(body.rechunked(.every(5001))[0], fields: [.contentType: "application/x-ndjson"])), options)
        _ = try await client.execute(TransportRequest(url: "https://api.example/")).body.collect()
        let recorded = try tape.cassette().entries[0].responseBody()
        #expect(recorded == Data(String(decoding: body, as: UTF8.self).replacing("hunter-2", with: "***").utf8))
        #expect(try tape.cassette().entries[0].pieces.reduce(0) { $0 + $1.count } == recorded.count)
    }

    @Test func largeBodiesOfRequestsAreComparedInFiles() async throws {
        let tape = try Tape()
        var options = RecordingOptions()
        options.largestInlineBody = 1000
        let (client, _) = try tape.recorder(ScriptedTransport(.text("ok")), options)
        let body = StoredBody.bytes(1_060_000, seed: 1)
        var other = body
        other[1_059_999] ^= 1
        func request(_ body: Data) throws -> TransportRequest {
            try TransportRequest(method: .put, url: "https://api.example/", body: .data(body))
        }
        _ = try await client.execute(request(body))
        let replay = CassetteTransport(try tape.cassette())
        await #expect(throws: NetworkClientError.self) { try await replay.send(request(other)) }
        #expect(try await replay.send(request(body)).head.status == .ok)
    }

    @Test func aBodyThatIsSentAgainIsRecordedOnce() async throws {
        let tape = try Tape()
        let transport = ScriptedTransport()
        let twice = TwiceSending(transport: transport)
        let (client, _) = try tape.recorder(twice)
        let body = RequestBody.stream(isReplayable: true) { PiecesSource([Data("ab".utf8), Data("c".utf8)]) }
        _ = try await client.execute(TransportRequest(method: .post, url: "https://api.example/", body: body))
        #expect(try tape.cassette().entries[0].requestBody() == Data("abc".utf8))
    }

    /// A transport that loses a connection and sends again, as libcurl does.
    private struct TwiceSending: NetworkTransport {
        let transport: ScriptedTransport
        var capabilities: TransportCapabilities { transport.capabilities }

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            _ = try await request.body.collect()
            return try await transport.send(request)
        }
    }

    @Test func trailersAreRecordedAndReplayed() async throws {
        let tape = try Tape()
        let digest = try #require(HTTPField.Name("X-Digest"))
        let transport = ScriptedTransport(
            .pieces([Data("ab".utf8), Data("c".utf8)]).followed(by: [digest: "1", .authorization: "s3cret"]))
        let (client, recorder) = try tape.recorder(transport)
        let response = try await client.execute(TransportRequest(url: "https://api.example/a"))
        _ = try await response.body.collect(upTo: 10)
        try recorder.finish()
        #expect(try tape.everything().allSatisfy { !$0.contains("s3cret") })
        let replayed = try await tape.client(CassetteTransport(tape.cassette()))
            .execute(TransportRequest(url: "https://api.example/a"))
        _ = try await replayed.body.collect(upTo: 10)
        #expect(try await replayed.trailers[digest] == "1")
    }
}
