// SPDX-License-Identifier: Apache-2.0

import CassetteStories
import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import StrataTestingTraits
import TestSupport
import Testing

/// Cassettes that were recorded from the echo server by the integration tests (`STRATA_RECORD=1`), replayed without a socket.
@Suite(.cassettes("Cassettes"))
struct StoryReplayTests {
    /// The server had another address when it was recorded.
    private static let matching: [RequestMatcher] = [
        .method, .path, .query, .body, .fields([.range, HTTPField.Name("Last-Event-ID")!]),
    ]

    private static var timed: ReplayOptions {
        var options = ReplayOptions()
        options.matching = matching
        options.time = .asRecorded
        return options
    }

    /// - Returns: the time that it took, by the client's clock.
    @discardableResult
    private func replay(_ story: Story) async throws -> Duration {
        let folder = try TemporaryFolder()
        let clock = VirtualClock()
        let transport = CassetteSession.transport(over: ScriptedTransport())
        var configuration = NetworkConfiguration(baseURL: "http://echo.example:8080", transport: transport)
        configuration.clock = clock
        let found = try await story.run(NetworkClient(configuration: configuration), folder.url)
        #expect(found == story.outcome)
        return clock.now
    }

    @Test(.replay("styles", matching: matching)) func theFourStyles() async throws { try await replay(.styles) }

    @Test(.replay("chat", timed)) func aStreamOfALanguageModel() async throws {
        // Three waits of 200 ms.
        #expect(try await replay(.chat) >= .milliseconds(590))
    }

    @Test(.replay("events", timed)) func anEventSourceThatReconnects() async throws {
        #expect(try await replay(.events) >= .milliseconds(600))
    }

    @Test(.replay("download", timed)) func aDownloadThatResumes() async throws {
        // The wait before the second attempt.
        #expect(try await replay(.download) >= .seconds(1))
    }

    @Test(.replay("chat", matching: matching, faults: [.cut(after: 100)])) func aStreamThatBreaks() async throws {
        let error = await #expect(throws: NetworkClientError.self) { try await replay(.chat) }
        #expect(error?.code == .connectionLost)
    }

    @Test func everyWayOfCuttingAStreamGivesTheSame() async throws {
        let folder = try TemporaryFolder()
        let cassette = try Cassette(
            contentsOf: PackageFolder.url.appending(path: "Tests/TestingTraitsTests/Cassettes/chat.har"))
        for cut in cassette.rechunked(.everySplit) {
            let transport = CassetteTransport(cut, matching: Self.matching)
            let client = NetworkClient(configuration: .init(baseURL: "http://echo.example", transport: transport))
            #expect(try await Story.chat.run(client, folder.url) == Story.chat.outcome)
        }
    }

    @Test func noSecretIsInACassette() throws {
        let folder = PackageFolder.url.appending(path: "Tests/TestingTraitsTests/Cassettes")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        #expect(files.filter { $0.pathExtension == "har" }.count == Story.all.count)
        for file in files where file.pathExtension == "har" {
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(!text.contains("s3cret") && !text.contains("sk-0123456789"))
        }
    }
}
