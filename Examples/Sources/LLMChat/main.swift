// SPDX-License-Identifier: Apache-2.0

// A conversation with a language model: each argument is a question, and the answers appear as they are written.
//
//     LLM_KEY=… swift run LLMChat 'Why is the sky blue?' 'And at night?'
//
// LLM_URL is where the service's API begins (default: https://api.openai.com/v1), LLM_MODEL the model.

import Foundation
import Strata

struct Message: Codable, Sendable { var role: String; var content: String }

struct Question: Encodable, Sendable { var model: String; var messages: [Message]; var stream = true }

struct Chunk: Decodable, Sendable {
    struct Choice: Decodable, Sendable { var delta: Delta }
    struct Delta: Decodable, Sendable { var content: String? }

    var choices: [Choice]
}

let environment = ProcessInfo.processInfo.environment
// Both statuses say that nothing was done, so that a POST may be sent again.
var retry = RetryMiddleware(maxAttempts: 5, condition: .transient.or(.status(429, 529)))
retry.onRetry = { print("busy: \($0.cause), again") }
let client = NetworkClient(
    baseURL: environment["LLM_URL"] ?? "https://api.openai.com/v1",
    middleware: [retry, BearerAuthMiddleware(token: environment["LLM_KEY"] ?? "")])

var messages: [Message] = []
do {
    for text in CommandLine.arguments.dropFirst() {
        print("> \(text)")
        messages.append(Message(role: "user", content: text))
        let request = NetworkRequest<Question, VoidResponse>(
            path: "chat/completions", method: .post,
            body: Question(model: environment["LLM_MODEL"] ?? "gpt-4o-mini", messages: messages),
            // A model may think for a while before its first word.
            options: { $0.timeouts.idle = .seconds(120) })
        var answer = ""
        // An answer without its `[DONE]` is one that broke off.
        for try await chunk in try await client.events(
            for: request, decoding: Chunk.self, until: .data("[DONE]", isRequired: true))
        {
            let piece = chunk.choices.first?.delta.content ?? ""
            answer += piece
            print(piece, terminator: "")
            // Standard output waits for a whole line, and for a full buffer where it is no terminal.
            fflush(nil)
        }
        print()
        messages.append(Message(role: "assistant", content: answer))
    }
    print("\(messages.count) messages")
} catch {
    print(error)
    exit(1)
}
