// SPDX-License-Identifier: Apache-2.0

import Foundation
import MiddlewareSupport
import StrataCore
import StrataTesting
import Testing

@testable import StrataMiddleware

/// When a refusal is worth a renewal, and when a credential has to be replaced.
struct VainRenewalsTests {
    @Test func aResourceIsRememberedForAMinute() {
        var vain = VainRenewals()
        #expect(vain.isEmpty && vain.allowRenewal(for: "a", at: .zero))
        vain.add("a", at: .seconds(100), holding: .seconds(2))
        #expect(!vain.isEmpty)
        let times = [100, 101.999, 102, 159.999, 160]
        #expect(times.map { vain.allowRenewal(for: "a", at: .seconds($0)) } == [false, false, false, false, true])
        // Others are held up for the interval alone.
        #expect(times.map { vain.allowRenewal(for: "b", at: .seconds($0)) } == [false, false, true, true, true])
    }

    @Test func aResourceThatAcceptsIsForgotten() {
        var vain = VainRenewals()
        for resource in ["a", "b"] { vain.add(resource, at: .zero, holding: .zero) }
        vain.remove("a")
        #expect(vain.allowRenewal(for: "a", at: .seconds(1)) && !vain.allowRenewal(for: "b", at: .seconds(1)))
        #expect(!vain.isEmpty)
        vain.remove("b")
        #expect(vain.isEmpty)
    }

    @Test func aFurtherRefusalBeginsTheMinuteAnew() {
        var vain = VainRenewals()
        vain.add("a", at: .zero, holding: .zero)
        vain.add("a", at: .seconds(59), holding: .seconds(5))
        #expect(!vain.allowRenewal(for: "a", at: .seconds(118)) && vain.allowRenewal(for: "a", at: .seconds(119)))
        #expect(!vain.allowRenewal(for: "b", at: .seconds(63)) && vain.allowRenewal(for: "b", at: .seconds(64)))
    }

    @Test(arguments: [(255, 0), (256, 0), (257, 1), (260, 4)])
    func of256ResourcesTheOldestIsForgotten(_ count: Int, _ forgotten: Int) {
        var vain = VainRenewals()
        for number in 0..<count { vain.add("\(number)", at: .milliseconds(number), holding: .zero) }
        let allowed = (0..<count).filter { vain.allowRenewal(for: "\($0)", at: .seconds(1)) }
        #expect(allowed == Array(0..<forgotten))
    }

    /// What is over makes room, and nothing else goes.
    @Test func whatIsOverIsForgottenFirst() {
        var vain = VainRenewals()
        for number in 0..<256 { vain.add("\(number)", at: number < 10 ? .zero : .seconds(30), holding: .zero) }
        vain.add("more", at: .seconds(60), holding: .zero)
        #expect((0..<256).filter { vain.allowRenewal(for: "\($0)", at: .seconds(61)) } == Array(0..<10))
        for number in 0..<9 { vain.add("more \(number)", at: .seconds(60), holding: .zero) }
        #expect((0..<256).filter { vain.allowRenewal(for: "\($0)", at: .seconds(61)) } == Array(0..<10))
    }

    @Test(arguments: [
        (0.0, 9.999, false), (0, 10, true), (0, 11, true), (3, 6.999, false), (3, 7, true), (-1, 10.5, false),
    ])
    func aCredentialExpiresAheadByTheMargin(_ margin: Double, _ seconds: Double, _ isExpiring: Bool) {
        let start = Date(timeIntervalSince1970: 1_000_000)
        let credential = Credential(token: Secret.token, expiry: start.addingTimeInterval(10))
        let date = start.addingTimeInterval(seconds)
        #expect(credential.isExpiring(within: .seconds(margin), at: date) == isExpiring)
        #expect(!Credential(token: Secret.token).isExpiring(within: .seconds(margin), at: date))
    }

    // MARK: Origins

    private func isAllowed(_ policy: OriginPolicy, _ url: String) throws -> Bool {
        try policy.allows(TransportRequest(url: url), for: "Layer")
    }

    @Test func theOriginsThatAreNamedGetTheCredential() throws {
        let (a, b) = (Origin(scheme: "https", host: "a.example"), Origin(scheme: "http", host: "b.example"))
        #expect(OriginPolicy.origins(a, b) == .origins([a, b] as Set) && OriginPolicy.origins(a) != .origins(b))
        #expect(OriginPolicy.origins(a) != OriginPolicy.origins(a).requiringTLS)
        let policy = OriginPolicy.origins([a, b] as Set)
        let urls = [
            "https://a.example/x", "https://a.example:443/", "http://a.example/", "https://a.example:444/",
            "http://b.example/",
            "https://c.example/",
        ]
        #expect(try urls.map { try isAllowed(policy, $0) } == [true, true, false, false, true, false])
        var exempt = try TransportRequest(url: "https://a.example/")
        exempt.options.isAuthenticationExempt = true
        #expect(try !policy.allows(exempt, for: "Layer"))
        #expect(try !OriginPolicy.origins([] as Set).allows(TransportRequest(url: urls[0]), for: "Layer"))
    }

    @Test func withoutABaseURLItIsSaid() throws {
        #expect {
            _ = try isAllowed(.baseURL, "https://a.example/")
        } throws: {
            ($0 as? NetworkClientError)?.code == .invalidRequest && "\($0)".contains("Layer does not know")
        }
    }

    @Test(
        arguments: [
            ("https://a.example/", true), ("http://localhost/", true), ("http://127.0.0.1/", true),
            ("http://a.example/", nil),
            ("http://other.example/", false),
        ] as [(String, Bool?)])
    func whatRequiresTLSDoesNotGoInClear(_ url: String, _ expected: Bool?) throws {
        let origins = ["https://a.example", "http://a.example", "http://localhost", "http://127.0.0.1"]
        let named = try Set(origins.map { try #require(URL(string: $0).flatMap { Origin($0) }) })
        let policy = OriginPolicy.origins(named).requiringTLS
        if let expected {
            #expect(try isAllowed(policy, url) == expected)
        } else {
            #expect {
                _ = try isAllowed(policy, url)
            } throws: {
                ($0 as? NetworkClientError)?.message == "Layer must not send its credential without TLS"
            }
        }
    }
}
