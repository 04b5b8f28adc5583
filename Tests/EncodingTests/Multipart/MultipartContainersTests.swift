// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import Testing

/// What models that encode or decode themselves may ask of a multipart form.
struct MultipartContainersTests {
    private struct Named: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private static let a = Named(stringValue: "a")
    private static let b = Named(stringValue: "b")

    /// Encodes and decodes itself by closures, so that each test says what it asks for.
    private struct Asking: Codable {
        static let key = CodingUserInfoKey(rawValue: "ask")
        typealias Read = @Sendable (any Decoder) throws -> Void
        typealias Write = @Sendable (any Encoder) throws -> Void

        init() {}

        init(from decoder: any Decoder) throws {
            for case let ask as Read in decoder.userInfo.values { try ask(decoder) }
        }

        func encode(to encoder: any Encoder) throws {
            for case let ask as Write in encoder.userInfo.values { try ask(encoder) }
        }
    }

    private let response = HTTPResponse(
        status: .ok, headerFields: [.contentType: "multipart/form-data; boundary=B"])

    private func form(_ parts: [(name: String, text: String)]) -> Data {
        let texts = parts.map { "--B\r\nContent-Disposition: form-data; name=\"\($0.name)\"\r\n\r\n\($0.text)\r\n" }
        return Data((texts.joined() + "--B--").utf8)
    }

    private func read(_ parts: [(name: String, text: String)], _ ask: @escaping Asking.Read) throws {
        var decoder = MultipartDecoder()
        decoder.userInfo = [try #require(Asking.key): ask]
        _ = try decoder.decode(Asking.self, from: form(parts), response: response)
    }

    private func written(_ ask: @escaping Asking.Write) throws -> [String] {
        var encoder = MultipartEncoder()
        encoder.userInfo = [try #require(Asking.key): ask]
        return try Self.texts(encoder.form(from: Asking()).parts)
    }

    private static func texts(_ parts: [MultipartPart]) -> [String] {
        parts.map { "\($0.name ?? "-")=\(String(decoding: $0.body.data ?? Data(), as: UTF8.self))" }
    }

    private func decode<Model: Decodable>(
        _ type: Model.Type, _ parts: [(name: String, text: String)], _ options: FormOptions = FormOptions()
    ) throws -> Model {
        try MultipartDecoder(options: options).decode(type, from: form(parts), response: response)
    }

    private struct Numbers: Codable, Equatable {
        var i8 = Int8.min
        var i16 = Int16.min
        var i32 = Int32.min
        var i64 = Int64.min
        var i128 = Int128.min
        var int = Int.max
        var u8 = UInt8.max
        var u16 = UInt16.max
        var u32 = UInt32.max
        var u64 = UInt64.max
        var u128 = UInt128.max
        var uint = UInt.max
        var float = Float(1.5)
        var double = -0.25
        var yes = true
        var wide: Int128? = -1
        var none: Int128?
    }

    private static let numbers = [
        ("i8", "-128"), ("i16", "-32768"), ("i32", "-2147483648"), ("i64", "-9223372036854775808"),
        ("i128", "-170141183460469231731687303715884105728"), ("int", "9223372036854775807"), ("u8", "255"),
        ("u16", "65535"), ("u32", "4294967295"), ("u64", "18446744073709551615"),
        ("u128", "340282366920938463463374607431768211455"), ("uint", "18446744073709551615"), ("float", "1.5"),
        ("double", "-0.25"), ("yes", "true"), ("wide", "-1"),
    ]

    @Test func numbersOfEveryWidthAreReadAndWritten() throws {
        let parts = Self.numbers.map { (name: $0.0, text: $0.1) }
        #expect(
            try Self.texts(MultipartEncoder().form(from: Numbers()).parts) == parts.map { "\($0.name)=\($0.text)" })
        #expect(try decode(Numbers.self, parts) == Numbers())
        for (index, part) in parts.enumerated() where part.name != "yes" {
            var wrong = parts
            wrong[index].text += "x"
            #expect(throws: DecodingError.self, "\(part.name)") { try decode(Numbers.self, wrong) }
        }
    }

    @Test func wideIntegersAreReadWhereTheyAreAskedForByType() throws {
        try read([("a", "-5"), ("b", "6")]) { decoder in
            let container = try decoder.container(keyedBy: Named.self)
            #expect(try container.decode(Int128.self, forKey: Self.a) == -5)
            #expect(try container.decode(UInt128.self, forKey: Self.b) == 6)
            #expect(throws: DecodingError.self) { try container.decode(UInt128.self, forKey: Self.a) }
        }
        let texts = try written { encoder in
            var container = encoder.container(keyedBy: Named.self)
            try container.encode(Int128(-5), forKey: Self.b)
            try container.encode(UInt128(6), forKey: Self.a)
        }
        #expect(texts == ["b=-5", "a=6"])
    }

    @Test func aListStandsInPartsOfOneName() throws {
        try read([("a", "1"), ("b", "x"), ("a", "2")]) { decoder in
            let container = try decoder.container(keyedBy: Named.self)
            #expect(container.codingPath.isEmpty && decoder.codingPath.isEmpty)
            #expect(container.allKeys.map(\.stringValue) == ["a", "b"])
            #expect(container.contains(Self.a) && !container.contains(Named(stringValue: "c")))
            #expect(try container.decodeNil(forKey: Named(stringValue: "c")) && !container.decodeNil(forKey: Self.a))
            var list = try container.nestedUnkeyedContainer(forKey: Self.a)
            #expect(list.codingPath.map(\.stringValue) == ["a"])
            #expect(try list.decode(Int.self) == 1 && list.decode(Int.self) == 2 && list.isAtEnd)
            let value = try container.superDecoder(forKey: Self.b)
            #expect(value.codingPath.map(\.stringValue) == ["b"])
            #expect(try value.singleValueContainer().decode(String.self) == "x")
        }
    }

    /// The parts of a form have no parts themselves, other than those of JSON.
    @Test func whatAFormHasNoNotationForIsRefused() throws {
        try read([("a", "x")]) { decoder in
            let container = try decoder.container(keyedBy: Named.self)
            #expect(throws: DecodingError.self) {
                try container.nestedContainer(keyedBy: Named.self, forKey: Self.a)
            }
            let error = #expect(throws: DecodingError.self) { try container.superDecoder() }
            guard case .dataCorrupted(let context) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(context.debugDescription == "a multipart form has no superclass" && context.codingPath.isEmpty)
        }
        try read([("a", "x")]) { decoder in
            let value = try decoder.singleValueContainer()
            #expect(value.codingPath.isEmpty && !value.decodeNil())
            let mismatches: [() throws -> Void] = [
                { _ = try decoder.unkeyedContainer() }, { _ = try value.decode(Int.self) },
                { _ = try value.decode(Date.self) }, { _ = try value.decode(String.self) },
            ]
            for ask in mismatches {
                let error = #expect(throws: DecodingError.self) { try ask() }
                guard case .typeMismatch(_, let context) = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
                #expect(context.debugDescription == "a multipart form has names at its top level")
            }
        }
    }

    @Test func aNestedContainerOfJSONIsRead() throws {
        let part =
            "--B\r\nContent-Disposition: form-data; name=\"a\"\r\nContent-Type: application/json\r\n\r\n"
            + "{\"b\":[1]}\r\n--B--"
        var decoder = MultipartDecoder()
        let ask: Asking.Read = { decoder in
            let inner = try decoder.container(keyedBy: Named.self)
                .nestedContainer(keyedBy: Named.self, forKey: Self.a)
            #expect(try inner.decode([Int].self, forKey: Self.b) == [1])
        }
        decoder.userInfo = [try #require(Asking.key): ask]
        _ = try decoder.decode(Asking.self, from: Data(part.utf8), response: response)
    }

    @Test func whatAFormCannotHoldIsNotEncoded() throws {
        let asks: [Asking.Write] = [
            {
                var list = $0.unkeyedContainer(); try list.encode(1)
            },
            { _ = $0.unkeyedContainer() },
            {
                var value = $0.singleValueContainer(); try value.encode(1)
            },
            {
                var value = $0.singleValueContainer(); try value.encode(Date())
            },
            {
                var value = $0.singleValueContainer(); try value.encodeNil()
            },
            {
                var container = $0.container(keyedBy: Named.self)
                var inner = container.nestedContainer(keyedBy: Named.self, forKey: Self.a)
                try inner.encode(1, forKey: Self.b)
            },
            {
                var container = $0.container(keyedBy: Named.self)
                var list = container.nestedUnkeyedContainer(forKey: Self.a)
                try list.encode(1)
            },
            {
                var container = $0.container(keyedBy: Named.self)
                var inner = container.superEncoder().container(keyedBy: Named.self)
                try inner.encode(1, forKey: Self.b)
            },
            {
                var container = $0.container(keyedBy: Named.self)
                var inner = container.superEncoder(forKey: Self.a).singleValueContainer()
                try inner.encode(1)
            },
        ]
        for (index, ask) in asks.enumerated() {
            let error = #expect(throws: EncodingError.self, "\(index)") { try written(ask) }
            guard case .invalidValue(_, let context) = error else { continue }
            #expect(
                context.debugDescription
                    == "a multipart form has names at its top level, and each of its values encodes itself whole")
        }
    }

    @Test func twoValuesForOneKeyAreAnError() throws {
        let error = #expect(throws: EncodingError.self) {
            try written { encoder in
                var container = encoder.container(keyedBy: Named.self)
                #expect(container.codingPath.isEmpty && encoder.codingPath.isEmpty)
                try container.encode(1, forKey: Self.a)
                try container.encodeNil(forKey: Self.b)
                try container.encode("x", forKey: Self.a)
            }
        }
        guard case .invalidValue(let value, let context) = error else { return }
        #expect(context.debugDescription == "two values for the key \"a\"" && value as? String == "x")
        #expect(context.codingPath.map(\.stringValue) == ["a"])
    }
}
