// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataAPI
import StrataCore
import StrataEncoding
import StrataTesting
import Testing

/// Which name a value is sent under.
struct NamesTests {
    private let transport = ScriptedTransport(.json("{}"))
    private let api: NamesAPI
    private let objects: ObjectsAPI

    init() {
        let provider = Provider(baseURL: "https://api.example", transport: transport)
        api = NamesAPI(provider)
        objects = ObjectsAPI(provider)
    }

    private var request: RecordedRequest {
        get throws { try #require(transport.requests.last) }
    }

    private var query: String? { transport.requests.last?.query?.removingPercentEncoding }

    private func failure(_ send: () async throws -> Void) async -> NetworkClientError? {
        let count = transport.requests.count
        let error = await #expect(throws: NetworkClientError.self) { try await send() }
        #expect(transport.requests.count == count)
        return error
    }

    // MARK: Written names and others

    @Test func aNameThatIsWrittenIsSentAsItIsWhateverTheStrategy() async throws {
        try await api.json(id: 1, custom: "c", firstName: "A")
        #expect(try request.text == #"{"userID":1,"Custom Name":"c","first_name":"A"}"#)
        try await api.form(id: 1, firstName: "A", span: Span())
        #expect(try request.text.removingPercentEncoding == "userID=1&first_name=A&theSpan[from_day]=1&theSpan[to]=2")
        try await api.parts(id: 1, firstName: "A", tagNames: ["x", "y"], ints: [2])
        let boundary = try #require(MediaType(try request["content-type"] ?? "")?["boundary"])
        let parts = try MultipartDecoder().parts(in: try request.body, boundary: boundary)
        #expect(parts.map(\.name) == ["userID", "first_name", "tag_names", "tag_names", "ints"])
        #expect(parts.map { String(decoding: $0.body.data ?? Data(), as: UTF8.self) } == ["1", "A", "x", "y", "2"])
        #expect(parts.allSatisfy { $0.contentType == nil })
        try await api.query(id: 1, perPage: 2, span: Span())
        #expect(query == "userID=1&per_page=2&theSpan[from_day]=1&theSpan[to]=2")
    }

    @Test func aModelUnderANameFollowsTheStrategyInside() async throws {
        try await api.span(thisSpan: Span(), other: Span())
        #expect(
            try JSONValue(parsing: try request.body) == [
                "this_span": ["from_day": 1, "to": 2], "thatSpan": ["from_day": 1, "to": 2],
            ])
    }

    @Test func anEncoderOfAnotherKindIsAskedForItsNames() async throws {
        try await api.custom(id: 1, firstName: "A")
        #expect(try JSONValue(parsing: try request.body) == ["userID": 1, "first_name": "A"])
    }

    @Test func fieldsAndPlaceholdersFollowNoStrategy() async throws {
        try await api.places(userID: 7, id: 1, firstName: "A")
        #expect(try request.path == "/n/7")
        #expect(try request["X-userID"] == "1")
        #expect(try request["firstName"] == "A")
    }

    @Test func theClientsStrategyHoldsToo() async throws {
        let encoder = ownEncoder()
        let provider = Provider(baseURL: "https://api.example", transport: transport) { $0.defaultEncoder = encoder }
        var call = APICall(provider, method: "GET", template: "/n")
        call.query("perPage", .init(2))
        call.query("perPage", .init(3), isNamed: true)
        try await call.send()
        #expect(query == "per_page=2&perPage=3")
        var own = provider
        own.queryEncoder = QueryEncoder(FormOptions(keys: .kebabCase))
        call = APICall(own, method: "GET", template: "/n")
        call.query("perPage", .init(2))
        try await call.send()
        #expect(query == "per-page=2")
    }

    @Test func twoValuesOfOneNameInABodyAreAnError() async throws {
        let error = await failure { try await api.clash(other: "a", firstName: "b") }
        #expect(error?.code == .encodingFailed)
    }

    // MARK: Objects in queries

    @Test func anObjectUnderAWrittenNameStaysBelowIt() async throws {
        try await objects.deep(one: Span(), other: Span(fromDay: 3, to: 4))
        #expect(query == "created[fromDay]=1&created[to]=2&updated[fromDay]=3&updated[to]=4")
        try await objects.map(filter: ["b": "2", "a": "x y"], ratings: [.good: [1, 2]])
        #expect(query == "filter[a]=x y&filter[b]=2&by[good]=1&by[good]=2")
        try await objects.encoded(filter: ["a": "x%20y"])
        #expect(try request.query == "filter%5Ba%5D=x%20y")
    }

    @Test func twoThatMakeOneNameAreAnError() async throws {
        #expect(await failure { try await objects.flat(one: Span(), other: Span()) }?.code == .encodingFailed)
        #expect(await failure { try await objects.beside(to: 1, span: Span()) }?.code == .encodingFailed)
        #expect(await failure { try await objects.same(one: Span(), other: Span()) }?.code == .encodingFailed)
        // One name that the caller gave to two scalars or lists repeats.
        try await objects.twice(one: 1, other: [2, 3])
        #expect(query == "id=1&id=2&id=3")
    }

    @Test(arguments: [
        (FormOptions.Arrays.repeated, "ids=1&ids=2&t=a&t=b&text=c%2Cd"),
        (.brackets, "ids%5B%5D=1&ids%5B%5D=2&t%5B%5D=a&t%5B%5D=b&text=c%2Cd"),
        (.indices, "ids%5B0%5D=1&ids%5B1%5D=2&t%5B0%5D=a&t%5B1%5D=b&text=c%2Cd"), (.commas, "ids=1,2&t=a,b&text=c%2Cd"),
        (.spaces, "ids=1%202&t=a%20b&text=c%2Cd"), (.pipes, "ids=1%7C2&t=a%7Cb&text=c%2Cd"),
    ])
    func listsHaveSixNotations(arrays: FormOptions.Arrays, expected: String) async throws {
        var provider = objects.provider
        provider.queryEncoder = QueryEncoder(FormOptions(arrays: arrays))
        let api = ObjectsAPI(provider)
        try await api.lists(ids: [1, 2], tags: ["a", "b"], text: "c,d")
        #expect(try request.query == expected)
        let separators: [FormOptions.Arrays: String] = [.commas: ",", .spaces: " ", .pipes: "|"]
        if let separator = separators[arrays] {
            let error = await failure { try await api.lists(ids: [], tags: ["a\(separator)b"], text: "") }
            #expect(error?.code == .encodingFailed)
        }
    }

    @Test func thereIsNoPlaceForAnObjectInAPath() async throws {
        #expect(await failure { try await objects.path(span: Span()) }?.code == .encodingFailed)
        #expect(await failure { try await objects.pathList(ids: [1]) }?.code == .encodingFailed)
    }

    // MARK: Nothing and null

    @Test func anExplicitNullIsSentAndNothingIsNot() async throws {
        try await objects.null(name: .some(nil), note: nil)
        #expect(try request.text == #"{"name":null}"#)
        try await objects.null(name: nil, note: nil)
        #expect(try request.text == "{}")
        try await objects.null(name: "a", note: "b")
        #expect(try request.text == #"{"name":"a","note":"b"}"#)
        try await objects.nullForm(name: .some(nil), note: nil)
        #expect(try request.text == "name=")
        try await objects.nullQuery(name: .some(nil), note: nil)
        #expect(query == nil)
        try await objects.nullBody(.some(nil))
        #expect(try request.text == "null")
        try await objects.nullBody(nil)
        #expect(try request.hasBody == false)
    }

    // MARK: Files

    @Test func aFileIsTheBodyAndNoText() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("names-\(UUID()).csv")
        try Data("a,b".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await objects.raw(file)
        #expect(try request.text == "a,b")
        #expect(try request["content-type"] == "text/csv")
        let error = await failure { try await objects.link(file: file) }
        #expect(error?.code == .encodingFailed)
        #expect(error.map { "\($0)".contains("names-") } == false)
        #expect(await failure { try await objects.raw(URL(fileURLWithPath: "/nowhere/at/all")) }?.code == .uploadFailed)
    }

    // MARK: Values that Codable writes otherwise

    @Test func dictionariesByEnumerationsAreObjects() async throws {
        try await objects.rated(byRating: [.good: [.bad: 1]], list: [[.good: 2]])
        #expect(try request.text == #"{"byRating":{"good":{"bad":1}},"list":[{"good":2}]}"#)
        try await objects.ratedBody([.good: 1])
        #expect(try request.text == #"{"good":1}"#)
        let answer = Provider(baseURL: "https://api.example", transport: ScriptedTransport(.json(#"{"good":1}"#)))
        #expect(try await ObjectsAPI(answer).ratings() == [.good: 1])
    }

    @Test func timesAndPlacesHaveOneText() async throws {
        let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
        try await objects.times(zone: zone, place: Locale(identifier: "de_DE"), limit: .milliseconds(5250))
        #expect(query == "zone=Europe/Berlin&place=de_DE&limit=5.25")
    }

    // MARK: Errors

    @Test func anErrorKnowsThePlace() async throws {
        let gaps = await failure { try await objects.gaps(tags: ["a", nil]) }
        #expect((gaps?.cause as? EncodingError)?.outline?.hasPrefix("tags[1]: nil in an array") == true)
        let infinite = await failure { try await objects.infinite(items: [Ratio(ratio: 1), Ratio()]) }
        #expect((infinite?.cause as? EncodingError)?.outline?.hasPrefix("items[1].ratio: ") == true)
    }
}
