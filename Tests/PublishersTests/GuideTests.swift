// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataPublishers
import StrataStreaming
import StrataTesting
import TestSupport
import Testing

/// The samples of `Publishers.md`.
struct GuideTests {
    private struct Post: Codable {}

    private struct Failure: Error {
        var reason: String
    }

    private let client = NetworkClient(
        configuration: NetworkConfiguration(
            baseURL: URL(string: "https://api.example/"),
            transport: ScriptedTransport { $0.target == "/posts" ? .json("[{}, {}]") : .events("data: a\n\n") }))

    @Test func theGuideIsCompiled() throws {
        #expect(try GuideSamples.missing(of: "Publishers.md", in: #filePath, besides: ["StrataTesting"]) == [])
    }

    @Test func theSamplesRun() async throws {
        do {
            let posts = client.publisher(for: NetworkRequest<VoidRequest, [Post]>(path: "posts", method: .get))
                .map(\.value)
            let cancellable = posts.sink { completion in
                print(completion)
            } receiveValue: { posts in
                print(posts.count)
            }
            cancellable.cancel()
            #expect(try await values(of: posts.map(\.count)) == [2])
        }
        let request = NetworkRequest<VoidRequest, VoidResponse>(path: "events", method: .get)
        let headlines = client.eventsPublisher(for: request)
            .prefix(10)
            .map(\.data)
        #expect(try await values(of: headlines) == ["a"])
        let total = CallPublisher { try await client.run(request).response.status.code }
        let lines = StreamPublisher { try await client.lines(for: request) }
        #expect(try await values(of: total) == [200])
        #expect(try await values(of: lines) == ["data: a", ""])
        let checked = StreamPublisher(mapError: { error in Failure(reason: "\(error)") }) {
            try await client.lines(for: request)
        }
        #expect(try await values(of: checked) == ["data: a", ""])
    }
}
