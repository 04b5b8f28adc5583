// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataAPI
import StrataCore
import StrataEncoding
import StrataTesting
import Testing

/// What endpoints send.
struct APICallTests {
    let transport: ScriptedTransport
    let api: AccountsAPI

    init() {
        transport = ScriptedTransport { request in
            if request.path.hasSuffix("/list") { return .json("[]") }
            if request.path.hasSuffix("/options") { return .text("no", status: 500) }
            return .json("\"ok\"")
        }
        api = AccountsAPI(Provider(baseURL: "https://api.example/v1?key=k", transport: transport))
    }

    var target: String? { transport.requests.last?.target }
    var request: RecordedRequest {
        get throws { try #require(transport.requests.last) }
    }

    // MARK: Path

    @Test func aPathValueStaysInItsSegment() async throws {
        _ = try await api.file(name: "a/b c?d#e%ü")
        #expect(target == "/v1/files/a%2Fb%20c%3Fd%23e%25%C3%BC.json?key=k")
    }

    @Test func anEncodedPathValueGoesInAsItIs() async throws {
        _ = try await api.raw(path: "a/b%20c")
        #expect(target == "/v1/files/a/b%20c?key=k")
    }

    @Test func aPathValueLeadsToNoOtherHost() async throws {
        for path in ["https://evil.example/x", "HTTP://evil.example"] {
            _ = try await api.anywhere(path: path)
            #expect(try request.url.hasPrefix("https://api.example/v1/"))
        }
    }

    @Test(arguments: ["a b", "a?b", "a#b", "a%2", "ü", "%GG"])
    func anEncodedPathValueIsChecked(path: String) async throws {
        let error = await #expect(throws: NetworkClientError.self) { try await api.raw(path: path) }
        #expect(error?.code == .malformedURL)
        #expect(transport.requests.isEmpty)
    }

    @Test(arguments: ["..", ".", "%2e%2E", "a/../..", ".%2e/x"])
    func aPathValueCannotClimb(path: String) async throws {
        let error = await #expect(throws: NetworkClientError.self) { try await api.raw(path: path) }
        #expect(error?.code == .malformedURL)
        #expect(transport.requests.isEmpty)
    }

    @Test(arguments: ["/users/{id}", "/users/{id}/keys", "/users/{id}?a=1", "{id}", "/users/{id}{id}"], [true, false])
    func aPathValueLeavesNoSegmentEmpty(template: String, encoded: Bool) async throws {
        var call = APICall(api.provider, method: "DELETE", template: template)
        call.path("id", "", encoded: encoded)
        let error = await #expect(throws: NetworkClientError.self) { try await call.send() }
        #expect(error?.code == .malformedURL)
        #expect(transport.requests.isEmpty)
    }

    @Test(arguments: [
        ("/files/{id}.json", "/v1/files/.json?key=k"), ("/a{id}", "/v1/a?key=k"),
        ("/users/?q={id}", "/v1/users/?key=k&q="),
    ])
    func anEmptyValueMayBeAPartOfASegment(template: String, sent: String) async throws {
        for encoded in [true, false] {
            var call = APICall(api.provider, method: "DELETE", template: template)
            call.path("id", "", encoded: encoded)
            try await call.send()
            #expect(target == sent)
        }
    }

    @Test func dotsBesideTextAreNoClimbing() async throws {
        _ = try await api.file(name: "..")
        #expect(target == "/v1/files/...json?key=k")
    }

    @Test func aPathValueIsNeeded() async throws {
        let error = await #expect(throws: NetworkClientError.self) { try await api.maybe(id: nil) }
        #expect(error?.code == .malformedURL)
        #expect(transport.requests.isEmpty)
        try await api.maybe(id: 7)
        #expect(target == "/v1/accounts/7?key=k")
    }

    @Test func aTrailingSlashStays() async throws {
        try await api.trailing()
        #expect(target == "/v1/trailing/?key=k")
    }

    // MARK: Fields

    @Test func aMapOfFieldsMayHaveNumbers() async throws {
        try await api.numbers(numbers: ["X-A": 1, "X-B": nil])
        #expect(try request["x-a"] == "1")
        #expect(try request["x-b"] == nil)
    }

    @Test func aMapOfFieldsMayHaveRawValuesAndPairs() async throws {
        let api = CollectionsAPI(self.api.provider)
        try await api.sorts(sorts: ["X-A": .up, "X-B": nil], lists: ["X-C": [.up, .down]])
        #expect(try request["x-a"] == "up")
        #expect(try request["x-b"] == nil)
        #expect(try request["x-c"] == "up, down")
        try await api.fields(fields: ["X-B": "1", "X-A": "2", "x-b": "3"])
        #expect(try request["x-a"] == "2")
        #expect(try request["x-b"] == "1, 3")
        let error = await #expect(throws: NetworkClientError.self) { try await api.fields(fields: ["a b": "c"]) }
        #expect(error?.code == .invalidRequest)
    }

    @Test func fixedFieldsMayBeInterpolated() async throws {
        try await api.agent()
        #expect(try request["user-agent"] == "App/2")
    }

    @Test func theNearerFieldWins() async throws {
        try await api.fields(scope: nil, token: nil, list: [], more: nil)
        #expect(try request["x-scope"] == "function")
        #expect(try request["x-type"] == "1")
        #expect(try request["token"] == nil)
        try await api.fields(scope: "parameter", token: "t", list: [1, 2], more: nil)
        #expect(try request["x-scope"] == "parameter")
        #expect(try request["token"] == "t")
        #expect(try request["x-list"] == "1, 2")
        try await api.fields(scope: "parameter", token: nil, list: [], more: ["X-SCOPE": "map"])
        #expect(try request["x-scope"] == "map")
    }

    @Test func aLineBreakInAFieldIsAnError() async throws {
        let error = await #expect(throws: NetworkClientError.self) {
            try await api.fields(scope: "a\r\nb: c", token: nil, list: [], more: nil)
        }
        #expect(error?.code == .invalidRequest)
        await #expect(throws: NetworkClientError.self) {
            try await api.fields(scope: nil, token: nil, list: [], more: ["a b": "c"])
        }
        #expect(transport.requests.isEmpty)
    }

    // MARK: Target

    @Test(arguments: [
        ("https://other.example/a?b=c", "https://other.example/a?b=c&size=2"),
        ("/a#top", "https://api.example/a?size=2"), ("next?page=2", "https://api.example/next?page=2&size=2"),
        ("//cdn.example/x", "https://cdn.example/x?size=2"),
    ])
    func aTargetIsResolvedAgainstTheBase(link: String, url: String) async throws {
        _ = try await api.page(link, size: 2)
        #expect(try request.url == url)
    }

    @Test func withoutABaseATargetIsCompleteAndLosesItsFragment() async throws {
        let client = NetworkClient(configuration: NetworkConfiguration(baseURL: nil, transport: transport))
        _ = try await AccountsAPI(client).page("https://h.example/a?b=c#top", size: 2)
        #expect(try request.url == "https://h.example/a?b=c&size=2")
    }

    @Test func aTargetIsFoundByItsName() async throws {
        let url = try #require(URL(string: "https://files.example/1"))
        try await api.upload(Data([1]), to: url)
        #expect(try request.url == "https://files.example/1")
        #expect(try request.body == Data([1]))
    }

    @Test(arguments: [
        "file:///etc/passwd", "mailto:a@b", "http:evil.example/x", "https:", "https:/x", "http:///x",
    ])
    func aTargetIsHTTP(link: String) async throws {
        let error = await #expect(throws: NetworkClientError.self) { try await api.page(link, size: nil) }
        #expect(error?.code == .malformedURL)
        #expect(transport.requests.isEmpty)
    }

    @Test func aTargetMayHaveAnyMethod() async throws {
        try await api.trace("https://other.example/a")
        #expect(try request.method == .trace)
        try await api.connect("https://other.example/b")
        #expect(try request.method == .connect)
        #expect(transport.requests.map(\.url) == ["https://other.example/a", "https://other.example/b"])
    }

    @Test func aTargetMayHaveABody() async throws {
        let url = try #require(URL(string: "https://hooks.example/in"))
        _ = try await api.post(to: url, Account(id: 1))
        #expect(try request.url == "https://hooks.example/in")
        #expect(try request.text == #"{"id":1}"#)
    }

    // MARK: Methods

    @Test func anyMethodGoesOut() async throws {
        try await api.propfind(depth: 1)
        #expect(try request.method.rawValue == "PROPFIND")
        #expect(target == "/v1/dav?key=k&depth=1")
        try await api.connect(a: 1)
        #expect(try request.method == .connect)
        #expect(target == "/v1/c?key=k&a=1")
        try await api.trace()
        #expect(try request.method == .trace)
    }

    @Test func aTraceHasNoContent() async throws {
        let error = await #expect(throws: NetworkClientError.self) { try await api.trace(text: "a") }
        #expect(error?.code == .invalidRequest)
        #expect(transport.requests.isEmpty)
    }

    // MARK: Options

    @Test func optionsAndTagsTravelAlong() async throws {
        #expect(try await api.options(tenant: "acme") == "no")
        let options = try request.options
        #expect(options.timeouts.idle == .seconds(5))
        #expect(options.timeouts.deadline == .seconds(30))
        #expect(options.timeouts.connect == .seconds(30))
        #expect(options[TenantKey.self] == "acme")
        #expect(options[OperationKey.self] == "accounts")
        try await api.tagged(tenant: "always")
        #expect(try request.options[TenantKey.self] == "always")
    }

    @Test func aNilTagLeavesTheTypesAsANilFieldDoes() async throws {
        let api = TenantsAPI(self.api.provider)
        try await api.get(tenant: nil, name: nil)
        #expect(try request.options[TenantKey.self] == "type")
        #expect(try request["x-tenant"] == "type")
        try await api.get(tenant: "a", name: "b")
        #expect(try request.options[TenantKey.self] == "a")
        #expect(try request["x-tenant"] == "b")
        try await api.none()
        #expect(try request.options[TenantKey.self] == nil)
    }

    // MARK: Names

    @Test func parametersMayBeCalledAnything() async throws {
        try await api.names(call: 1, provider: "p", `self value`: "s", in: 2)
        #expect(target == "/v1/names/1?key=k&provider=p&self%20value=s&in=2")
        try await api.selves(1, self: 2)
        #expect(target == "/v1/selves/1?key=k&self=2")
        try await api.module(b: 3)
        #expect(target == "/v1/module/3?key=k")
        try await api.keywords(in: "a", for: 1)
        #expect(target == "/v1/keywords?key=k&in=a&for=1")
        try await api.operators(await: true, copy: 2)
        #expect(target == "/v1/operators?key=k&await=true&copy=2")
    }

    @Test func parametersMayBeBorrowedOrIsolated() async throws {
        try await api.borrowed(Account(id: 1))
        #expect(try request.text == #"{"id":1}"#)
        try await api.isolated(page: 1)
        #expect(target == "/v1/isolated?key=k&page=1")
    }

    @Test func extensionsHaveEndpointsToo() async throws {
        #expect(try await api.extended() == "\"ok\"")
        #expect(try request["x-type"] == "1")
    }

    @Test func aBaseURLThatIsNoneIsAnErrorOfTheCall() async throws {
        for base in ["", "not a url", "ftp://x", "http://"] {
            let broken = AccountsAPI(Provider(baseURL: base, transport: transport))
            let error = await #expect(throws: NetworkClientError.self) { try await broken.nothing() }
            #expect(error?.code == .malformedURL)
        }
        #expect(transport.requests.isEmpty)
    }
}
