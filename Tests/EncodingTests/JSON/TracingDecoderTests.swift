// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import Testing

/// A duration, and a dictionary that `Codable` reads from a list, make the decoder read a text once more: whatever else
/// the model asks for has to be there as before.
struct TracingDecoderTests {
    private enum Size: String, Codable { case small, large }
    private struct Opaque: Hashable, Codable { var id: Int }

    /// Decodes itself as the test says, beside a duration.
    private struct Reading<Value>: Decodable {
        let value: Value

        init(from decoder: any Decoder) throws {
            let keyed = try decoder.container(keyedBy: Letter.self)
            #expect(try keyed.decode(Duration.self, forKey: .d) == .milliseconds(1500))
            let read = try #require(decoder.userInfo[Self.key] as? @Sendable (any Decoder) throws -> Value)
            value = try read(decoder)
        }

        static var key: CodingUserInfoKey { CodingUserInfoKey(rawValue: "read") ?? { fatalError() }() }
    }

    private func read<Value>(
        _ text: String, _ read: @escaping @Sendable (any Decoder) throws -> Value
    ) throws -> Value {
        let decoder = JSONDecoder()
        decoder.userInfo[Reading<Value>.key] = read
        let data = Data(#"{"d": 1.5, \#(text)}"#.utf8)
        return try decoder.decode(Reading<Value>.self, from: data, response: HTTPResponse(status: .ok)).value
    }

    /// Each width by its own method, under a key, in a list, and alone.
    private func check<Value: Equatable & SendableMetatype>(
        _ text: String, _ expected: Value,
        _ keyed: @escaping @Sendable (KeyedDecodingContainer<Letter>) throws -> Value,
        _ list: @escaping @Sendable (inout any UnkeyedDecodingContainer) throws -> Value,
        _ single: @escaping @Sendable (any SingleValueDecodingContainer) throws -> Value,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        #expect(
            try read("\"a\": \(text)") { try keyed($0.container(keyedBy: Letter.self)) } == expected,
            sourceLocation: location)
        let elements = try read("\"a\": [\(text), \(text)]") {
            var container = try $0.container(keyedBy: Letter.self).nestedUnkeyedContainer(forKey: .a)
            return [try list(&container), try list(&container)]
        }
        #expect(elements == [expected, expected], sourceLocation: location)
        let alone = try read("\"a\": \(text)") {
            try single($0.container(keyedBy: Letter.self).superDecoder(forKey: .a).singleValueContainer())
        }
        #expect(alone == expected, sourceLocation: location)
    }

    @Test func everyWidthIsReadAsBefore() throws {
        try check("true", true, { try $0.decode(Bool.self, forKey: .a) }, { try $0.decode(Bool.self) }) {
            try $0.decode(Bool.self)
        }
        try check(#""x""#, "x", { try $0.decode(String.self, forKey: .a) }, { try $0.decode(String.self) }) {
            try $0.decode(String.self)
        }
        try check("0.1", 0.1, { try $0.decode(Double.self, forKey: .a) }, { try $0.decode(Double.self) }) {
            try $0.decode(Double.self)
        }
        try check("0.1", 0.1, { try $0.decode(Float.self, forKey: .a) }, { try $0.decode(Float.self) }) {
            try $0.decode(Float.self)
        }
        try check("-7", -7, { try $0.decode(Int.self, forKey: .a) }, { try $0.decode(Int.self) }) {
            try $0.decode(Int.self)
        }
        try check("-128", .min, { try $0.decode(Int8.self, forKey: .a) }, { try $0.decode(Int8.self) }) {
            try $0.decode(Int8.self)
        }
        try check("-32768", .min, { try $0.decode(Int16.self, forKey: .a) }, { try $0.decode(Int16.self) }) {
            try $0.decode(Int16.self)
        }
        try check("-2147483648", .min, { try $0.decode(Int32.self, forKey: .a) }, { try $0.decode(Int32.self) }) {
            try $0.decode(Int32.self)
        }
        try check(
            "-9223372036854775808", .min, { try $0.decode(Int64.self, forKey: .a) }, { try $0.decode(Int64.self) }
        ) { try $0.decode(Int64.self) }
        try check(
            "-170141183460469231731687303715884105728", .min, { try $0.decode(Int128.self, forKey: .a) },
            { try $0.decode(Int128.self) }
        ) { try $0.decode(Int128.self) }
        try check("7", 7, { try $0.decode(UInt.self, forKey: .a) }, { try $0.decode(UInt.self) }) {
            try $0.decode(UInt.self)
        }
        try check("255", .max, { try $0.decode(UInt8.self, forKey: .a) }, { try $0.decode(UInt8.self) }) {
            try $0.decode(UInt8.self)
        }
        try check("65535", .max, { try $0.decode(UInt16.self, forKey: .a) }, { try $0.decode(UInt16.self) }) {
            try $0.decode(UInt16.self)
        }
        try check("4294967295", .max, { try $0.decode(UInt32.self, forKey: .a) }, { try $0.decode(UInt32.self) }) {
            try $0.decode(UInt32.self)
        }
        try check(
            "18446744073709551615", .max, { try $0.decode(UInt64.self, forKey: .a) }, { try $0.decode(UInt64.self) }
        ) { try $0.decode(UInt64.self) }
        try check(
            "340282366920938463463374607431768211455", .max, { try $0.decode(UInt128.self, forKey: .a) },
            { try $0.decode(UInt128.self) }
        ) { try $0.decode(UInt128.self) }
        try check(
            #""https://h""#, URL(string: "https://h"), { try $0.decode(URL.self, forKey: .a) },
            { try $0.decode(URL.self) }
        ) { try $0.decode(URL.self) }
        try check(
            "2", Duration.seconds(2), { try $0.decode(Duration.self, forKey: .a) }, { try $0.decode(Duration.self) }
        ) {
            try $0.decode(Duration.self)
        }
    }

    @Test func everyContainerIsReadAsBefore() throws {
        let keys = try read(#""a": {"b": 1, "c": 2}"#) { decoder in
            let outer = try decoder.container(keyedBy: Letter.self)
            #expect(outer.contains(.a) && !outer.contains(.b) && outer.allKeys.count == 2)
            #expect(outer.codingPath.isEmpty && decoder.codingPath.isEmpty)
            let inner = try outer.nestedContainer(keyedBy: Letter.self, forKey: .a)
            #expect(inner.codingPath.place == "a")
            #expect(try inner.decodeIfPresent(Int.self, forKey: .d) == nil)
            #expect(throws: DecodingError.self) { try inner.decode(Int.self, forKey: .d) }
            return try inner.allKeys.map { try inner.decode(Int.self, forKey: $0) }.sorted()
        }
        #expect(keys == [1, 2])
        let list = try read(#""a": [null, 1, {"b": 2}, [3], 4, "x"]"#) { decoder in
            var list = try decoder.container(keyedBy: Letter.self).nestedUnkeyedContainer(forKey: .a)
            #expect(list.codingPath.place == "a" && list.count == 6 && list.currentIndex == 0 && !list.isAtEnd)
            let isNil = [try list.decodeNil(), try list.decodeNil()]
            #expect(isNil == [true, false] && list.currentIndex == 1)
            var numbers = [try list.decode(Int.self)]
            numbers.append(try list.nestedContainer(keyedBy: Letter.self).decode(Int.self, forKey: .b))
            var inner = try list.nestedUnkeyedContainer()
            #expect(inner.codingPath.place == "a[3]")
            numbers.append(try inner.decode(Int.self))
            numbers.append(try list.superDecoder().singleValueContainer().decode(Int.self))
            // What does not fit is not passed over.
            #expect(throws: DecodingError.self) { try list.decode(Int.self) }
            #expect(list.currentIndex == 5 && !list.isAtEnd)
            let last = try list.decode(String.self)
            #expect(last == "x" && list.isAtEnd)
            return numbers
        }
        #expect(list == [1, 2, 3, 4])
        let inherited = try read(#""super": {"a": null}"#) { decoder in
            let inner = try decoder.container(keyedBy: Letter.self).superDecoder().container(keyedBy: Letter.self)
            let single = try inner.superDecoder(forKey: .a).singleValueContainer()
            #expect(single.codingPath.place == "super.a" && single.decodeNil())
            return try inner.decodeNil(forKey: .a)
        }
        #expect(inherited)
    }

    private func decode<Model: Decodable>(_ type: Model.Type, _ text: String) throws -> Model {
        try JSONDecoder().decode(type, from: Data(text.utf8), response: HTTPResponse(status: .ok))
    }

    @Test func dictionariesAndDurationsAreReadAsTheyAreWritten() throws {
        struct Model: Codable, Equatable {
            var sizes: [Size: [Double: Duration?]]
            var zone: [Bool: Int]?
        }
        let id = UUID()
        let model = Model(sizes: [.small: [1.5: .seconds(2)], .large: [:]], zone: [true: 1])
        #expect(try decode(Model.self, #"{"sizes":{"large":{},"small":{"1.5":2}},"zone":{"true":1}}"#) == model)
        #expect(try decode([Size: Int].self, #"{"small": 1, "large": 2}"#) == [.small: 1, .large: 2])
        #expect(try decode([UUID: Duration].self, #"{"\#(id)": -0.25}"#) == [id: .milliseconds(-250)])
        #expect(try decode([Duration].self, "[1, 0.5]") == [.seconds(1), .milliseconds(500)])
        #expect(try decode([Size: Int]?.self, #"{"small": 1}"#) == [.small: 1])
        // As Codable has them.
        #expect(try decode([Size: Int].self, #"["small", 1]"#) == [.small: 1])
        #expect(try decode([Opaque: Int].self, #"[{"id": 3}, 1]"#) == [Opaque(id: 3): 1])
        #expect(try decode(Duration.self, "[0, 5]") == Duration(secondsComponent: 0, attosecondsComponent: 5))
    }

    @Test func theKeysOfSuchADictionaryAreData() throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        enum Key: String, Decodable { case first_name }
        let data = Data(#"{"the_keys": {"first_name": 1}}"#.utf8)
        let response = HTTPResponse(status: .ok)
        struct Model: Decodable { var theKeys: [Key: Int] }
        #expect(try decoder.decode(Model.self, from: data, response: response).theKeys == [.first_name: 1])
    }

    @Test func anErrorInSuchADictionaryHasItsPlace() throws {
        func failure<Model: Decodable>(_ type: Model.Type, _ text: String) -> String? {
            #expect(throws: JSONDecodingError.self) { try decode(type, text) }?.description
        }
        #expect(
            failure([String: [Size: Int]].self, #"{"a": {"small": 1, "huge": 2}}"#)
                == "a.huge: expected a key of type Size, found another (line 1, column 28)")
        #expect(
            failure([Size: Int].self, #"{"small": "x"}"#) == "small: expected Int, found a string (line 1, column 11)")
        #expect(
            failure([Size: Duration].self, #"{"small": "x"}"#)
                == "small: expected an array, found a string (line 1, column 11)")
        #expect(failure(Duration.self, "1e30") == "expected an array, found a number (line 1, column 1)")
        #expect(failure([Bool: Int].self, #"{"true": 1, "yes": 2}"#)?.hasPrefix("yes: ") == true)
        #expect(
            failure([Opaque: Int].self, #"{"3": 1}"#)
                == "expected an array, found an object, of which 'Opaque' can be a key when it conforms to "
                + "CodingKeyRepresentable (line 1, column 1)")
        #expect(failure([Opaque: Int].self, "3") == "expected an array, found a number (line 1, column 1)")
    }
}
