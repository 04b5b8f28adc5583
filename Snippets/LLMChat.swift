// SPDX-License-Identifier: Apache-2.0

// A chat with a language model: the answer appears as it is written.
//
//     LLM_KEY=… swift run LLMChat Why is the sky blue?
//
// LLM_KEY is the key of the service, LLM_URL where its API begins (default: https://api.openai.com/v1), and LLM_MODEL the
// model (default: gpt-4o-mini). A busy service is asked again; a model may be silent for two minutes.

import Foundation
import Strata
import StrataAPI

struct Message: Codable, Sendable { var role: String; var content: String }

/// What the service says when it refuses, or fails within a stream.
struct ServiceError: APIErrorModel {
    struct Details: Decodable, Sendable { var message: String }

    var error: Details
    var failure: NetworkClientError?

    private enum CodingKeys: CodingKey { case error }
}

@API
@ErrorModel(ServiceError.self)
struct ChatAPI {
    @EventStreaming @ResponseKeyPath("choices.0.delta.content")
    @POST("/chat/completions")
    @Timeout(idle: .seconds(120))
    func stream(model: String, messages: [Message], stream: Bool = true) async throws -> APIStream<String?>
}

let environment = ProcessInfo.processInfo.environment
// 429 and 529 say that nothing was done, so that a POST may be sent again.
var retry = RetryMiddleware(maxAttempts: 5, condition: .transient.or(.status(429, 529)))
retry.retryAfter = .upTo(.seconds(60))
retry.onRetry = { FileHandle.standardError.write(Data("busy (\($0.cause)), again in \($0.wait)\n".utf8)) }

let chat = ChatAPI(
    Provider(
        baseURL: environment["LLM_URL"] ?? "https://api.openai.com/v1",
        middleware: [retry, BearerAuthMiddleware(token: environment["LLM_KEY"] ?? "")]))
let question = Message(role: "user", content: CommandLine.arguments.dropFirst().joined(separator: " "))
do {
    let answer = try await chat.stream(model: environment["LLM_MODEL"] ?? "gpt-4o-mini", messages: [question])
    for try await piece in answer {
        print(piece ?? "", terminator: "")
        // Standard output waits for a whole line, and for a full buffer where it is no terminal.
        fflush(nil)
    }
    print()
} catch let error as ServiceError {
    print("the service says:", error.error.message, error.failure?.response?.status.code ?? 0)
} catch {
    print(error)
}
