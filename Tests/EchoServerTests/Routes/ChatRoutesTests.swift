// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Testing

@testable import EchoServer

struct ChatRoutesTests {
    private struct Completion: Decodable {
        struct Choice: Decodable { var message: Message?; var delta: Message? }
        struct Message: Decodable { var content: String }

        var choices: [Choice]
    }

    private static let messages = #""model": "m", "messages": [{"role": "user", "content": "Wh\"y?"}]"#

    @Test func theLastQuestionIsRepeatedInEvents() async throws {
        let response = try await ask("/v1/chat/completions", .post, body: "{\(Self.messages), \"stream\": true}")
        #expect(response.headers[.contentType] == "text/event-stream")
        let events = response.text.split(separator: "\n\n").map { String($0.dropFirst("data: ".count)) }
        #expect(events.last == "[DONE]")
        let words = try events.dropLast().map { text in
            try EchoAnswer(statusCode: 200, headers: [:], bytes: Array(text.utf8))
                .json(Completion.self).choices[0].delta?.content
        }
        #expect(words == ["You", " asked: ", "Wh\"y?"])
    }

    @Test func withoutAStreamItIsOneText() async throws {
        let response = try await ask("/v1/chat/completions", .post, body: "{\(Self.messages)}")
        #expect(try response.json(Completion.self).choices[0].message?.content == "You asked: Wh\"y?")
    }

    @Test(arguments: ["", "[]", #"{"model": "m", "messages": []}"#])
    func whatIsNoQuestionIsRefused(body: String) async throws {
        #expect(try await ask("/v1/chat/completions", .post, body: body).statusCode == 400)
    }
}
