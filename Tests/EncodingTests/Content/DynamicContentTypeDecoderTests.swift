// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import Testing

struct DynamicContentTypeDecoderTests {
    private func response(_ type: String?) -> HTTPResponse {
        HTTPResponse(status: .ok, headerFields: type.map { [.contentType: $0] } ?? [:])
    }

    private func decode<Model: Decodable>(_ type: Model.Type, _ text: String, as contentType: String?) throws -> Model {
        try DynamicContentTypeDecoder().decode(type, from: Data(text.utf8), response: response(contentType))
    }

    @Test(arguments: [
        "application/json", "Application/JSON; charset=utf-8", "application/problem+json",
        "application/vnd.api+json;v=1", "text/json",
    ]) func jsonIsKnownByItsTypeAndItsSuffix(_ type: String) throws {
        #expect(try decode([String: Int].self, #"{"a":1}"#, as: type) == ["a": 1])
    }

    @Test func theTypeChoosesTheDecoder() throws {
        #expect(try decode([String: Int].self, "a=1", as: "application/x-www-form-urlencoded") == ["a": 1])
        #expect(try decode(Int.self, " 7\n", as: "text/plain") == 7)
        #expect(try decode([Int].self, "1\n2\n", as: "application/x-ndjson") == [1, 2])
        let form = "--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--B--"
        #expect(try decode([String: Int].self, form, as: "multipart/form-data; boundary=B") == ["a": 1])
    }

    /// Always decodes its name.
    private struct Fixed: ResponseBodyDecoder {
        var name: String
        var acceptedContentTypes: [String] { [] }
        func decode<Model: Decodable>(_ type: Model.Type, from data: Data, response: HTTPResponse) throws -> Model {
            try JSONDecoder().decode(type, from: Data("\"\(name)\"".utf8))
        }
    }

    @Test func theMostSpecificRegistrationWinsAndTheLastOfEquals() throws {
        var decoder = DynamicContentTypeDecoder.empty
        for range in ["*/*", "text/*", "+xml", "text/x+xml", "application/*"] {
            decoder.register(Fixed(name: range), for: range)
        }
        decoder.register(Fixed(name: "later"), for: "Text/*")
        for (type, name) in [
            ("text/x+xml; q=1", "text/x+xml"), ("text/y+xml", "+xml"), ("text/html", "later"), ("image/png", "*/*"),
            ("application/zip", "application/*"),
        ] {
            #expect(try decoder.decode(String.self, from: Data(), response: response(type)) == name)
        }
        #expect(decoder.acceptedContentTypes == ["*/*", "text/x+xml;q=0.9", "application/*;q=0.8", "text/*;q=0.7"])
    }

    @Test func theQualitiesFallHoweverManyTypesThereAre() {
        var decoder = DynamicContentTypeDecoder.empty
        for index in 0..<30 { decoder.register(JSONDecoder(), for: "application/x-\(index)") }
        let accepted = decoder.acceptedContentTypes
        let qualities = accepted.map { MediaType($0)?["q"].flatMap { Double($0) } ?? 1 }
        #expect(qualities.count == 30)
        #expect(zip(qualities, qualities.dropFirst()).allSatisfy { $0 > $1 })
        #expect(accepted[9...11] == ["application/x-9;q=0.1", "application/x-10;q=0.099", "application/x-11;q=0.098"])
    }

    @Test func theParametersOfARegistrationAreAskedOfTheResponse() throws {
        var decoder = DynamicContentTypeDecoder.empty
        for range in [
            "application/x+json; v=1", "application/x+json;v=2", "application/x+json", "text/csv;charset=UTF-8",
            "text/csv;charset=utf-8",
        ] {
            decoder.register(Fixed(name: range), for: range)
        }
        decoder.register(Fixed(name: "later"), for: "Application/X+JSON;V=\"2\"")
        for (type, name) in [
            ("application/x+json;charset=utf-8;v=1", "application/x+json; v=1"), ("application/x+json; v=2", "later"),
            ("application/x+json; v=3", "application/x+json"), ("application/x+json", "application/x+json"),
            ("text/csv; charset=UTF-8", "text/csv;charset=utf-8"),
        ] {
            #expect(try decoder.decode(String.self, from: Data(), response: response(type)) == name)
        }
        #expect(throws: NetworkClientError.self) {
            try decoder.decode(String.self, from: Data(), response: response("text/csv"))
        }
        #expect(
            decoder.acceptedContentTypes == [
                "application/x+json;v=1", "application/x+json;q=0.9", "text/csv;charset=UTF-8;q=0.8",
                "text/csv;charset=utf-8;q=0.7", "application/x+json;v=2;q=0.6",
            ])
    }

    @Test func acceptIsMadeOfWhatCanBeDecoded() async throws {
        let transport = ScriptedTransport(.status(200, fields: [.contentType: "text/plain"], body: Data("3".utf8)))
        let client = NetworkClient(
            configuration: NetworkConfiguration(
                baseURL: URL(string: "https://h.example"), transport: transport,
                defaultDecoder: DynamicContentTypeDecoder()))
        #expect(try await client.run(NetworkRequest<VoidRequest, Int>(path: "/", method: .get)).value == 3)
        let accept = try #require(transport.requests.first?.head.headerFields[.accept])
        #expect(accept.hasPrefix("application/json, text/json;q=0.9"))
        #expect(accept.contains("text/plain;q="))
    }

    @Test func aTypeThatIsMissingOrUnknownIsAClearError() async throws {
        let html = "<!DOCTYPE html><title>secret</title>" + String(repeating: "x", count: 500)
        let transport = ScriptedTransport(
            .status(200, fields: [.contentType: "text/html; token=abc"], body: Data(html.utf8)),
            .status(200, body: Data([0, 1, 254])),
            .status(200, fields: [.contentType: "bogus"], body: Data("x".utf8)))
        let client = NetworkClient(
            configuration: NetworkConfiguration(
                baseURL: URL(string: "https://h.example"), transport: transport,
                defaultDecoder: DynamicContentTypeDecoder()))
        let request = NetworkRequest<VoidRequest, [String: Int]>(path: "/", method: .get)
        let error = try #require(await #expect(throws: NetworkClientError.self) { try await client.run(request) })
        #expect(error.code == .unacceptableContentType)
        #expect(error.message == "no decoder is registered for text/html")
        #expect(!error.description.contains("secret") && !error.description.contains("abc"))
        let cause = try #require(error.cause as? UnknownContentTypeError)
        #expect(cause.contentType == "text/html; token=abc")
        #expect(cause.start.count == 80)
        #expect(cause.description == error.message)
        #expect(cause.debugDescription.contains("application/json"))
        #expect(cause.debugDescription.contains("<!DOCTYPE html>"))
        let missing = try #require(await #expect(throws: NetworkClientError.self) { try await client.run(request) })
        let description = (missing.cause as? UnknownContentTypeError)?.debugDescription
        #expect(description?.hasSuffix("the body begins with the bytes 0001fe") == true)
        let bogus = try #require(await #expect(throws: NetworkClientError.self) { try await client.run(request) })
        #expect(bogus.message == "the response's Content-Type is not a media type")
    }

    @Test func aFallbackServesResponsesWithoutAType() throws {
        var decoder = DynamicContentTypeDecoder()
        decoder.fallback = JSONDecoder()
        #expect(try decoder.decode([Int].self, from: Data("[1]".utf8), response: response(nil)) == [1])
        #expect(throws: NetworkClientError.self) {
            try decoder.decode([Int].self, from: Data("[1]".utf8), response: response("text/html"))
        }
    }

    @Test func textInsideABodyIsFoundByTheDecoderThatLooksThere() async throws {
        var decoder = DynamicContentTypeDecoder()
        decoder.register(JSONKeyPathDecoder("data.token"), for: "application/json")
        let json = ScriptedReply.json(#"{"data":{"token":"YQ=="}}"#)
        let transport = ScriptedTransport(
            json, json, .text("plain"), .status(200, fields: [.contentType: "image/png"], body: Data([1, 2])))
        let client = NetworkClient(
            configuration: NetworkConfiguration(
                baseURL: URL(string: "https://h.example"), transport: transport, defaultDecoder: decoder))
        let text = NetworkRequest<VoidRequest, String>(path: "/", method: .get)
        let data = NetworkRequest<VoidRequest, Data?>(path: "/", method: .get)
        #expect(try await client.run(text).value == "YQ==")
        #expect(try await client.run(data).value == Data("a".utf8))
        #expect(try await client.run(text).value == "plain")
        #expect(try await client.run(data).value == Data([1, 2]))
    }

    @Test func onlyTheResponseSaysWhetherAPartOfItIsRead() {
        var decoder = DynamicContentTypeDecoder()
        decoder.register(JSONKeyPathDecoder("token"), for: "application/vnd.token+json")
        var outer = DynamicContentTypeDecoder.empty
        outer.fallback = decoder
        outer.register(decoder, for: "*/*")
        for decoder in [decoder, outer] {
            #expect(decoder.decodesPartOfBody(of: response("application/vnd.token+json")))
            #expect(!decoder.decodesPartOfBody(of: response("application/json")))
            #expect(!decoder.decodesPartOfBody(of: response(nil)))
            #expect(!decoder.decodesPartOfBody)
            #expect(decoder.acceptedContentTypes(for: String.self).isEmpty)
        }
    }

    @Test func keyPathsWorkOverEveryKindOfJSON() throws {
        let decoder = JSONKeyPathDecoder("a.b", decoder: DynamicContentTypeDecoder())
        #expect(
            try decoder.decode(
                String.self, from: Data(#"{"a":{"b":"x"}}"#.utf8), response: response("application/hal+json")) == "x")
    }

    /// In whatever order they were registered.
    @Test func aMoreSpecificRangeWinsOverALaterOne() throws {
        let ranges = ["text/x+xml;v=1;w=2", "text/x+xml;v=1", "text/x+xml", "+xml", "text/*", "*/*"]
        for (index, type) in ["text/x+xml;v=1;w=2", "text/x+xml;v=1", "text/x+xml", "text/y+xml", "text/y", "a/y"]
            .enumerated()
        {
            for order in [ranges, ranges.reversed()] {
                var decoder = DynamicContentTypeDecoder.empty
                for range in order { decoder.register(Fixed(name: range), for: range) }
                #expect(try decoder.decode(String.self, from: Data(), response: response(type)) == ranges[index])
            }
        }
    }

    @Test func whatIsNoRangeMatchesNothing() {
        var decoder = DynamicContentTypeDecoder.empty
        decoder.register(Fixed(name: "x"), for: "", "text", "*", "/*", "text/", "*/html", "+")
        for type in ["text/html", "text/plain", "a/b+c"] {
            #expect(throws: NetworkClientError.self) {
                try decoder.decode(String.self, from: Data(), response: response(type))
            }
        }
    }

    /// The body of a refused response does not come in the envelope of a success.
    @Test func aRefusalIsReadAsAWholeByEachDecoder() async throws {
        var decoder = DynamicContentTypeDecoder.empty
        decoder.register(JSONKeyPathDecoder("data"), for: "application/json")
        decoder.fallback = JSONKeyPathDecoder("data")
        for type in ["application/json", nil] {
            let fields: HTTPFields = type.map { [.contentType: $0] } ?? [:]
            let transport = ScriptedTransport(
                .status(200, fields: fields, body: Data(#"{"data":{"a":"1"}}"#.utf8)),
                .status(400, fields: fields, body: Data(#"{"error":"x"}"#.utf8)))
            let client = NetworkClient(
                configuration: NetworkConfiguration(
                    baseURL: URL(string: "https://h.example"), transport: transport, defaultDecoder: decoder))
            let request = NetworkRequest<VoidRequest, [String: String]>(path: "/", method: .get)
            #expect(try await client.run(request).value == ["a": "1"])
            let error = try #require(await #expect(throws: NetworkClientError.self) { try await client.run(request) })
            #expect(try error.decode([String: String].self) == ["error": "x"])
        }
    }

    @Test(
        arguments: [
            ([], "is empty"), (Array("a\tb\r\nc !~é".utf8), "begins: \"a b  c !~é\""),
            ([0x61, 0x0B], "begins with the bytes 610b"),
            ([0x7F], "begins with the bytes 7f"), ([0x61, 0x00], "begins with the bytes 6100"),
            ([0x0E], "begins with the bytes 0e"), ([0x08], "begins with the bytes 08"),
            (Array(0...20), "begins with the bytes 000102030405060708090a0b0c0d0e0f"),
            (Array(repeating: 0x61, count: 81), "begins: \"" + String(repeating: "a", count: 80) + "\""),
        ] as [([UInt8], String)])
    func anUnknownTypeShowsHowTheBodyBegins(_ body: [UInt8], _ preview: String) throws {
        var decoder = DynamicContentTypeDecoder.empty
        decoder.register(JSONDecoder(), for: "a/b", "+c", "d/*")
        for (type, name) in [("x/y", "for x/y"), (nil, "without a Content-Type")] {
            let error = #expect(throws: NetworkClientError.self) {
                try decoder.decode(String.self, from: Data(body), response: response(type))
            }
            let cause = try #require(error?.cause as? UnknownContentTypeError)
            #expect(cause.debugDescription == "no decoder \(name); known: a/b, d/*; the body \(preview)")
            #expect(cause.contentType == type && cause.known == ["a/b", "d/*"])
        }
    }

    @Test func aLongTypeIsCut() throws {
        func cause(_ type: String) throws -> UnknownContentTypeError {
            let error = #expect(throws: NetworkClientError.self) {
                try DynamicContentTypeDecoder().decode(String.self, from: Data(), response: response(type))
            }
            return try #require(error?.cause as? UnknownContentTypeError)
        }
        let long = "x/" + String(repeating: "y", count: 300)
        #expect(try cause(long).contentType == String(long.prefix(200)))
        #expect(try cause(long).description == "no decoder is registered for \(long.prefix(100))")
        let fits = "x/" + String(repeating: "y", count: 98)
        #expect(try cause(fits).description == "no decoder is registered for \(fits)")
        #expect(try cause("nonsense").description == "the response's Content-Type is not a media type")
    }
}
