// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import Synchronization
import TestSupport
import Testing

/// Where bodies are decoded for a caller on the main actor.
@MainActor
struct ConcurrentDecodingTests {
    private struct Model: Decodable, Sendable { var text: String }
    private final class Object: Decodable { var text: String }

    private let decoder = ActorNotingDecoder()

    private func client(bytes: Int) -> NetworkClient {
        let text = String(repeating: "a", count: bytes - #"{"text":""}"#.utf8.count)
        return NetworkClient(
            configuration: NetworkConfiguration(
                baseURL: "https://h", transport: ScriptedTransport(.json(#"{"text":"\#(text)"}"#)),
                defaultEncoder: JSONEncoder(), defaultDecoder: decoder))
    }

    private static let threshold = 64 * 1024

    @Test func largeBodiesOfSendableModelsLeaveTheMainActor() async throws {
        let client = client(bytes: Self.threshold + 1)
        let wrapped: any NetworkClientProtocol = client
        let value: Model = try await client.get("a")
        _ = try await client.get("a", returning: NetworkResponse<Model>.self)
        _ = try await client.get("a", returning: Model?.self)
        _ = try await wrapped.get("a", returning: [String: String].self)
        _ = try await client.run(NetworkRequest<VoidRequest, Model>(path: "a", method: .get))
        _ = try await client.run(NetworkRequest<String, Model>(path: "a", method: .post, body: "b"))
        for try await _ in client.pages(of: NetworkRequest<VoidRequest, Model>(path: "a", method: .get)) {}
        #expect(decoder.wereOnMainActor == Array(repeating: false, count: 7))
        #expect(value.text.utf8.count == Self.threshold + 1 - 11)
    }

    @Test func smallBodiesStay() async throws {
        let client = client(bytes: Self.threshold)
        let _: Model = try await client.get("a")
        _ = try await client.run(NetworkRequest<VoidRequest, Model>(path: "a", method: .get))
        #expect(decoder.wereOnMainActor == [true, true])
    }

    @Test func modelsThatAreNotSendableStay() async throws {
        let client = client(bytes: 2 * Self.threshold)
        let _: Object = try await client.get("a")
        _ = try await client.get("a", returning: NetworkResponse<Object>.self)
        _ = try await client.run(NetworkRequest<VoidRequest, Object>(path: "a", method: .get))
        #expect(decoder.wereOnMainActor == [true, true, true])
    }

    @Test func aFailureIsTheSame() async {
        let failures = Mutex(0)
        let text = String(repeating: " ", count: 2 * Self.threshold)
        var configuration = NetworkConfiguration(baseURL: "https://h", transport: ScriptedTransport(.json(text + "[]")))
        configuration.onDecodingFailure = { _ in failures.withLock { $0 += 1 } }
        let client = NetworkClient(configuration: configuration)
        await #expect {
            try await client.get("a", returning: Model.self)
        } throws: { error in
            let error = error as? NetworkClientError
            return error?.code == .decodingFailed && error?.body != nil && error?.exchange?.attempts.count == 1
        }
        #expect(failures.withLock { $0 } == 1)
    }
}
