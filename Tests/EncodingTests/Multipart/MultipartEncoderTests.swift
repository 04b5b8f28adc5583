// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import TestSupport
import Testing

struct MultipartEncoderTests {
    enum Level: String, Codable { case low, high }

    struct Model: Codable, Equatable {
        var title = "t\u{e9}"
        var count = 3
        var big = UInt128.max
        var flag = true
        var date = Date(timeIntervalSince1970: 0)
        var level = Level.high
        var none: String?
        var some: Int? = 4
        var raw = Data([0, 13, 10, 255])
        var meta = ["k": ["v": 1.5]]
        var list = ["a", "b"]
        var matrix = [[1], []]
        var noTexts: [String] = []
        var noBlobs: [Data] = []
    }

    @Test func aModelBecomesAPartForEachPropertyAndIsReadBack() async throws {
        let encoded = try MultipartEncoder(boundary: "B").encodeBody(Model())
        let bytes = try await encoded.body.collect()
        let parts = try MultipartDecoder().parts(in: bytes, boundary: "B")
        #expect(
            parts.map(\.name) == [
                "title", "count", "big", "flag", "date", "level", "some", "raw", "meta", "list", "list", "matrix",
            ])
        let meta = try #require(parts.first { $0.name == "meta" })
        #expect(meta.contentType?.essence == "application/json")
        #expect(meta.body.data == Data(#"{"k":{"v":1.5}}"#.utf8))
        #expect(parts.first { $0.name == "level" }?.body.data == Data("high".utf8))
        let response = HTTPResponse(status: .ok, headerFields: [.contentType: try #require(encoded.contentType)])
        #expect(try MultipartDecoder().decode(Model.self, from: bytes, response: response) == Model())
    }

    /// A model is a part although none of its properties has a value, and an empty list is none.
    @Test func aModelOfNothingIsAPart() async throws {
        struct Inner: Encodable { var a: Int? }
        struct Outer: Encodable {
            var inner = Inner()
            var list: [Inner] = []
            var table: [String: Int] = [:]
        }
        let form = try MultipartEncoder().form(from: Outer())
        #expect(form.parts.map(\.name) == ["inner", "table"])
        #expect(form.parts.map(\.body.data) == [Data("{}".utf8), Data("{}".utf8)])
    }

    @Test func filesAndPartsAreTakenAsTheyAre() async throws {
        struct Upload: Encodable {
            var file: URL
            var files: [URL]
            var link = URL(string: "https://h/")
            var part = MultipartPart(name: nil, body: .data(Data("p".utf8)), filename: "a.png")
            var blobs = [Data([1]), Data([2])]
        }
        let folder = try TemporaryFolder()
        let url = folder["a.json"]
        try Data("{}".utf8).write(to: url)
        let form = try MultipartEncoder().form(from: Upload(file: url, files: [url, url]))
        #expect(form.parts.map(\.name) == ["file", "files", "files", "link", "part", "blobs", "blobs"])
        #expect(form.parts[0].filename == "a.json")
        #expect(form.parts[0].body.data == nil)
        #expect(form.parts[3].body.data == Data("https://h/".utf8))
        #expect(form.parts[4].filename == "a.png")
        let bytes = try await form.encodedBody().body.collect()
        let boundary = try #require(String(decoding: bytes, as: UTF8.self).split(separator: "\r\n").first).dropFirst(2)
        #expect(
            try MultipartDecoder().parts(in: bytes, boundary: String(boundary)).map(\.name)
                == form.parts.map { $0.name ?? "part" })
    }

    @Test func filesOfASetAndOfAListWithGapsAreParts() throws {
        struct Upload: Encodable {
            var set: Set<URL>
            var gaps: [URL?]
            var links = [URL(string: "https://h/"), nil]
            var none: Set<URL> = []
        }
        let folder = try TemporaryFolder()
        let urls = [folder["a.json"], folder["b.json"]]
        for url in urls { try Data("{}".utf8).write(to: url) }
        let form = try MultipartEncoder().form(from: Upload(set: Set(urls), gaps: [nil, urls[0], nil]))
        #expect(form.parts.map(\.name) == ["set", "set", "gaps", "links"])
        #expect(Set(form.parts.prefix(2).map(\.filename)) == ["a.json", "b.json"])
        #expect(form.parts[2].filename == "a.json")
        #expect(form.parts[3].body.data == Data(#"["https:\/\/h\/",null]"#.utf8))
    }

    @Test func anEncodedBodyIsAPartOfItsType() throws {
        struct Upload: Encodable {
            var rows: EncodedBody
            var none: EncodedBody?
        }
        let rows = EncodedBody(.data(Data("a,b".utf8)), contentType: "text/csv")
        let form = try MultipartEncoder().form(from: Upload(rows: rows))
        #expect(form.parts.map(\.name) == ["rows"])
        #expect(form.parts.first?.contentType == "text/csv")
        #expect(form.parts.first?.body.data == Data("a,b".utf8))
    }

    @Test func aSingleValueBecomesItsPartOrParts() throws {
        let encoder = MultipartEncoder()
        let part = try #require(
            try encoder.parts(for: Data([1]), name: "photo", filename: "avatar.jpg", contentType: "image/jpeg").first)
        #expect((part.name, part.filename, part.contentType) == ("photo", "avatar.jpg", "image/jpeg"))
        #expect(try encoder.parts(for: Int?.none, name: "x").isEmpty)
        #expect(try encoder.parts(for: "d", name: "desc").first?.contentType == nil)
        #expect(try encoder.parts(for: ["a": "b"], name: "meta").first?.contentType == "application/json")
        #expect(try encoder.parts(for: 1.5, name: "n").first?.body.data == Data("1.5".utf8))
    }

    @Test func nilIsLeftOutOrWrittenByOption() async throws {
        struct Model: Encodable {
            var a: Int?
            var b: String?
            var c = 1
        }
        func parts(_ options: FormOptions) throws -> [String] {
            try MultipartEncoder(options: options).form(from: Model()).parts.map {
                "\($0.name ?? "-")=\(String(decoding: $0.body.data ?? Data(), as: UTF8.self))"
            }
        }
        #expect(try parts(.init()) == ["c=1"])
        #expect(try parts(.init(nils: .text("null"))) == ["a=null", "b=null", "c=1"])
        struct Read: Decodable {
            var a: Int?
            var b: String?
            var c: Int
        }
        let options = FormOptions(nils: .text("null"))
        let back = try await readBack(Model(), as: Read.self, options)
        #expect(back.a == nil && back.b == nil && back.c == 1)
        let encoder = MultipartEncoder(options: .init(nils: .empty))
        #expect(try encoder.parts(for: Int?.none, name: "x").first?.body.data == Data())
    }

    private func readBack<Model: Encodable, Result: Decodable>(
        _ model: Model, as type: Result.Type, _ options: FormOptions = .init()
    ) async throws -> Result {
        let encoded = try MultipartEncoder(options: options, boundary: "B").encodeBody(model)
        let response = HTTPResponse(status: .ok, headerFields: [.contentType: try #require(encoded.contentType)])
        let bytes = try await encoded.body.collect()
        return try MultipartDecoder(options: options).decode(type, from: bytes, response: response)
    }

    @Test func aModelBehindAnOptionalOrAnEnvelopeIsAModel() async throws {
        struct Envelope: Codable, Equatable {
            var model = Model()
            init() {}
            init(from decoder: any Decoder) throws { model = try decoder.singleValueContainer().decode(Model.self) }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(model)
            }
        }
        #expect(try await readBack(Model?.some(Model()), as: Model?.self) == Model())
        #expect(try await readBack(Envelope(), as: Envelope.self) == Envelope())
        let value: JSONValue = ["userID": "x", "list": ["a", 1, nil]]
        #expect(try await readBack(value, as: JSONValue.self, .init(keys: .snakeCase)) == value)
        #expect(throws: EncodingError.self) { try MultipartEncoder().form(from: Model?.none) }
        #expect(throws: EncodingError.self) { try MultipartEncoder().form(from: Int?.some(1)) }
        #expect(throws: EncodingError.self) { try MultipartEncoder().form(from: Level.low) }
        #expect(throws: EncodingError.self) { try MultipartEncoder().form(from: URL(string: "https://h/")) }
        await #expect(throws: DecodingError.self) { try await readBack(["a": 1], as: Int?.self) }
        await #expect(throws: DecodingError.self) { try await readBack(["a": 1], as: Level.self) }
    }

    @Test func aValueInAnEnvelopeIsWrittenByTheOptionsToo() async throws {
        struct Envelope<Value: Codable & Equatable>: Codable, Equatable {
            var value: Value
            init(_ value: Value) { self.value = value }
            init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Value.self) }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(value)
            }
        }
        let date = Envelope(Date(timeIntervalSince1970: 0))
        let text = try MultipartEncoder().parts(for: date, name: "x").first?.body.data
        #expect(text == Data("1970-01-01T00:00:00Z".utf8))
        #expect(try await readBack(["x": date], as: [String: Envelope<Date>].self) == ["x": date])
        let data = Envelope(Data([1, 255]))
        let options = FormOptions(bools: .numbers, data: .hexadecimal)
        #expect(try await readBack(["x": data], as: [String: Envelope<Data>].self, options) == ["x": data])
        let flag = try MultipartEncoder(options: options).parts(for: Envelope(true), name: "x")
        #expect(flag.first?.body.data == Data("1".utf8))
        let number: JSONValue = .number(try #require(JSONNumber("1.10")))
        #expect(try MultipartEncoder().parts(for: number, name: "x").first?.body.data == Data("1.10".utf8))
    }

    /// Takes its value from the coder.
    private struct Told: Codable {
        enum CodingKeys: CodingKey { case text }
        var text = ""

        init() {}

        init(from decoder: any Decoder) throws { text = decoder.userInfo.values.first as? String ?? "" }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(encoder.userInfo.values.first as? String ?? "", forKey: .text)
        }
    }

    @Test func modelsAreHandedTheUserInfo() throws {
        let key = try #require(CodingUserInfoKey(rawValue: "key"))
        var encoder = MultipartEncoder()
        encoder.userInfo = [key: "a"]
        #expect(try encoder.form(from: Told()).parts.first?.body.data == Data("a".utf8))
        var decoder = MultipartDecoder()
        decoder.userInfo = [key: "b"]
        let response = HTTPResponse(status: .ok, headerFields: [.contentType: "multipart/form-data; boundary=B"])
        #expect(try decoder.decode(Told.self, from: Data("--B--".utf8), response: response).text == "b")
    }

    @Test func keysOfDictionariesAreDataAndOthersAreFound() async throws {
        let options = FormOptions(keys: .snakeCase)
        let map = ["userID": 1, "first_name": 2]
        #expect(try await readBack(map, as: [String: Int].self, options) == map)
        #expect(try await readBack(["user__id": "1"], as: AnyKeys.self, options).values == ["userId": "1"])
    }

    @Test func dictionariesAreSortedAndScalarsRefused() throws {
        #expect(try MultipartEncoder().form(from: ["b": 1, "a": 2, "c": 3]).parts.map(\.name) == ["a", "b", "c"])
        #expect(throws: EncodingError.self) { try MultipartEncoder().form(from: [1]) }
        #expect(throws: EncodingError.self) { try MultipartEncoder().form(from: 1) }
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(MultipartPart.text("x", name: "a")) }
    }
}
