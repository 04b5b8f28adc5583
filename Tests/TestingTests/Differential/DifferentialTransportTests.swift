// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import Synchronization
import TestSupport
import Testing

@testable import StrataTesting

struct DifferentialTransportTests {
    /// What is found when the two answer like this, and the first's body is read to its end.
    private func differences(
        _ first: ScriptedReply, _ second: ScriptedReply, fields: HTTPFields = [:]
    ) async throws -> [String] {
        let transport = DifferentialTransport(ScriptedTransport(first), ScriptedTransport(second))
        let request = try TransportRequest(url: "https://h.example/path?token=hunter2", headerFields: fields)
        if let response = try? await transport.send(request) { _ = try? await response.body.collect() }
        #expect(transport.requestCount == 1)
        return transport.differences.map(\.description)
    }

    @Test func findsNothingInTheSameAnswer() async throws {
        let fields: HTTPFields = [.contentType: "text/plain", .eTag: "\"v1\""]
        let pieces = [Data("one ".utf8), Data("two".utf8)]
        #expect(
            try await differences(
                .status(200, fields: fields, body: Data("one two".utf8)), .pieces(pieces, fields: fields)) == [])
        #expect(
            try await differences(
                .pieces([Data("o".utf8), Data("ne two".utf8)], fields: fields), .pieces(pieces, fields: fields)) == [])
        #expect(try await differences(.failure(.cannotConnect), .failure(.cannotConnect)) == [])
    }

    @Test func returnsTheFirstsAnswer() async throws {
        let second = ScriptedTransport(.text("second"))
        let transport = DifferentialTransport(ScriptedTransport(.text("first")), second)
        let response = try await transport.send(
            TransportRequest(method: .post, url: "https://h/", body: .data(Data("x".utf8))))
        #expect(try await response.body.collect() == Data("first".utf8))
        #expect(second.requests.map(\.text) == ["x"])
    }

    @Test func findsAnotherStatus() async throws {
        #expect(
            try await differences(.status(200), .status(204)) == ["1. GET /path: status: 200 against 204"])
    }

    @Test func findsOtherTrailers() async throws {
        let (plain, signed) = (ScriptedReply.text("body"), ScriptedReply.text("body").followed(by: [.eTag: "a"]))
        #expect(try await differences(signed, signed) == [])
        #expect(try await differences(signed, plain) == [#"1. GET /path: trailers: "etag" against """#])
        #expect(
            try await differences(signed, .text("body").followed(by: [.eTag: "b"])) == [
                #"1. GET /path: trailers: "etag" against "etag""#
            ])
    }

    @Test func findsOtherFields() async throws {
        var two = HTTPFields()
        two.append(HTTPField(name: .eTag, value: "a"))
        two.append(HTTPField(name: .eTag, value: "b"))
        #expect(
            try await differences(
                .status(200, fields: [.eTag: "a", .server: "one", .date: "now"]),
                .status(200, fields: two + [HTTPField(name: .age, value: "3")])) == [
                    #"1. GET /path: field etag: "a" against "a" "b""#,
                    #"1. GET /path: field server: "one" against absent"#,
                ])
    }

    @Test func printsNoSecret() async throws {
        let found = try await differences(
            .status(200, fields: [.setCookie: "a=hunter2"]), .status(200, fields: [.setCookie: "a=hunter3"]))
        #expect(found == ["1. GET /path: field set-cookie: *** against ***"])
    }

    @Test(arguments: [("X-Auth-Token", "TOKEN1"), ("X-Api-Key", "K1"), ("Authentication-Info", "nextnonce=\"n\"")])
    func printsNoValueOfAFieldWhoseNameTellsOfASecret(name: String, value: String) async throws {
        let field = try #require(HTTPField.Name(name))
        let found = try await differences(.status(200, fields: [field: value]), .status(200))
        #expect(found == ["1. GET /path: field \(name.lowercased()): *** against absent"])
    }

    @Test(arguments: [
        ("Location", "https://b/?access_token=S1&a=\">\"", #""https://b/?***""#),
        ("Location", "/a#access_token=S1?b", #""/a#***""#), ("Location", "/a", #""/a""#),
        ("Location", "https://u:S1@b/a@c", #""https://***@b/a@c""#), ("Location", "//S1:x@y@b", #""//***@b""#),
        ("Link", "<https://u:S1@b>; title=a@b, <https://S1@c>", #""<https://***@b>; title=a@b, <https://***@c>""#),
        ("Content-Location", "?code=S1", #""?***""#), ("Refresh", "0; url=/a?sig=S1", #""0; url=/a?***""#),
        (
            "Link", "<https://b/?token=S1>; rel=\"next\", </c#S1>; rel=last",
            #""<https://b/?***>; rel="next", </c#***>; rel=last""#
        ),
        ("Server", "a?b#c", #""a?b#c""#),
    ])
    func printsNoSecretOfAURLInAField(name: String, value: String, words: String) async throws {
        let field = try #require(HTTPField.Name(name))
        let found = try await differences(.status(200, fields: [field: value]), .status(200))
        #expect(found == ["1. GET /path: field \(name.lowercased()): \(words) against absent"])
        let others = try await differences(
            .status(200, fields: [field: value]), .status(200, fields: [field: value + "2"]))
        #expect(others.count == 1)
    }

    /// What cannot keep repeats apart is not blamed for it.
    @Test func readsRepeatsAsAListWhereOneOfThemJoins() async throws {
        var repeated = HTTPFields()
        for value in ["a", "b"] { repeated.append(HTTPField(name: .vary, value: value)) }
        let fields = repeated
        let joining = ScriptedTransport(
            [.status(200, fields: [.vary: "a, b"])], features: ScriptedTransport.allFeatures.subtracting(.exactFields))
        let transport = DifferentialTransport(ScriptedTransport(.status(200, fields: fields)), joining)
        #expect(!transport.capabilities.features.contains(.exactFields))
        _ = try await transport.send(TransportRequest(url: "https://h/"))
        #expect(transport.differences.isEmpty)
    }

    @Test func findsAnotherBody() async throws {
        let cases: [(one: String, other: String, found: String)] = [
            ("abcdef", "abcxef", "differs at byte 3 against differs there"),
            ("abc", "abcdef", "3 bytes against more than 3 bytes"),
            ("abcdef", "abc", "more than 3 bytes against 3 bytes"),
            ("", "abc", "0 bytes against more than 0 bytes"), ("abc", "", "more than 0 bytes against 0 bytes"),
        ]
        for (one, other, found) in cases {
            for size in [1, 2, 4, 10] {
                let second = Array(other.utf8)
                let pieces = stride(from: 0, to: second.count, by: size).map {
                    Data(second[$0..<min($0 + size, second.count)])
                }
                #expect(
                    try await differences(.pieces([Data(one.utf8)]), .pieces(pieces)) == [
                        "1. GET /path: body: \(found)"
                    ])
            }
        }
    }

    @Test func findsAnotherFailure() async throws {
        #expect(
            try await differences(.failure(.cannotConnect), .failure(.tlsFailed)) == [
                "1. GET /path: outcome: cannotConnect against tlsFailed"
            ])
        #expect(
            try await differences(.failure(.cannotConnect), .status(200)) == [
                "1. GET /path: outcome: cannotConnect against status 200"
            ])
        #expect(
            try await differences(.status(200), .failure(NetworkClientError.timedOut(.idle))) == [
                "1. GET /path: outcome: status 200 against timedOut (idle)"
            ])
    }

    @Test func comparesHowBodiesFail() async throws {
        let lost = NetworkClientError(.connectionLost, "scripted")
        let broken = NetworkClientError(.protocolViolation, "scripted")
        let (short, long) = ([Data("ab".utf8)], [Data("ab".utf8), Data("cd".utf8)])
        // How much came before is a matter of buffers.
        #expect(try await differences(.pieces(short, failure: lost), .pieces(long, failure: lost)) == [])
        #expect(try await differences(.pieces(long, failure: lost), .pieces(short, failure: lost)) == [])
        #expect(
            try await differences(.pieces(long, failure: lost), .pieces(short, failure: broken)) == [
                "1. GET /path: body: connectionLost against protocolViolation"
            ])
        #expect(
            try await differences(.pieces(long, failure: lost), .pieces(long)) == [
                "1. GET /path: body: connectionLost against a whole body"
            ])
        #expect(
            try await differences(.pieces(short, failure: lost), .pieces(short)) == [
                "1. GET /path: body: connectionLost against a whole body"
            ])
        #expect(
            try await differences(.pieces(long), .pieces(short, failure: lost)) == [
                "1. GET /path: body: a whole body against connectionLost"
            ])
    }

    @Test func keepsNoFailureBackForABodyThatGoesOn() async throws {
        let lost = NetworkClientError(.connectionLost, "scripted")
        #expect(
            try await differences(.pieces([Data("ab".utf8)], failure: lost), .source { HangingSource("ab") }) == [
                "1. GET /path: body: connectionLost against a body that goes on"
            ])
    }

    @Test func givesASecondThatAnswersLaterAsMuchMoreTimeToFail() async throws {
        let clock = VirtualClock()
        let lost = NetworkClientError(.connectionLost, "scripted")
        let transport = DifferentialTransport(
            ScriptedTransport(.pieces([Data("ab".utf8)], failure: lost)),
            ScriptedTransport { _ in
                clock.advance(by: .milliseconds(700))
                return .source { HangingSource("ab") }
            },
            ignoring: [], clock: clock, onDifference: { _ in })
        let response = try await transport.send(TransportRequest(url: "https://h/"))
        await #expect(throws: NetworkClientError.self) { try await response.body.collect() }
        #expect(clock.sleeps == [.milliseconds(1200)])
    }

    @Test func sendsAOneShotBodyTwice() async throws {
        let (first, second) = (ScriptedTransport(), ScriptedTransport())
        let transport = DifferentialTransport(first, second)
        let stream = AsyncStream<Data> { continuation in
            for text in ["one ", "two"] { continuation.yield(Data(text.utf8)) }
            continuation.finish()
        }
        _ = try await transport.send(TransportRequest(method: .put, url: "https://h/", body: .stream(from: stream)))
        #expect(first.requests.map(\.text) == ["one two"])
        #expect(second.requests.map(\.text) == ["one two"])
    }

    @Test func asksOnlyForWhatBothCanDo() async throws {
        let little = ScriptedTransport([.status(200)], features: [.streamingResponse])
        let transport = DifferentialTransport(ScriptedTransport(), little)
        let client = NetworkClient(configuration: NetworkConfiguration(baseURL: nil, transport: transport))
        var options = RequestOptions()
        options.httpVersion = .http2PriorKnowledge
        await #expect {
            try await client.execute(TransportRequest(url: "https://h/", options: options))
        } throws: {
            ($0 as? NetworkClientError)?.code == .unsupportedByTransport
        }
        #expect(transport.requestCount == 0)
    }

    @Test func tellsAsItFinds() async throws {
        let found = Mutex<[TransportDifference]>([])
        let transport = DifferentialTransport(ScriptedTransport(.status(200)), ScriptedTransport(.status(500))) {
            difference in found.withLock { $0.append(difference) }
        }
        _ = try await transport.send(TransportRequest(url: "https://h/"))
        #expect(found.withLock { $0.map(\.aspect) } == [.status])
    }

    @Test func cancelsBoth() async throws {
        let sources = [PiecesSource([Data("abc".utf8)]), PiecesSource([Data("abc".utf8)])]
        let transport = DifferentialTransport(
            ScriptedTransport(.source { sources[0] }), ScriptedTransport(.source { sources[1] }))
        try await transport.send(TransportRequest(url: "https://h/")).body.cancel()
        #expect(sources.allSatisfy { $0.isCancelled })
        #expect(transport.differences.isEmpty)
    }
}
