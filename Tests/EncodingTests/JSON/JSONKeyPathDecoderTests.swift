// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import Testing

struct JSONKeyPathDecoderTests {
    struct User: Codable, Equatable {
        var id: UInt64
    }

    private let response = HTTPResponse(status: .ok, headerFields: [.contentType: "application/json"])

    @Test func decodesTheValueAndNoNumberLosesDigits() throws {
        let body = Data(
            #"{"data":{"list":[{"id":18446744073709551615}],"price":0.12345678901234567890123456789}}"#.utf8)
        #expect(
            try JSONKeyPathDecoder("data.list").decode([User].self, from: body, response: response) == [User(id: .max)])
        let price = try JSONKeyPathDecoder("data.price").decode(Decimal.self, from: body, response: response)
        #expect(price == Decimal(string: "0.12345678901234567890123456789"))
        #expect(try JSONDecoder().decode([User].self, from: body, at: "data.list") == [User(id: .max)])
    }

    @Test func anOptionalIsNilWhereThereIsNothing() throws {
        let body = Data(#"{"data":null,"more":{"x":1},"list":[]}"#.utf8)
        #expect(try JSONKeyPathDecoder("data").decode(User?.self, from: body, response: response) == nil)
        #expect(try JSONKeyPathDecoder("data.list").decode(User?.self, from: body, response: response) == nil)
        #expect(try JSONKeyPathDecoder("more.y").decode(User?.self, from: body, response: response) == nil)
        for path in ["list.0", "list[0]", "list.0.user"] {
            let decoder = JSONKeyPathDecoder(JSONKeyPath(path))
            #expect(try decoder.decode(User?.self, from: body, response: response) == nil)
            #expect(throws: JSONKeyPathError.self) { try decoder.decode(User.self, from: body, response: response) }
        }
        #expect(throws: JSONKeyPathError.self) {
            try JSONKeyPathDecoder("mroe.y").decode(User?.self, from: body, response: response)
        }
        #expect(throws: JSONKeyPathError.self) {
            try JSONKeyPathDecoder("more.y").decode(User.self, from: body, response: response)
        }
    }

    @Test func anErrorTellsThePathAndThePlaceInTheWholeBody() throws {
        let body = Data("{\"data\":\n {\"list\":[{\"id\":1},\n{\"id\":\"x\"}]}}".utf8)
        let nested = JSONKeyPathDecoder("data", decoder: JSONKeyPathDecoder("list"))
        for decoder in [JSONKeyPathDecoder("data.list"), nested] {
            let error = try #require(throws: JSONDecodingError.self) {
                try decoder.decode([User].self, from: body, response: response)
            }
            #expect(error.description == "data.list[1].id: expected UInt64, found a string (line 3, column 7)")
            #expect(error.snippet.contains("data"))
        }
        let error = try #require(throws: JSONDecodingError.self) {
            try JSONDecoder().decode([User].self, from: body, at: "data.list")
        }
        #expect(error.offset == 35)
        #expect(error.path == "data.list[1].id")
    }

    @Test func textInsideTheBodyIsDecodedAndNotTheBodyItself() async throws {
        let client = NetworkClient(
            configuration: NetworkConfiguration(
                baseURL: URL(string: "https://h.example"),
                transport: ScriptedTransport(.json(#"{"headers":{"Host":"httpbin.org"}}"#))))
        let value = try await client.run(
            NetworkRequest<VoidRequest, String>(path: "/", method: .get, decoder: JSONKeyPathDecoder("headers.Host"))
        ).value
        #expect(value == "httpbin.org")
    }

    @Test func theBodyOfARefusalIsReadWhole() async throws {
        struct Problem: Decodable, Equatable { var detail: String }
        let problem = #"{"detail":"no such user"}"#
        var dynamic = DynamicContentTypeDecoder()
        dynamic.register(JSONKeyPathDecoder("data"), for: "application/json")
        let decoders: [any ResponseBodyDecoder] = [
            JSONKeyPathDecoder("data.list"), JSONKeyPathDecoder("data", decoder: JSONKeyPathDecoder("list")), dynamic,
        ]
        for decoder in decoders {
            let client = NetworkClient(
                configuration: NetworkConfiguration(
                    baseURL: URL(string: "https://h.example"),
                    transport: ScriptedTransport(.json(problem, status: 404), .json(problem))))
            let request = NetworkRequest<VoidRequest, [User]>(path: "/", method: .get, decoder: decoder)
            let refusal = await #expect(throws: NetworkClientError.self) { try await client.run(request) }
            #expect(try refusal?.decode(Problem.self) == Problem(detail: "no such user"))
            #expect(try refusal?.decode(String.self) == problem)
            // That of a success stands where the request says.
            let failure = await #expect(throws: NetworkClientError.self) { try await client.run(request) }
            #expect(failure?.code == .decodingFailed)
            #expect(throws: JSONKeyPathError.self) { try failure?.decode(Problem.self) }
            #expect(try failure?.decode(Problem.self, using: JSONDecoder()) == Problem(detail: "no such user"))
        }
    }

    /// Where an object is a table, its keys are data.
    @Test func theErrorOfTheCallShowsTheStepAndNoKeysOfTheBody() async throws {
        let transport = ScriptedTransport(.json(#"{"data": {"s3cr3t": 1}}"#))
        let client = NetworkClient(
            configuration: NetworkConfiguration(baseURL: URL(string: "https://h"), transport: transport))
        let error = try await #require(throws: NetworkClientError.self) {
            try await client.run(
                NetworkRequest<VoidRequest, Int>(path: "/", method: .get, decoder: JSONKeyPathDecoder("data.size")))
        }
        #expect(error.description.contains(#"fails at step 2 of 2: "data" has no "size" (status 200)"#))
        #expect("\(try #require(error.cause))".contains(#"its keys: "s3cr3t""#))
    }

    @Test func anotherEncodingOfUnicodeIsReadToo() throws {
        let text = #"{"a":{"b":"ü"}}"#
        let utf16 = Data(text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] })
        let decoder = JSONKeyPathDecoder("a.b")
        #expect(try decoder.decode(String.self, from: utf16, response: response) == "ü")
        let named = HTTPResponse(status: .ok, headerFields: [.contentType: "application/json; charset=UTF-16BE"])
        #expect(try decoder.decode(String.self, from: utf16, response: named) == "ü")
        let latin = HTTPResponse(status: .ok, headerFields: [.contentType: "application/json; charset=iso-8859-1"])
        let latinBytes = Data(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
        #expect(try decoder.decode(String.self, from: latinBytes, response: latin) == "ü")
        let whole = ["a": ["b": "ü"]]
        #expect(try JSONDecoder().decode([String: [String: String]].self, from: latinBytes, response: latin) == whole)
        // The label has no effect on what is UTF-8.
        let utf8 = Data(text.utf8)
        for charset in ["iso-8859-1", "utf-16", "UTF-16LE", "utf-32"] {
            let labelled = HTTPResponse(
                status: .ok, headerFields: [.contentType: "application/json; charset=\(charset)"])
            #expect(try JSONDecoder().decode([String: [String: String]].self, from: utf8, response: labelled) == whole)
            #expect(try decoder.decode(String.self, from: utf8, response: labelled) == "ü")
        }
    }

    @Test(arguments: [
        ("a", "{}", true), ("a.b", #"{"a":{}}"#, true), ("a.b", "{}", false), ("a.b.c", #"{"a":{}}"#, false),
        ("a.b", #"{"a":null}"#, true), ("a.b.c", #"{"a":null}"#, true), ("a", "null", true),
        ("a.b", #"{"a":1}"#, false),
        ("a.b", #"{"a":[]}"#, false), ("[0]", "[]", true), ("[0].a", "[]", true), ("[1].a.b", "[{}]", true),
        ("a", "{", false), ("a", "", false), ("a", #"{"a":null}"#, true),
    ]) func nothingIsNilForAnOptionalWhereTheWayEnds(_ path: String, _ text: String, _ isNil: Bool) throws {
        let decoder = JSONKeyPathDecoder(JSONKeyPath(path))
        if isNil {
            #expect(try decoder.decode(Int?.self, from: Data(text.utf8), response: response) == .none)
            #expect(try decoder.decode(JSONValue?.self, from: Data(text.utf8), response: response) == .none)
        } else {
            #expect(throws: JSONKeyPathError.self) {
                try decoder.decode(Int?.self, from: Data(text.utf8), response: response)
            }
        }
        #expect(throws: (any Error).self) { try decoder.decode(Int.self, from: Data(text.utf8), response: response) }
    }
}
