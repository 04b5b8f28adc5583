// SPDX-License-Identifier: Apache-2.0

import CassetteStories
import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import TestSupport
import Testing

/// What is recorded from a server over either transport is replayed when the server is gone, in the same way.
@Suite(.timeLimit(.minutes(5)))
struct CassetteRecordingTests {
    private static let matching: [RequestMatcher] = [
        .method, .path, .query, .body, .fields([.range, HTTPField.Name("Last-Event-ID")!]),
    ]

    /// - Returns: how long it took.
    private func record(_ story: Story, over transport: TestedTransport, to file: URL, _ folder: URL) async throws
        -> Duration
    {
        var time = Duration.zero
        try await EchoTarget.withServer { server in
            try await transport.run { transport in
                let recorder = try CassetteRecorder(file)
                let client = NetworkClient(
                    configuration: NetworkConfiguration(
                        baseURL: server.url, transport: BreakingTransport(transport),
                        middleware: [RecordingMiddleware(recorder)]))
                let start = client.configuration.clock.now
                #expect(try await story.run(client, folder) == story.outcome)
                time = client.configuration.clock.now - start
                try recorder.finish()
            }
        }
        return time
    }

    private func replay(_ story: Story, _ cassette: Cassette, _ time: ReplayTime, _ folder: URL) async throws
        -> Duration
    {
        let transport = CassetteTransport(cassette, matching: Self.matching, time: time)
        let clock = VirtualClock()
        var configuration = NetworkConfiguration(baseURL: "http://echo.example:8080", transport: transport)
        configuration.clock = clock
        #expect(try await story.run(NetworkClient(configuration: configuration), folder) == story.outcome)
        try transport.verify()
        return clock.now
    }

    @Test(arguments: Story.all, TestedTransport.allCases)
    func whatIsRecordedIsReplayedWithItsTiming(_ story: Story, over transport: TestedTransport) async throws {
        let folder = try TemporaryFolder()
        let file = folder["\(story.name).har"]
        let recorded = try await record(story, over: transport, to: file, folder.url)
        let cassette = try Cassette(contentsOf: file)
        let replayed = try await replay(story, cassette, .asRecorded, folder.url)
        // Nothing but computing is missing from the replayed time.
        #expect(replayed <= recorded)
        let waits: [String: Duration] = [
            "chat": .milliseconds(590), "events": .milliseconds(600), "download": .seconds(1),
        ]
        #expect(replayed >= waits[story.name] ?? .zero)
        #expect(try await replay(story, cassette, .immediate, folder.url) <= replayed)

        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(!text.contains("s3cret") && !text.contains("sk-0123456789"))
        if ProcessInfo.processInfo.environment["STRATA_RECORD"] == "1", transport == .curl {
            let committed = PackageFolder.url.appending(path: "Tests/TestingTraitsTests/Cassettes/\(story.name).har")
            try Data(contentsOf: file).write(to: committed)
        }
    }

    @Test(arguments: Story.all)
    func bothTransportsRecordTheSame(_ story: Story) async throws {
        var summaries: [[String]] = []
        for transport in TestedTransport.allCases {
            let folder = try TemporaryFolder()
            let file = folder["\(story.name).har"]
            _ = try await record(story, over: transport, to: file, folder.url)
            summaries.append(try Cassette(contentsOf: file).entries.map(summary))
        }
        #expect(summaries[0] == summaries[1])
    }

    /// What an entry replays, without its times, its pieces, and what names the server and the transport.
    private func summary(_ entry: Cassette.Entry) throws -> String {
        let path = entry.url.drop { $0 != "/" }.dropFirst(2).drop { $0 != "/" }
        let type = entry.responseFields[.contentType] ?? ""
        let isReport = type.hasPrefix("application/json")
        let body = isReport ? "a report" : String(decoding: try entry.responseBody(), as: UTF8.self)
        // A JSONEncoder writes members in any order.
        let data = try entry.requestBody()
        let sent = (try? JSONValue(parsing: data).description) ?? String(decoding: data, as: UTF8.self)
        return "\(entry.method) \(path) \(sent) -> \(entry.status) \(type) \(entry.failure ?? "") \(body)"
    }
}
