// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataCurl
import StrataTesting
import StrataURLSession
import Synchronization
import Testing

/// Every rule over every transport of ours.
@Suite(.serialized)
struct TransportRuleTests {
    @Test func curlKeepsEveryRule() async {
        await run(over: "libcurl", known: [:]) { CurlTransport() }
    }

    /// What FoundationNetworking does to a transport that is built on it, each with the reason.
    static let knownOnLinux: [String: Comment] = [
        "the method get goes out as it is":
            "URLRequest writes the standard methods in upper case (swift-corelibs-foundation #1339)",
        "the target /a/../b/./c goes out unchanged": "URL removes dot segments before the request is written",
        "a missing reason and its space pass": "HTTPURLProtocol refuses a status line without a reason",
        "a value needs no space before it":
            "HTTPURLProtocol refuses a field line without one (swift-corelibs-foundation #5527)",
    ]

    @Test func urlSessionKeepsEveryRuleThatItClaims() async {
        #if canImport(FoundationNetworking)
        let known = Self.knownOnLinux
        #else
        let known: [String: Comment] = [:]
        #endif
        await run(over: "URLSession", known: known) { URLSessionTransport() }
    }

    /// Runs the list, a fresh transport for each rule, and says in a line how it went.
    private func run(
        over name: String, known: [String: Comment], make: @escaping @Sendable () -> any NetworkTransport
    ) async {
        var kept = 0
        var notClaimed = 0
        var broken: [String] = []
        for rule in TransportRule.all {
            let transport = make()
            do {
                switch try await rule.check(transport) {
                case .kept: kept += 1
                case .notClaimed: notClaimed += 1
                }
            } catch {
                broken.append(rule.name)
                if let reason = known[rule.name] {
                    withKnownIssue(reason) { Issue.record("\(rule.name): \(error)") }
                } else {
                    Issue.record("\(rule.name) (\(rule.source)): \(error)")
                }
            }
            await transport.shutdown()
        }
        print(
            "\(TransportRule.all.count) rules, \(name): \(kept) kept, \(notClaimed) not claimed, \(broken.count) broken"
        )
        #expect(known.keys.allSatisfy { broken.contains($0) }, "a known issue is none any more")
    }

    @Test func everyRuleHasANameOfItsOwn() {
        let repeated = Dictionary(grouping: TransportRule.all.map(\.name), by: { $0 }).filter { $1.count > 1 }.keys
        #expect(repeated.isEmpty)
        #expect(TransportRule.all.count >= 150)
    }
}
