// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataCurl
import StrataNative
import StrataTesting
import StrataURLSession
import Testing

/// Every rule over every transport of ours, a fresh one for each.
@Suite(.serialized)
struct TransportRuleTests {
    private static let forURLSession = TransportRule.all.filter { KnownOfURLSession.fatal[$0.name] == nil }
    private static let curl = RuleTally("CurlTransport", count: TransportRule.all.count)
    private static let native = RuleTally("NativeTransport", count: TransportRule.all.count)
    private static let nativeOnItsLoop = RuleTally(
        "NativeTransport, calls on its loop", count: TransportRule.all.count)
    private static let nativeByOne = RuleTally(
        "NativeTransport, one socket in a batch", count: TransportRule.all.count)
    private static let urlSession = RuleTally("URLSessionTransport", count: forURLSession.count)

    @Test(arguments: TransportRule.all) func curlKeeps(_ rule: TransportRule) async throws {
        let outcome = try await CurlTransport().thenShutDown { transport in
            try await Self.curl.counting { try await rule.check(transport) }
        }
        // br and zstd are there where their libraries are; the others libcurl cannot do.
        let others: TransportCapabilities.Features = [.brotli, .zstd, .upgrades, .requestTrailers]
        #expect(outcome == .kept || !rule.needs.isDisjoint(with: others))
    }

    @Test(arguments: TransportRule.all) func nativeKeeps(_ rule: TransportRule) async throws {
        let outcome = try await NativeTransport().thenShutDown { transport in
            try await Self.native.counting { try await rule.check(transport) }
        }
        // Those need libraries that may not be there.
        #expect(outcome == .kept || !rule.needs.isDisjoint(with: [.brotli, .zstd]))
    }

    @Test(arguments: TransportRule.all) func nativeKeepsWithCallsOnItsLoop(_ rule: TransportRule) async throws {
        try await NativeTransport().thenShutDown { transport in
            let transport = ExecutorTransport(transport, on: transport.loopExecutors[0])
            try await Self.nativeOnItsLoop.counting { try await rule.check(transport) }
        }
    }

    /// A loop that reads from one socket, and then lets callers have their turn.
    @Test(arguments: TransportRule.all) func nativeKeepsWithOneSocketInABatch(_ rule: TransportRule) async throws {
        let transport = NativeTransport(
            configuration: .init(), environment: { _ in nil }, lookup: nil, batchShare: .zero)
        let outcome = try await transport.thenShutDown { transport in
            try await Self.nativeByOne.counting { try await rule.check(transport) }
        }
        #expect(outcome == .kept || !rule.needs.isDisjoint(with: [.brotli, .zstd]))
    }

    @Test(arguments: forURLSession) func urlSessionKeeps(_ rule: TransportRule) async throws {
        try await URLSessionTransport().thenShutDown { transport in
            func check() async throws { try await Self.urlSession.counting { try await rule.check(transport) } }
            // Keeping a rule that is known to be broken is a failure, too: then the issue is none any more.
            if let known = KnownOfURLSession.broken[rule.name] {
                let isIntermittent = KnownOfURLSession.intermittent.contains(rule.name)
                await withKnownIssue(known, isIntermittent: isIntermittent) { try await check() }
            } else {
                try await check()
            }
        }
    }

    /// Claims everything, and asks nobody.
    private struct Pretender: NetworkTransport {
        let capabilities = TransportCapabilities(name: "pretender", features: ScriptedTransport.allFeatures)
        func send(_ request: TransportRequest) async throws -> TransportResponse {
            TransportResponse(head: HTTPResponse(status: .ok), body: ResponseBody(Data("ok".utf8)))
        }
    }

    @Test(arguments: TransportRule.all.filter { $0.name.contains("over HTTP/2") && !$0.name.contains("cancel") })
    func noRuleIsKeptByATransportThatAsksNobody(_ rule: TransportRule) async {
        await #expect(throws: RuleViolation.self) { try await rule.check(Pretender()) }
    }

    @Test func everyRuleHasANameOfItsOwn() {
        let names = TransportRule.all.map(\.name)
        let repeated = Dictionary(grouping: names, by: { $0 }).filter { $1.count > 1 }.keys
        #expect(repeated.isEmpty)
        #expect(names.count >= 150)
        #expect(Set(KnownOfURLSession.broken.keys).isSubset(of: names))
        #expect(Set(KnownOfURLSession.fatal.keys).isSubset(of: names))
        #expect(KnownOfURLSession.intermittent.isSubset(of: KnownOfURLSession.broken.keys))
    }
}
