// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import Testing

struct RequestOptionsTests {
    @Test func hasTheDefaultsThatAreDocumented() {
        let options = RequestOptions()
        #expect(options.timeouts.connect == .seconds(30) && options.timeouts.idle == .seconds(60))
        #expect(options.timeouts.attempt == nil && options.timeouts.deadline == nil)
        #expect(options.redirects.limit == 20 && !options.redirects.allowsDowngrade && !options.redirects.preservesPOST)
        #expect(RedirectPolicy.manual.limit == 0)
        #expect(options.maximumResponseBytes == nil && options.collectionLimit == 64 * 1024 * 1024)
        #expect(options.acceptableStatus == .success && options.httpVersion == .automatic)
        #expect(options.delivery == .automatic && !options.skipsInvalidFields && !options.isAuthenticationExempt)
        #expect(options.sensitiveFields.isEmpty && options.sensitiveQueryItems.isEmpty)
        #expect(options.urlTemplate == nil && !options.isLedByLink && !options.isOpenEnded)
        #expect(options.timeSpent == .zero && options.defaultUserAgent == nil && options.maxAttempts == nil)
    }

    @Test func aBodyOfAnyLengthHasNoLimitOfTime() {
        var options = RequestOptions()
        options.timeouts = Timeouts(
            connect: .seconds(1), idle: .seconds(2), attempt: .seconds(3), deadline: .seconds(4))
        options.makeOpenEnded()
        #expect(options.timeouts.connect == .seconds(1) && options.timeouts.idle == .seconds(2))
        #expect(options.timeouts.attempt == nil && options.timeouts.deadline == nil && options.isOpenEnded)
    }

    @Test func aBodyIsCollectedUnlessSomethingElseWasSaid() {
        var options = RequestOptions()
        options.collectsBody()
        #expect(options.delivery == .collected)
        options.delivery = .eventStream
        options.collectsBody()
        #expect(options.delivery == .eventStream)
        options.maximumResponseBytes = 5
        #expect(options.collectionLimit == 5)
    }

    @Test(arguments: [(-1, 1), (0, 1), (1, 2), (3, 4), (1_000_000, 1_000_001), (Int.max, 1_000_001)])
    func eachRetryIsOneMoreAttempt(retries: Int, attempts: Int) {
        #expect(RequestOptions.maxAttempts(retries: retries) == attempts)
    }

    @Test(arguments: [
        ("code", true, false), ("key", true, false), ("Code", true, false), ("keys", false, false),
        ("token", true, true), ("app_id", true, true), ("AppId", true, true), ("page", false, false),
        ("X-Tenant", false, true), ("x_tenant", false, true), ("tenant", false, false), ("", false, false),
    ])
    func secretsAreKnownByTheirPlace(name: String, isSecretItem: Bool, isSecretMember: Bool) throws {
        var options = RequestOptions()
        options.sensitiveQueryItems = ["app_id"]
        options.sensitiveFields = [try #require(HTTPField.Name("X-Tenant"))]
        #expect(options.isSecretQueryItem(name) == isSecretItem)
        #expect(options.isSecretMember(name) == isSecretMember)
    }

    @Test(arguments: [
        ("Authorization", true, true), ("Cookie", true, true), ("Set-Cookie", true, true),
        ("Proxy-Authorization", true, true), ("X-Tenant", true, true), ("Origin", false, true), ("Host", false, true),
        ("Authentication-Info", false, true), ("X-Api-Key", false, true), ("Accept", false, false),
        ("User-Agent", false, false),
    ])
    func fieldsAreBoundToTheirOrigin(name: String, isSensitive: Bool, isBound: Bool) throws {
        var options = RequestOptions()
        options.sensitiveFields = [try #require(HTTPField.Name("X-Tenant"))]
        let name = try #require(HTTPField.Name(name))
        #expect(options.isSensitive(name) == isSensitive)
        #expect(options.isOriginBound(name) == isBound)
    }

    @Test func aClientAddsWhatARequestHasNotAndMayHave() throws {
        let tenant = try #require(HTTPField.Name("X-Tenant"))
        var options = RequestOptions()
        options.sensitiveFields = [tenant]
        let defaults: HTTPFields = [
            .authorization: "a", .origin: "o", tenant: "t", .accept: "x", .userAgent: "u", .via: "1", .via: "2",
        ]
        func added(_ fields: HTTPFields = [:], isAtHome: Bool) -> [HTTPField.Name] {
            options.additions(to: fields, from: defaults, isAtHome: isAtHome).map(\.name)
        }
        #expect(added(isAtHome: true) == defaults.map(\.name))
        #expect(added([.accept: "y", .via: "3"], isAtHome: true) == [.authorization, .origin, tenant, .userAgent])
        #expect(added(isAtHome: false) == [.accept, .userAgent, .via, .via])
        options.isAuthenticationExempt = true
        #expect(added(isAtHome: true) == [.origin, .accept, .userAgent, .via, .via])
        #expect(added(isAtHome: false) == [.accept, .userAgent, .via, .via])
    }

    private enum Tenant: RequestAttributeKey {
        static let defaultValue = "none"
    }

    @Test func anAttributeTravelsWithTheOptions() {
        var options = RequestOptions()
        #expect(options[Tenant.self] == "none")
        options[Tenant.self] = "acme"
        let copy = options
        options[Tenant.self] = "other"
        #expect(copy[Tenant.self] == "acme" && options[Tenant.self] == "other")
    }
}
