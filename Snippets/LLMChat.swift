// SPDX-License-Identifier: Apache-2.0

// A chat with a language model: the answer appears as it is written.
//
//     LLM_KEY=… swift run LLMChat Why is the sky blue?
//
// LLM_KEY is the key of the service, LLM_URL where its API begins (default: https://api.openai.com/v1), and LLM_MODEL the
// model (default: gpt-4o-mini).

import Foundation
import StrataAPI

struct Message: Codable, Sendable { var role: String; var content: String }

@API
struct ChatAPI {
    @EventStreaming @ResponseKeyPath("choices.0.delta.content")
    @POST("/chat/completions")
    func stream(
        model: String, messages: [Message], stream: Bool = true, @Header("Authorization") key: String
    ) async throws -> AsyncThrowingStream<String?, any Error>
}

let environment = ProcessInfo.processInfo.environment
let chat = ChatAPI(Provider(baseURL: environment["LLM_URL"] ?? "https://api.openai.com/v1"))
let question = Message(role: "user", content: CommandLine.arguments.dropFirst().joined(separator: " "))
for try await piece in try await chat.stream(
    model: environment["LLM_MODEL"] ?? "gpt-4o-mini", messages: [question],
    key: "Bearer \(environment["LLM_KEY"] ?? "")")
{
    print(piece ?? "", terminator: "")
    // Standard output waits for a whole line.
    fflush(nil)
}
print()
