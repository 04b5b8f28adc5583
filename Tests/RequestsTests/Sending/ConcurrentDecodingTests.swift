// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding
import StrataRequests
import StrataTesting
import TestSupport
import Testing

/// Where bodies are decoded for a caller on the main actor.
@MainActor
struct ConcurrentDecodingTests {
    private struct Model: Decodable, Sendable { var text: String }
    private final class Object: Decodable { var text: String }

    private let decoder = ActorNotingDecoder()

    /// A request that is answered by more than 64 KiB.
    private var request: Request {
        let text = String(repeating: "a", count: 64 * 1024)
        let transport = ScriptedTransport(.json(#"{"text":"\#(text)"}"#))
        return Request(.get, url: "https://h/a", client: client(transport), decoder: decoder)
    }

    @Test func largeBodiesOfSendableModelsLeaveTheMainActor() async throws {
        let _: Model = try await request.send()
        let _: Request.ResponseModel<Model> = try await request.send()
        for try await _ in request.pages(of: Model.self) {}
        for try await _ in request.pages(of: Model.self, next: { _ in nil }) {}
        #expect(decoder.wereOnMainActor == Array(repeating: false, count: 4))
    }

    @Test func modelsThatAreNotSendableStay() async throws {
        let _: Object = try await request.send()
        let _: Request.ResponseModel<Object> = try await request.send()
        for try await _ in request.pages(of: Object.self) {}
        for try await _ in request.pages(of: Object.self, next: { _ in nil }) {}
        #expect(decoder.wereOnMainActor == Array(repeating: true, count: 4))
    }
}
