// SPDX-License-Identifier: Apache-2.0

// Against a cassette: `STRATA_RECORD=1 swift test` asks the server and records what it says, and from then on no network is needed.

import Foundation
import Issues
import StrataCore
import StrataPlatform
import StrataTesting
import StrataTestingTraits
import Testing

struct IssueTrackerTests {
    private func tracker() -> IssueTracker {
        IssueTracker(
            baseURL: "https://api.github.com", transport: CassetteSession.transport(over: PlatformTransport.shared))
    }

    @Test(.replay("issues")) func pagesAreFollowedToTheLast() async throws {
        var numbers: [Int] = []
        for try await page in tracker().issues(of: "apple", "swift-http-types") { numbers += page.value.map(\.number) }
        #expect(numbers == [3, 2, 1])
    }

    /// The same recording, with a server that fails on the second page.
    @Test(
        .replay(
            "issues",
            faults: [
                .failure(NetworkClientError(.connectionLost, "gone")).on { $0.query?.contains("&page=2") == true }
            ],
            allowsUnused: true))
    func aPageThatFailsIsAnError() async throws {
        var count = 0
        let error = try await #require(throws: NetworkClientError.self) {
            for try await page in self.tracker().issues(of: "apple", "swift-http-types") { count += page.value.count }
        }
        #expect(error.code == .connectionLost)
        #expect(count == 2)
    }
}
