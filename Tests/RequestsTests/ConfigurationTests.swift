// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataRequests
import StrataTesting
import Testing

struct ConfigurationTests {
    private func options(
        _ configuration: Request.Configuration, client: NetworkClient? = nil
    ) throws -> RequestOptions {
        try Request(.get, url: usersURL, configuration: configuration).makeTransportRequest(client: client).options
    }

    @Test func theDefaultIsThatOfURLRequest() {
        let request = Request(.get, url: usersURL).urlRequest
        #expect(request.allowsCellularAccess)
        #expect(request.cachePolicy == .useProtocolCachePolicy)
        #expect(request.networkServiceType == .default)
        #expect(request.timeoutInterval == 60)
        #expect(request.httpShouldHandleCookies)
        #expect(Request.Configuration() == .default)
        #expect(!Request.Configuration.default.parseHTTPStatusErrors)
        #expect(!Request.Configuration.default.appendTrailingSlashToPath)
    }

    @Test func everySettingReachesURLRequest() {
        let configuration = Request.Configuration(
            allowsCellularAccess: false, cachePolicy: .reloadIgnoringLocalCacheData, httpShouldUsePipelining: true,
            networkServiceType: .background, timeoutInterval: 5, httpShouldHandleCookies: false,
            allowsConstrainedNetworkAccess: false, allowsExpensiveNetworkAccess: false)
        let request = Request(.get, url: usersURL, configuration: configuration).urlRequest
        #expect(!request.allowsCellularAccess)
        #expect(request.cachePolicy == .reloadIgnoringLocalCacheData)
        #expect(request.networkServiceType == .background)
        #expect(request.timeoutInterval == 5)
        #expect(!request.httpShouldHandleCookies)
        #expect((request as any Pipelining).httpShouldUsePipelining)
        #if !canImport(FoundationNetworking)
        #expect(!request.allowsConstrainedNetworkAccess)
        #expect(!request.allowsExpensiveNetworkAccess)
        #endif
    }

    @Test func aTimeoutThatWasSetWinsOverTheClientsAndADefaultDoesNot() throws {
        var configuration = NetworkConfiguration(baseURL: nil, transport: ScriptedTransport())
        configuration.options.timeouts.idle = .seconds(7)
        let client = NetworkClient(configuration: configuration)
        #expect(try options(.default, client: client).timeouts.idle == .seconds(7))
        #expect(try options(.init(timeoutInterval: 60), client: client).timeouts.idle == .seconds(60))
        #expect(try options(.init(timeout: 2.5), client: client).timeouts.idle == .seconds(2.5))
        #expect(try options(.init(timeout: 2.5), client: client).timeouts.connect == .seconds(2.5))
    }

    @Test(arguments: [0, -1, .infinity, .nan, .greatestFiniteMagnitude])
    func whatIsNoLimitIsNone(_ timeout: TimeInterval) throws {
        #expect(try options(.init(timeout: timeout)).timeouts.idle == nil)
    }

    @Test func equalityLooksAtValuesOnly() {
        #expect(Request.Configuration(timeoutInterval: 60) == .default)
        #expect(Request.Configuration(timeoutInterval: 60).hashValue == Request.Configuration.default.hashValue)
        #expect(Request.Configuration(timeoutInterval: 61) != .default)
        #expect(Request.Configuration(parseHTTPStatusErrors: true) != .default)
    }

    @Test(arguments: [
        (URLRequest.CachePolicy.useProtocolCachePolicy, nil),
        (.reloadIgnoringLocalCacheData, "no-cache"), (.reloadIgnoringLocalAndRemoteCacheData, "no-cache"),
        (.reloadRevalidatingCacheData, "no-cache"), (.returnCacheDataElseLoad, "max-stale"),
        (.returnCacheDataDontLoad, "max-stale, only-if-cached"),
    ])
    func cachesAreToldThePolicy(_ policy: URLRequest.CachePolicy, _ directives: String?) throws {
        let request = Request(.get, url: usersURL, configuration: .init(cachePolicy: policy))
        #expect(try request.makeTransportRequest().head.headerFields[.cacheControl] == directives)
        let own = request.settingHeader(.cacheControl("max-age=5"))
        #expect(try own.makeTransportRequest().head.headerFields[.cacheControl] == "max-age=5")
    }

    @available(*, deprecated, message: "tests the old name")
    @Test func theOldNameOfTheSlashWorks() {
        var configuration = Request.Configuration.default
        configuration.appendTraillingSlashToPath = true
        #expect(configuration.appendTrailingSlashToPath)
        #expect(
            Request.Configuration(timeoutInterval: 5, appendTraillingSlashToPath: true)
                == Request.Configuration(timeoutInterval: 5, appendTrailingSlashToPath: true))
    }
}

/// The setting is deprecated on some platforms, and read all the same.
private protocol Pipelining {
    var httpShouldUsePipelining: Bool { get }
}

extension URLRequest: Pipelining {}
