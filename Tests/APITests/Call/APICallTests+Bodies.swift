// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataAPI
import StrataCore
import StrataEncoding
import StrataTesting
import Testing

extension APICallTests {
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
}
