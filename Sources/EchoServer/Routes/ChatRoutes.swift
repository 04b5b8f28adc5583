// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import NIOCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `/v1/chat/completions`: a language model that repeats the last question, in OpenAI's dialect: as events that end with
/// `[DONE]` where the request has `"stream": true`, else as one JSON text.
enum ChatRoutes {
    static var routes: [Route] {
        [Route("/v1/chat/completions", .only([.post]), handler: complete)]
    }

    private struct Question: Decodable {
        struct Message: Decodable { var role: String; var content: String }

        var model: String
        var messages: [Message]
        var stream: Bool?
    }

    private static func complete(_ request: EchoRequest) async throws -> Response {
        let question: Question
        do {
            question = try JSONDecoder().decode(Question.self, from: Data(try await request.collectBody()))
        } catch is DecodingError {
            throw HTTPError(.badRequest, message: "A question is `model`, `messages` and `stream`.")
        }
        guard let last = question.messages.last else { throw HTTPError(.badRequest, message: "There is no message.") }
        let words = ["You", " asked: ", last.content]
        guard question.stream == true else {
            let message: JSONValue = ["role": "assistant", "content": .string(words.joined())]
            return .json(["object": "chat.completion", "choices": [["index": 0, "message": message]]])
        }
        return .stream(type: "text/event-stream", fields: [.cacheControl: "no-store"]) { writer in
            for word in words {
                let choice: JSONValue = ["index": 0, "delta": ["content": .string(word)]]
                let chunk: JSONValue = ["object": "chat.completion.chunk", "choices": [choice]]
                try await writer.write(ByteBuffer(string: "data: \(chunk.compact)\n\n"))
            }
            try await writer.write(ByteBuffer(string: "data: [DONE]\n\n"))
        }
    }
}
