// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataAPI
import StrataCore
import StrataEncoding
import StrataTesting
import Testing

extension APICallTests {
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
}
