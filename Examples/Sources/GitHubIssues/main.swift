// SPDX-License-Identifier: Apache-2.0

// Lists the issues of a repository twice; the second time the server says of each page that it has not changed.
//
//     swift run GitHubIssues apple swift-http-types
//
// GITHUB_URL is where the API begins (default: https://api.github.com).

import Foundation
import Issues
import Strata
import StrataCache

let arguments = CommandLine.arguments.dropFirst()
let (owner, name) = (arguments.first ?? "apple", arguments.dropFirst().first ?? "swift-http-types")
let cache = MemoryStore()
let tracker = IssueTracker(
    baseURL: ProcessInfo.processInfo.environment["GITHUB_URL"] ?? "https://api.github.com",
    transport: PlatformTransport.shared, middleware: [RetryMiddleware(), CacheMiddleware(store: cache)])

do {
    for round in 1...2 {
        print("round \(round)")
        for try await page in tracker.issues(of: owner, name) {
            print("  a page from \(page.exchange.served)")
            for issue in page.value { print("    #\(issue.number) \(issue.title)") }
        }
    }
    print("\(cache.count) pages are stored")
} catch {
    print(error)
    exit(1)
}
