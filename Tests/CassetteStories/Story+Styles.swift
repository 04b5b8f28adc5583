// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataAPI
import StrataCore
import StrataEncoding
import StrataRequests
import StrataRest

/// What the echo server reports of a request.
private struct Report: Decodable {
    var method: String
    var target: String
}

private struct Note: Codable {
    var title = ""
    var password = ""
}

@API
private struct NotesAPI {
    @GET("/echo/notes/{id}") func note(id: Int) async throws -> Report
    @POST("/echo/notes") func add(title: String, @StrataAPI.Header("Authorization") key: String) async throws -> Report
}

@API
private struct ChatAPI {
    @EventStreaming @ResponseKeyPath("choices.0.delta.content")
    @POST("/sse")
    func stream(
        status: Int, steps: [Step], @StrataAPI.Header("Authorization") key: String
    ) async throws -> AsyncThrowingStream<String?, any Error>
}

/// What the echo server sends, and when: `SSEScript`.
private struct Step: Codable {
    var send: String?
    var waitMilliseconds: Int?

    enum CodingKeys: String, CodingKey {
        case send
        case waitMilliseconds = "wait_ms"
    }
}

extension Story {
    package static let styles = Story(
        name: "styles", run: runStyles,
        outcome: [
            "POST /echo/notes?draft=1", "GET /echo/notes/7", "POST /echo/notes", "PUT /echo/built%20note",
            "GET /echo/rest",
        ])

    /// One call in each way of describing it.
    private static func runStyles(_ client: NetworkClient, _ folder: URL) async throws -> [String] {
        guard let url = client.configuration.baseURL, let host = url.host else { return [] }
        var found: [Report] = []
        let request = NetworkRequest<Note, Report>(
            path: "echo/notes", method: .post, queryItems: [URLQueryItem(name: "draft", value: "1")],
            body: Note(title: "first", password: "s3cret"))
        found.append(try await client.run(request).value)

        let api = NotesAPI(Provider(client))
        found.append(try await api.note(id: 7))
        found.append(try await api.add(title: "second", key: "Bearer s3cret"))

        let built: Report = try await Request.withClient(client) {
            try await Request(.put, url: url) {
                PathComponents {
                    "echo"
                    "built note"
                }
                Body { ["title": "third"] }
            }.send()
        }
        found.append(built)

        struct Holder { @Rest(path: "echo/rest", bearer: false) var report: Echoed = Echoed() }
        let configuration = RestConfiguration(
            scheme: url.scheme ?? "http", host: host, port: url.port, client: client)
        let holder = RestConfiguration.withCurrent(configuration) { Holder() }
        let rest = try await holder.$report.get().value
        found.append(Report(method: rest.method, target: rest.target))
        return found.map { "\($0.method) \($0.target)" }
    }

    private struct Echoed: Codable, Sendable {
        var method = ""
        var target = ""
    }

    /// A stream as language models send it.
    static func runChat(_ client: NetworkClient, _ folder: URL) async throws -> [String] {
        var steps: [Step] = []
        for word in ["Hel", "lo", "!"] {
            steps.append(Step(send: "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\(word)\"}}]}\n\n"))
            steps.append(Step(waitMilliseconds: 200))
        }
        steps.append(Step(send: "data: [DONE]\n\n"))
        var words: [String] = []
        let chat = ChatAPI(Provider(client))
        for try await word in try await chat.stream(status: 200, steps: steps, key: "Bearer sk-0123456789abcdef0123") {
            if let word { words.append(word) }
        }
        return words
    }
}
