// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataRequests
import StrataTesting
import TestSupport
import Testing

struct StreamTests {
    private let request = Request(.post, url: usersURL) { Body { User(name: "Ada") } }

    @Test func theBodyComesAsLinesBytesOrPieces() async throws {
        let pieces = ["on", "e\r\ntwo"].map { Data($0.utf8) }
        let client = client(ScriptedTransport(.pieces(pieces)))
        #expect(try await request.send(as: .lines, client: client).all() == ["one", "two"])
        #expect(try await request.send(as: .bytes, client: client).all() == Array("one\r\ntwo".utf8))
        #expect(try await request.send(as: .pieces, client: client).all() == pieces)
    }

    @Test func jsonLinesAreModels() async throws {
        let transport = ScriptedTransport(
            .pieces(
                [Data("{\"name\":\"Ada\"}\n{\"na".utf8), Data("me\":\"Bob\"}".utf8)],
                fields: [.contentType: "application/x-ndjson"]))
        let users = try await request.send(as: .jsonLines(of: User.self), client: client(transport)).all()
        #expect(users.map(\.name) == ["Ada", "Bob"])
    }

    @Test func eventsComeAsTheyAreOrDecoded() async throws {
        let transport = ScriptedTransport(.events("event: a\ndata: {\"name\"", ":\"Ada\"}\n\ndata: [DONE]\n\n"))
        let events = try await request.send(as: .events, client: client(transport)).all()
        #expect(events.map(\.type) == ["a", "message"])
        let users = try await request.send(as: .events(of: User.self, until: "[DONE]"), client: client(transport)).all()
        #expect(users == [User(name: "Ada")])
        let sent = try #require(transport.requests.first)
        #expect(sent.method == .post)
        #expect(sent["Accept"] == "text/event-stream")
        #expect(sent.text == #"{"name":"Ada"}"#)
    }

    @Test func linesAndModelsHaveALimit() async throws {
        let pieces = [Data("{}\n{\"name\":\"Ada\"}\n".utf8)]
        let client = client(ScriptedTransport(.pieces(pieces, fields: [.contentType: "application/jsonl"])))
        let users = try await request.send(as: .jsonLines(of: User.self, skipsMalformed: true), client: client)
        #expect(try await users.all() == [User(name: "Ada")])
        let lines = try await request.send(as: .lines(maximumLength: 3), client: client)
        let limited = try await request.send(
            as: .jsonLines(of: User.self, skipsMalformed: true, maximumLength: 3), client: client)
        for read in [{ _ = try await lines.all() }, { _ = try await limited.all() }] as [() async throws -> Void] {
            let error = await #expect(throws: NetworkClientError.self) { try await read() }
            #expect(error?.code == .bodyTooLarge)
        }
    }

    @Test func eventsAreReadByTheirOptions() async throws {
        let client = client(ScriptedTransport(.events("data: {\"name\":\"Ada\"}\n")))
        var options = ServerSentEvents.Options()
        options.keepsUnfinishedEvent = true
        #expect(try await request.send(as: .events, client: client).all().isEmpty)
        #expect(try await request.send(as: .events(options: options), client: client).all().count == 1)
        let users = try await request.send(as: .events(of: User.self, options: options), client: client)
        #expect(try await users.all() == [User(name: "Ada")])
    }

    @Test func theHeadIsThereBeforeTheBody() async throws {
        let source = PiecesSource([Data("a\n".utf8)])
        let lines = try await request.send(as: .lines, client: client(ScriptedTransport(.source { source })))
        #expect(lines.response.status == .ok)
        #expect(source.remaining == 1)
    }

    @Test func leavingTheLoopCancelsTheTransfer() async throws {
        let source = PiecesSource(["a\n", "b\n", "c\n"].map { Data($0.utf8) })
        let client = client(ScriptedTransport(.source { source }))
        for try await line in try await request.send(as: .lines, client: client) {
            #expect(line == "a")
            break
        }
        #expect(source.isCancelled)
    }

    @Test func eventsWantSuccessAndTheirContentType() async throws {
        let refused = await #expect(throws: RequestError.self) {
            try await request.send(as: .events, client: client(ScriptedTransport(.text("no", status: 404))))
        }
        guard case .httpStatus(_, let httpError) = refused else { return #expect(Bool(false), "\(refused as Any)") }
        #expect(httpError.response.data == Data("no".utf8))
        let other = await #expect(throws: RequestError.self) {
            try await request.send(as: .events, client: client(ScriptedTransport(.json("{}"))))
        }
        #expect((other?.underlyingError as? NetworkClientError)?.code == .unacceptableContentType)
    }

    @Test func linesFollowTheConfiguration() async throws {
        let client = client(ScriptedTransport(.text("no", status: 404)))
        let lines = try await request.send(as: .lines, client: client)
        #expect(lines.response.status.code == 404)
        let checked = request.setting(Request.Configuration(parseHTTPStatusErrors: true))
        await #expect(throws: RequestError.self) { try await checked.send(as: .lines, client: client) }
    }

    @Test func uploadsAreStreamed() async throws {
        let transport = ScriptedTransport()
        let pieces = AsyncStream<Data> { continuation in
            for piece in ["a", "b", "c"] { continuation.yield(Data(piece.utf8)) }
            continuation.finish()
        }
        try await Request(.put, url: usersURL) { Body(.stream(from: pieces), contentType: "text/plain") }
            .send(client: client(transport))
        #expect(transport.requests.first?.text == "abc")
        #expect(transport.requests.first?["Content-Type"] == "text/plain")
    }
}
