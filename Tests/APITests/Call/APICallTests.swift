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
    private let transport: ScriptedTransport
    private let api: AccountsAPI

    init() {
        transport = ScriptedTransport { request in
            if request.path.hasSuffix("/list") { return .json("[]") }
            if request.path.hasSuffix("/options") { return .text("no", status: 500) }
            return .json("\"ok\"")
        }
        api = AccountsAPI(Provider(baseURL: "https://api.example/v1?key=k", transport: transport))
    }

    private var target: String? { transport.requests.last?.target }
    private var request: RecordedRequest {
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

    // MARK: Query

    @Test func queriesAddUpInTheirOrder() async throws {
        _ = try await api.list(
            page: nil, tags: ["a+b", "c"], sorts: [.up, .down], since: Date(timeIntervalSince1970: 0), sort: .down,
            version: Version(major: 2))
        #expect(
            target
                == "/v1/list?key=k&fixed=1&tags=a%2Bb&tags=c&sorts=up&sorts=down&since=1970-01-01T00%3A00%3A00Z&sort=down&version=v2&f=true"
        )
    }

    @Test func anOpenQueryIsFilled() async throws {
        try await api.open(a: 1)
        #expect(target?.hasSuffix("a=1") == true)
        #expect(target?.contains("&&") == false)
    }

    @Test func anEncodedQueryValueIsChecked() async throws {
        try await api.rawQuery(text: "a%20b&c")
        #expect(target == "/v1/raw?key=k&q=a%20b&c")
        await #expect(throws: NetworkClientError.self) { try await api.rawQuery(text: "a b") }
        #expect(transport.requests.count == 1)
    }

    @Test func onlyTheOwnNameOfAnEncodedQueryIsEncodedWhereItHasToBe() async throws {
        try await api.rawNames(text: "a%20b", list: ["x", "y"], map: ["c%20d": "e"])
        #expect(target == "/v1/raw?key=k&a%20filter%5Bname%5D=a%20b&a%5B=x&a%5B=y&c%20d=e")
        let error = await #expect(throws: NetworkClientError.self) {
            try await api.rawNames(text: "", list: [], map: ["c d": "e"])
        }
        #expect(error?.code == .malformedURL)
        #expect(transport.requests.count == 1)
    }

    @Test func variadicParametersRepeat() async throws {
        try await api.variadic(1, 2)
        #expect(target == "/v1/variadic?key=k&ids=1&ids=2")
    }

    @Test func setsAndKeysGoOutAsTheirRawValues() async throws {
        try await api.sets(sorts: [.up], ids: [7], ranks: [.down: 2, .up: 1])
        #expect(target == "/v1/sets?key=k&sorts=up&ids=7&down=2&up=1")
    }

    /// `Codable` would write a list of keys and values, in any order.
    @Test func keysThatAreEncodableAreNamesAllTheSame() async throws {
        let api = CollectionsAPI(self.api.provider)
        try await api.rated([.good: 1, .bad: 2], more: [10: [.good], 9: [.bad]])
        #expect(target == "/v1/c?key=k&bad=2&good=1&10=good&9=bad")
        try await api.ratedForm(ratings: [.good: 1, .bad: 2], id: 7)
        #expect(try request.text == "bad=2&good=1&id=7")
    }

    @Test func whatIsOnlyKnownToHaveADescriptionGoesOutAsWhatItIs() async throws {
        let api = CollectionsAPI(self.api.provider)
        let date = Date(timeIntervalSince1970: 0)
        try await api.described(id: "a/b", note: 5, since: date, key: Data([1, 2]))
        #expect(target == "/v1/c/a%2Fb?key=k&since=1970-01-01T00%3A00%3A00Z")
        #expect(try request.text == #"{"note":5}"#)
        #expect(try request["x-key"] == "AQI=")
        try await api.described(id: Version(major: 2), note: nil as Int?, since: 7, key: Version(major: 3))
        #expect(target == "/v1/c/v2?key=k&since=7")
        #expect(try request["x-key"] == "v3")
    }

    @Test func soDoesAnOptionalOfIt() async throws {
        let api = CollectionsAPI(self.api.provider)
        let date = Date(timeIntervalSince1970: 0)
        try await api.existentials(
            id: Version(major: 2), note: date, count: UInt8(7), both: "b", list: [1, Version(major: 3)], key: 5)
        #expect(target == "/v1/c/v2?key=k&note=1970-01-01T00%3A00%3A00Z&count=7&both=b&list=1&list=v3")
        #expect(try request["x-key"] == "5")
        try await api.existentials(id: "a/b", note: nil, count: nil, both: nil, list: nil, key: nil)
        #expect(target == "/v1/c/a%2Fb?key=k")
        #expect(try request["x-key"] == nil)
        let missing = await #expect(throws: NetworkClientError.self) {
            try await api.existentials(id: nil, note: nil, count: nil, both: nil, list: nil, key: nil)
        }
        #expect(missing?.code == .malformedURL)
    }

    @Test func aFieldThatIsADateIsOneOfHTTP() async throws {
        let api = CollectionsAPI(self.api.provider)
        let date = Date(timeIntervalSince1970: 784_111_777)
        try await api.dated(since: date, other: date, more: ["date": date, "x-more": date])
        #expect(try request["if-modified-since"] == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(try request["date"] == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(try request["x-date"] == "1994-11-06T08:49:37Z")
        #expect(try request["x-more"] == "1994-11-06T08:49:37Z")
    }

    @Test func fieldsGoByTheirNames() async throws {
        let api = CollectionsAPI(self.api.provider)
        try await api.named(fields: [.accept: "text/plain", .userAgent: "a"], sorts: [.from: .up])
        #expect(try request["accept"] == "text/plain")
        #expect(try request["user-agent"] == "a")
        #expect(try request["from"] == "up")
        try await api.plain()
        #expect(try request["accept"] == "text/plain")
    }

    @Test func fieldsGoByTheRawValuesOfTheirNames() async throws {
        let api = CollectionsAPI(self.api.provider)
        try await api.keyed(fields: [.tenant: "acme"], pairs: [.trace: .up, .trace: .down])
        #expect(try request["x-tenant"] == "acme")
        #expect(try request["x-trace"] == "up, down")
    }

    @Test func slicesAndPairsGoOutByTheirElements() async throws {
        try await api.slices(
            ids: [1, 2, 3].prefix(2), sorts: [Sort.up, .down].dropFirst(), groups: ["c": [1, 2].dropFirst()],
            filters: ["b": "x y", "a": "1"])
        #expect(target == "/v1/slices?key=k&ids=1&ids=2&sorts=down&c=2&b=x%20y&a=1")
        try await api.add([Account(id: 1), Account(id: 2)].dropFirst())
        #expect(try request.text == #"[{"id":2}]"#)
        #expect(try request["content-type"] == "application/json")
    }

    @Test func pairsKeepTheirOrderWhateverTheirValuesAre() async throws {
        try await api.pairs(sorts: ["b": .up, "a": .down], more: ["d": 1, "c": "x y"])
        #expect(target == "/v1/pairs?key=k&b=up&a=down&d=1&c=x%20y")
        let error = await #expect(throws: NetworkClientError.self) {
            try await api.pairs(sorts: [:], more: ["a": Sort.up])
        }
        #expect(error?.code == .encodingFailed)
    }

    @Test func keysOfPairsGoOutAsTheirRawValues() async throws {
        let api = CollectionsAPI(self.api.provider)
        try await api.pairs(ranks: [.up: 2, .down: 1])
        #expect(target == "/v1/c?key=k&up=2&down=1")
        try await api.pairsBody([.up: [.down]])
        #expect(try request.text == #"{"up":["down"]}"#)
        try await api.pairsBody(nil)
        #expect(try request.hasBody == false)
    }

    @Test func contiguousArraysGoOutAsArraysDo() async throws {
        let api = CollectionsAPI(self.api.provider)
        try await api.contiguous(ids: [1, 2], sorts: [.up, .down])
        #expect(target == "/v1/c?key=k&ids=1&ids=2&sorts=up&sorts=down")
        try await api.contiguousBody([[.up], []])
        #expect(try request.text == #"[["up"],[]]"#)
    }

    @Test func theProvidersEncoderMakesTextOfParameters() async throws {
        var provider = api.provider
        provider.queryEncoder = QueryEncoder(
            FormOptions(arrays: .indices, bools: .numbers, dates: .secondsSince1970))
        let api = AccountsAPI(provider)
        _ = try await api.list(
            page: nil, tags: ["a", "b"], sorts: nil, since: Date(timeIntervalSince1970: 5), sort: nil,
            version: Version(major: 2))
        #expect(target == "/v1/list?key=k&fixed=1&tags%5B0%5D=a&tags%5B1%5D=b&since=5&version=v2&f=1")
        // Indices are for queries alone.
        try await api.fields(scope: nil, token: nil, list: [1, 2], more: nil)
        #expect(try request["x-list"] == "1, 2")
    }

    @Test func whatAnArrayAndADictionaryDoNotHaveIsLeftOut() async throws {
        try await api.gaps(ids: [1, nil, 3], groups: ["a": [], "b": [2]], header: [nil, 4, 5])
        #expect(target == "/v1/gaps?key=k&ids=1&ids=3&b=2")
        #expect(try request["x-ids"] == "4, 5")
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

    // MARK: Bodies

    @Test func mixedValuesBecomeJSON() async throws {
        try await api.any(["b": [1, true, "x"] as [Any], "a": ["n": nil as Int? as Any]])
        #expect(try JSONValue(parsing: try request.body) == ["a": ["n": nil], "b": [1, true, "x"]])
        try await api.anys(values: [1, "x"])
        #expect(try request.text == #"[1,"x"]"#)
        try await api.anyField(filter: ["a": 1], note: nil)
        #expect(try request.text == #"{"filter":{"a":1}}"#)
        try await api.anyField(filter: nil, note: nil)
        #expect(try request.text == "{}")
    }

    @Test func theCallsEncoderMeetsWhatStandsAmongMixedValues() async throws {
        let api = CollectionsAPI(self.api.provider)
        let (epoch, text) = (Date(timeIntervalSince1970: 0), "1970-01-01T00%3A00%3A00Z")
        try await api.dates(filter: ["since": epoch, "page": 1], days: [.up: epoch], values: [epoch, 1])
        #expect(target == "/v1/c?key=k&page=1&since=\(text)&up=\(text)&values=\(text)&values=1")
        try await api.field(dates: [epoch, "x"])
        #expect(try request["x-dates"] == "1970-01-01T00:00:00Z, x")
        try await api.form(filter: ["since": epoch, "page": 1])
        #expect(try request.text == "page=1&since=\(text)")
        let list: [Any] = [epoch, nil as Int? as Any]
        try await api.body(["atDay": epoch, "list": list, "aPerson": ["nickName": epoch]])
        // In the order of the keys, as JSON alone.
        let person = #"{"nickName":"1970-01-01T00:00:00Z"}"#
        #expect(
            try request.text
                == #"{"aPerson":\#(person),"atDay":"1970-01-01T00:00:00Z","list":["1970-01-01T00:00:00Z",null]}"#)
        try await api.list([epoch, Ratio(ratio: 1)])
        #expect(try JSONValue(parsing: try request.body) == ["1970-01-01T00:00:00Z", ["ratio": 1]])
        try await api.keyed([.up: epoch])
        #expect(try request.text == #"{"up":"1970-01-01T00:00:00Z"}"#)
        try await api.change(allChanges: ["atDay": epoch])
        #expect(try request.text == #"{"all_changes":{"atDay":"1970-01-01T00:00:00Z"}}"#)
    }

    @Test func aValueOfAnyEncodableTypeMayBeNil() async throws {
        try await api.anything(Account(id: 1))
        #expect(try request.text == #"{"id":1}"#)
        for nothing in [nil, nil as Int? as any Encodable] as [(any Encodable)?] {
            try await api.anything(nothing)
            #expect(try request.hasBody == false)
        }
    }

    @Test func valuesGoOutAsTheirRawValueOrDescriptionWhereTheirTypeIsDeclared() async throws {
        try await api.versions(["a": [.down: [Version(major: 1), nil]]])
        #expect(try request.text == #"{"a":{"down":["v1",null]}}"#)
        try await api.anyKeys([1: "a", "b": 2, Sort.down: nil as Int? as Any])
        #expect(try JSONValue(parsing: try request.body) == ["1": "a", "b": 2, "down": nil])
        try await api.ranks([.up: [.down]])
        #expect(try request.text == #"{"up":["down"]}"#)
        try await api.ranks(nil)
        #expect(try request.hasBody == false)
    }

    @Test func amongMixedValuesNoDescriptionGoesOut() async throws {
        for value in [Sort.up, [Sort.up], Set([Sort.up]), ["a": Version(major: 1)], NSObject()] as [Any] {
            for send in [
                { try await api.any(["a": value]) }, { try await api.anys(values: [value]) },
                { try await api.anyList([["a": value]]) }, { try await api.anyOptional([nil, value]) },
                { try await api.anyKeys(["a": value]) },
            ] as [() async throws -> Void] {
                let error = await #expect(throws: NetworkClientError.self) { try await send() }
                #expect(error?.code == .encodingFailed)
            }
        }
        let error = await #expect(throws: NetworkClientError.self) {
            try await api.anySendable(["a": Version(major: 1)])
        }
        #expect(error?.code == .encodingFailed)
        #expect(transport.requests.isEmpty)
        try await api.anySendable(["a": 1, "b": [true]])
        #expect(try JSONValue(parsing: try request.body) == ["a": 1, "b": [true]])
    }

    @Test func whatJSONCannotHoldIsAnError() async throws {
        final class Opaque: Hashable {
            static func == (one: Opaque, other: Opaque) -> Bool { one === other }
            func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
        }
        for value in [Opaque(), [Opaque()], [Opaque(): 1], Double.nan, [[Double.infinity]], Ratio()] as [Any] {
            let error = await #expect(throws: NetworkClientError.self) { try await api.any(["a": value]) }
            #expect(error?.code == .encodingFailed)
        }
        let error = await #expect(throws: NetworkClientError.self) { try await api.anyKeys([1: "a", "1": "b"]) }
        #expect(error?.code == .encodingFailed)
        #expect(transport.requests.isEmpty)
    }

    @Test func dataGoesOutAsItIs() async throws {
        try await api.rawBody(Data([1, 2]))
        #expect(try request.body == Data([1, 2]))
        #expect(try request["content-type"] == nil)
    }

    @Test func theCallersContentTypeWinsWhereThereIsABody() async throws {
        try await api.content(Account(id: 1))
        #expect(try request["content-type"] == "application/vnd.a+json")
        try await api.content(nil)
        #expect(try request["content-type"] == nil)
        #expect(try request.hasBody == false)
    }

    @Test func aGetMayHaveABody() async throws {
        try await api.searchBody(filter: Account(id: 1), limit: 3)
        #expect(try request.method == .get)
        #expect(target == "/v1/search?key=k&limit=3")
        #expect(try request.text == #"{"id":1}"#)
    }

    @Test func formsAreFlatUnlessNamed() async throws {
        try await api.form(account: Account(id: 1, name: "a b"), other: Account(id: 2), tags: ["x", "y"], note: nil)
        #expect(try request.text == "id=1&name=a+b&x%5Bid%5D=2&tags=x&tags=y")
        try await api.formBody(Account(id: 1, name: "&"))
        #expect(try request.text == "id=1&name=%26")
    }

    @Test func aFormTakesDictionariesAndOptionalsAfterOtherFields() async throws {
        try await api.mixedForm(note: "n", filter: ["b": 1, "a": "x"], account: Account(id: 1))
        #expect(try request.text == "note=n&a=x&b=1&id=1")
        try await api.tagForm(note: "n", tags: ["c": "3", "a": "1", "d": "4", "b": "2"])
        #expect(try request.text == "note=n&a=1&b=2&c=3&d=4")
    }

    @Test func fieldsOfAFormWithOneNameAreAnError() async throws {
        let error = await #expect(throws: NetworkClientError.self) {
            try await api.tagForm(note: "n", tags: ["note": "m"])
        }
        #expect(error?.code == .encodingFailed)
        #expect(transport.requests.isEmpty)
    }

    @Test func whatIsFlatInAFormIsForTheFormsEncoderToSay() async throws {
        try await api.ratioForm(ratio: Ratio())
        #expect(try request.text == "ratio=inf")
        var encoder = FormEncoder()
        encoder.userInfo[try #require(Ratio.scale)] = 2
        var call = APICall(api.provider, method: "POST", template: "/form")
        call.format(.form, encoder: encoder)
        call.field("data", .init(Ratio()))
        try await call.send()
        #expect(try request.text == "ratio=inf&scale=2")
    }

    @Test func theOptionsOfAFormHoldForAllItsFields() async throws {
        let forms = SortedFormsAPI(Provider(baseURL: "https://api.example", transport: transport))
        try await forms.form(zipCode: "z", ids: [2, 1], tags: ["firstName": "f", "Z": "y"])
        #expect(try request.text == "Z=y&firstName=f&ids=2&ids=1&zip_code=z")
    }

    @Test func partsAreInOrder() async throws {
        let part = MultipartPart.data(Data([1]), name: "p")
        try await api.multipart(text: "t", count: 2, parts: [part], note: nil, account: Account(id: 1))
        let body = try request.text
        let type = try #require(try request["content-type"])
        #expect(type.hasPrefix("multipart/form-data; boundary="))
        let order = [#"name="n"; filename="a %22b%22.txt""#, #"name="count""#, #"name="p""#, #"name="account""#]
            .map { body.range(of: $0)?.lowerBound }
        #expect(order.compactMap { $0 }.count == 4)
        #expect(order.compactMap { $0 } == order.compactMap { $0 }.sorted())
        #expect(!body.contains(#"name="note""#))
        #expect(body.contains("Content-Type: application/json\r\n\r\n{\"id\":1}\r\n"))
    }

    @Test func partsOfJSONAreWrittenByTheClientsEncoder() async throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        let provider = Provider(baseURL: "https://api.example", transport: transport) { $0.defaultEncoder = encoder }
        var call = APICall(provider, method: "POST", template: "/form")
        call.format(.multipart)
        call.field("meta", .init(["at": Date(timeIntervalSince1970: 0)]))
        try await call.send()
        #expect(try request.text.contains(#"{"at":"1970-01-01T00:00:00Z"}"#))
        // One that is no `JSONEncoder` writes no parts.
        call.format(.json, encoder: SnakeEncoder())
        call.format(.multipart)
        try await call.send()
        #expect(try request.text.contains(#"{"at":"1970-01-01T00:00:00Z"}"#))
    }

    @Test func partsOfJSONAreWrittenByTheTypesEncoder() async throws {
        let forms = StampsAPI(Provider(baseURL: "https://api.example", transport: transport))
        try await forms.parts(meta: Stamp(atNoon: Date(timeIntervalSince1970: 0)))
        #expect(try request.text.contains(#"{"at_noon":"1970-01-01T00:00:00Z"}"#))
    }

    @Test func coderOfTheFunctionThenOfTheTypeThenTheDefault() async throws {
        let forms = FormsAPI(Provider(baseURL: "https://api.example", transport: transport))
        try await forms.form(tags: ["a", "b"])
        #expect(try request.text == "tags%5B%5D=a&tags%5B%5D=b")
        try await forms.json(tags: ["a", "b"])
        #expect(try request.text == #"{"tags":["a","b"]}"#)
        #expect(try request["content-type"] == "application/json")
        try await forms.again(tags: ["a", "b"])
        #expect(try request.text == "tags%5B%5D=a&tags%5B%5D=b")
        try await forms.query(tags: ["a", "b"])
        #expect(try request.target == "/a?tags=a&tags=b")
        try await api.snake(firstName: "Ada")
        #expect(try request.text == #"{"first_name":"Ada"}"#)
    }

    @Test func coderOfTheFunctionThenOfTheTypeForStreamsToo() async throws {
        let transport = ScriptedTransport(.events("data: {\"first_name\": \"Ada\"}\n\n"))
        let provider = Provider(baseURL: "https://api.example", transport: transport)
        var people: [Person] = []
        for try await person in try await ChatsAPI(provider).people(nickName: "a") { people.append(person) }
        #expect(people == [Person(firstName: "Ada")])
        #expect(transport.requests.last?.text == #"{"nickName":"a"}"#)
        _ = try await ChatsAPI(provider).texts(nickName: "a")
        #expect(transport.requests.last?.text == #"{"nick_name":"a"}"#)
        _ = try await EncodedChatsAPI(provider).texts(nickName: "a")
        #expect(transport.requests.last?.text == #"{"nick_name":"a"}"#)
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
