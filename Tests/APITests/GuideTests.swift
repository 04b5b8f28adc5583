// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataAPI
import StrataMiddleware
import StrataTesting
import TestSupport
import Testing

/// The samples of `DescribingAnAPI.md`.
struct GuideTests {
    @Test func theGuideIsCompiled() throws {
        #expect(try GuideSamples.missing(of: "DescribingAnAPI.md", in: Guide.source) == [])
    }

    @Test func theSamplesRun() async throws {
        let reply =
            "data: {\"choices\": [{\"delta\": {\"content\": \"a\"}}]}\n\ndata: {\"choices\": [{\"delta\": {}}]}\n\ndata: [DONE]\n\n"
        let provider = Provider(baseURL: "https://api.example", transport: ScriptedTransport(.events(reply)))
        try await Guide.streams(provider, [])
        let mock = try await Guide.mocks(provider)
        #expect(mock.onNote.calls == [1])
        #expect(mock.log.calls == ["note(id:)"])
        let news = Provider(baseURL: "https://api.example", transport: ScriptedTransport(.json(#"["a"]"#)))
        #expect(try await Guide.NewsAPI(news, now: { Date() }).latest() == ["a"])
        #expect(Guide.UsersAPI.endpoints.first?.description == "GET /users/{id}  user(id:) -> User  path: id")
    }

    @Test func keysAndDatesAreReadByADecoderOfTheTypesOwn() async throws {
        let transport = ScriptedTransport(.json(#"[{"full_name": "a", "starred_at": "1970-01-01T00:01:00Z"}]"#))
        let stars = try await StarsAPI(Provider(baseURL: "https://api.example", transport: transport)).stars()
        #expect(stars.map(\.fullName) == ["a"])
        #expect(stars.map(\.starredAt) == [Date(timeIntervalSince1970: 60)])
    }

    @Test func retriesAreTheFunctionsOwn() async throws {
        let transport = ScriptedTransport(.status(503))
        let provider = Provider(
            baseURL: "https://api.example", transport: transport, middleware: [RetryMiddleware(budget: nil)]
        ) { $0.clock = VirtualClock() }
        await #expect(throws: (any Error).self) { try await Guide.ReportsAPI(provider).report(id: 1, tenant: "a") }
        #expect(transport.requests.count == 6)
        #expect(transport.requests.first?.options[Guide.TenantKey.self] == "a")
    }
}
