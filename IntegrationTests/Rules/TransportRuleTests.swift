// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataCurl
import StrataTesting
import StrataURLSession
import Testing

/// Every rule over every transport of ours, a fresh one for each.
@Suite(.serialized)
struct TransportRuleTests {
    #if canImport(FoundationNetworking)
    /// What FoundationNetworking does to a transport that is built on it, by the rules' names, each with the reason.
    private static let knownOfURLSession: [String: Comment] = [
        "the method get goes out as it is":
            "URLRequest writes the standard methods in upper case (swift-corelibs-foundation #1339)",
        "the target /a/../b/./c goes out unchanged": "URL removes dot segments before the request is written",
        "a missing reason and its space pass": "HTTPURLProtocol refuses a status line without a reason",
        "a value needs no space before it":
            "HTTPURLProtocol refuses a field line without one (swift-corelibs-foundation #5527)",
    ]
    #else
    private static let knownOfURLSession: [String: Comment] = [:]
    #endif

    @Test(arguments: TransportRule.all) func curlKeeps(_ rule: TransportRule) async throws {
        try await check(rule, over: CurlTransport())
    }

    @Test(arguments: TransportRule.all) func urlSessionKeeps(_ rule: TransportRule) async throws {
        try await check(rule, over: URLSessionTransport(), known: Self.knownOfURLSession[rule.name])
    }

    /// Keeping a rule that is known to be broken is a failure, too: then the issue is none any more.
    private func check(
        _ rule: TransportRule, over transport: some NetworkTransport, known: Comment? = nil
    ) async throws {
        try await transport.thenShutDown { transport in
            if let known {
                await withKnownIssue(known) { try await rule.check(transport) }
            } else {
                try await rule.check(transport)
            }
        }
    }

    @Test func everyRuleHasANameOfItsOwn() {
        let names = TransportRule.all.map(\.name)
        let repeated = Dictionary(grouping: names, by: { $0 }).filter { $1.count > 1 }.keys
        #expect(repeated.isEmpty)
        #expect(names.count >= 150)
        #expect(Set(Self.knownOfURLSession.keys).isSubset(of: names))
    }
}
