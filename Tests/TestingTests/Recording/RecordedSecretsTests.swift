// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import TestSupport
import Testing

struct RecordedSecretsTests {
    /// A value that is a secret wherever it stands in what is recorded.
    private func secret(_ number: Int) -> String { "pl4nted-\(number)-s3cret" }

    @Test func noSecretIsInAnyFile() async throws {
        let tape = try Tape()
        var options = RecordingOptions()
        options.largestInlineBody = 256
        options.redaction.members.insert("iban")
        let tokens =
            #"{"access_token": "\#(secret(1))", "refresh_token": "\#(secret(2))", "id_token": "\#(secret(3))"}"#
        let long =
            #"{"items": ["# + String(repeating: #"{"name": "x", "api_key": "\#(secret(4))"},"#, count: 30) + "{}]}"
        let replies: [ScriptedReply] = [
            .json(tokens, fields: [.setCookie: "session=\(secret(5)); Path=/; X-Custom=\(secret(6))"]),
            .json(long),
            .pieces([
                Data("data: {\"password\": \"\(secret(7).prefix(6))".utf8),
                Data("\(secret(7).dropFirst(6))\"}\n\n".utf8),
            ]),
            .redirect(to: "https://user:\(secret(8))@other.example/cb?code=\(secret(9))"),
            .text("Authorization: Bearer \(secret(10))\u{1B}[0m"),
            .status(
                200, fields: [.contentType: "image/png"],
                body: Data([0, 1, 2] + Array("ghp_\(secret(11))\(secret(11))".utf8))),
            .status(401, fields: [.wwwAuthenticate: "Bearer", HTTPField.Name("X-Tenant")!: secret(12)]),
            .text("caf\u{e9} password=\(secret(13))"),
        ]
        let recorder = try CassetteRecorder(tape.file, options: options)
        var configuration = tape.client(ScriptedTransport(replies), [RecordingMiddleware(recorder)]).configuration
        configuration.interceptor = { request in
            var request = request
            request.head.headerFields[.authorization] = "Bearer \(secret(20))"
            return request
        }
        configuration.options.redirects.limit = 0
        let client = NetworkClient(configuration: configuration)
        var marked = RequestOptions()
        marked.redirects.limit = 0
        marked.sensitiveFields = [HTTPField.Name("X-Tenant")!]
        marked.sensitiveQueryItems = ["who"]
        for number in replies.indices {
            var fields: HTTPFields = [
                .cookie: "sid=\(secret(21)); b=\(secret(22))", HTTPField.Name("X-Tenant")!: secret(12),
            ]
            var body = Data(#"{"user": "u", "pin": "\#(secret(24))", "iban": "\#(secret(25))"}"#.utf8)
            switch number {
            case 1:
                fields[.contentType] = "application/x-www-form-urlencoded"
                body = Data("grant_type=code&code=\(secret(26))&client_secret=\(secret(27))".utf8)
            case 2:
                fields[.contentType] = "multipart/form-data; boundary=b"
                body = Data(
                    "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n\(secret(28))\r\n--b--\r\n".utf8)
            default: fields[.contentType] = "application/json"
            }
            let request = try TransportRequest(
                method: .post, url: "https://me:\(secret(23))@api.example/a?token=\(secret(29))&who=\(secret(30))",
                headerFields: fields, body: .data(body), options: marked)
            _ = try await client.execute(request).body.collect()
        }
        try recorder.finish()
        let everything = try tape.everything()
        #expect(everything.count > 2)
        for number in 0...30 {
            #expect(everything.allSatisfy { !$0.contains(secret(number)) }, "secret \(number)")
            // Not even a half of one that came in two pieces.
            #expect(everything.allSatisfy { !$0.contains(secret(7).dropFirst(6)) })
        }
    }

    @Test func whatWasMaskedIsMatched() async throws {
        let tape = try Tape()
        let (client, _) = try tape.recorder(ScriptedTransport { .text($0.path) })
        func request(_ secret: String) throws -> TransportRequest {
            try TransportRequest(
                method: .post, url: "https://api.example/login?api_key=\(secret)",
                headerFields: [.contentType: "application/json"],
                body: .data(Data(#"{"user": "ada", "password": "\#(secret)"}"#.utf8)))
        }
        _ = try await client.execute(request("one"))
        let replay = CassetteTransport(
            try tape.cassette(), matching: RequestMatcher.standard + [.fields([.authorization])])
        #expect(try await tape.client(replay).execute(request("another")).body.collect() == Data("/login".utf8))
        try replay.verify()
    }

    @Test func aMultipartBodyIsLeftOutAndMatched() async throws {
        let tape = try Tape()
        let (client, _) = try tape.recorder(ScriptedTransport(.text("ok")))
        func request(_ boundary: String) throws -> TransportRequest {
            try TransportRequest(
                method: .post, url: "https://api.example/up",
                headerFields: [.contentType: "multipart/form-data; boundary=\(boundary)"],
                body: .data(
                    Data(
                        "--\(boundary)\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx\r\n--\(boundary)--\r\n"
                            .utf8)))
        }
        _ = try await client.execute(request("b1"))
        #expect(try tape.entries().first?["request"]?["postData"]?["_withheld"] == true)
        let replay = CassetteTransport(try tape.cassette())
        #expect(try await replay.send(request("b2")).head.status == .ok)
    }

    @Test func cookiesKeepTheirNamesAndAttributes() async throws {
        let tape = try Tape()
        let (client, _) = try tape.recorder(
            ScriptedTransport(.status(200, fields: [.setCookie: "session=abc; Path=/; Max-Age=60; Secure"])))
        _ = try await client.execute(TransportRequest(url: "https://api.example/"))
        let fields = try tape.cassette().entries[0].responseFields
        #expect(fields[.setCookie] == "session=***; Path=/; Max-Age=60; Secure")
    }

    @Test func aMaskedStreamKeepsItsPieces() async throws {
        let tape = try Tape()
        let clock = tape.clock
        let events = ["data: {\"n\": 1, \"token\": \"sec", "ret-1\"}\n\n", "data: {\"n\": 2}\n\n", "data: [DONE]\n\n"]
        let (client, _) = try tape.recorder(
            ScriptedTransport(
                .source(fields: [.contentType: "text/event-stream"]) {
                    PacedSource(events.map { Data($0.utf8) }, clock, every: .seconds(1))
                }))
        _ = try await client.execute(TransportRequest(url: "https://api.example/")).body.collect()

        let replay = CassetteTransport(try tape.cassette(), time: .asRecorded)
        let (pieces, failure) = try await tape.client(replay).execute(TransportRequest(url: "https://api.example/"))
            .body.pieces()
        #expect(failure == nil)
        let texts = pieces.map { String(decoding: $0, as: UTF8.self) }
        #expect(texts.joined() == "data: {\"n\": 1, \"token\": \"***\"}\n\ndata: {\"n\": 2}\n\ndata: [DONE]\n\n")
        #expect(texts.suffix(2) == ["data: {\"n\": 2}\n\n", "data: [DONE]\n\n"])
    }
}
