// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataEncoding
import Testing

struct JSONValueFromAnyTests {
    @Test func mixedDictionariesBecomeJSON() throws {
        let members: [String: Any] = [
            "text": "x", "int": 1, "max": UInt64.max, "double": 1.5, "half": Float(0.1), "bool": true,
            "none": Optional<Int>.none as Any,
            "some": Optional("s") as Any, "list": [1, "a", [false]] as [Any], "ints": [1, 2], "nested": ["k": ["v": 1]],
            "date": Date(timeIntervalSince1970: 0), "json": JSONValue.null, "decimal": Decimal(string: "1.25") as Any,
            "url": URL(string: "https://h/") as Any,
        ]
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        #expect(
            try JSONValue(members, encoder: encoder) == [
                "text": "x", "int": 1, "max": .number(JSONNumber(UInt64.max)), "double": 1.5, "half": 0.1, "bool": true,
                "none": nil,
                "some": "s", "list": [1, "a", [false]], "ints": [1, 2], "nested": ["k": ["v": 1]],
                "date": "1970-01-01T00:00:00Z", "json": nil, "decimal": 1.25, "url": "https://h/",
            ])
    }

    @Test func theSampleOfTheDocumentationIsCompiled() throws {
        let name = "Ada"
        let body = try JSONValue(["name": name, "tags": ["a", "b"], "age": nil as Int? as Any])
        #expect(body == ["name": "Ada", "tags": ["a", "b"], "age": nil])
    }

    @Test func foundationObjectsBecomeJSON() throws {
        let text = #"{"a":[1,true,null,"s",1.5,0,false,{"b":18446744073709551615}]}"#
        let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(try JSONValue(object) == JSONValue(parsing: text))
        #expect(
            try JSONValue([NSNull(), NSNumber(value: true), NSNumber(value: 1), NSString("x")]) == [nil, true, 1, "x"])
    }

    @Test(arguments: ["12345678901234567890.123", "0.1000000000000000000000000001", "7"])
    func aDecimalNumberOfFoundationKeepsItsDigits(_ digits: String) throws {
        let value = try JSONValue([NSDecimalNumber(string: digits)])
        #expect(value[0]?.number == JSONNumber(digits))
    }

    @Test func whatJSONCannotHoldIsAnErrorWithItsPath() {
        struct Opaque {}
        let error = #expect(throws: EncodingError.self) { try JSONValue(["a": [1, Opaque()] as [Any]]) }
        guard case .invalidValue(_, let context) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["a", "Index 1"])
        let inModel = #expect(throws: EncodingError.self) { try JSONValue(["a": ["b": Double.nan as any Encodable]]) }
        guard case .invalidValue(_, let innerContext) = inModel else { return }
        #expect(innerContext.codingPath.map(\.stringValue) == ["a", "b"])
        struct Ratio: Encodable { var value = Double.nan }
        let inProperty = #expect(throws: EncodingError.self) { try JSONValue(["a": [1, Ratio()] as [Any]]) }
        guard case .invalidValue(_, let propertyContext) = inProperty else { return }
        #expect(propertyContext.codingPath.map(\.stringValue) == ["a", "Index 1", "value"])
        #expect(throws: EncodingError.self) { try JSONValue(["x": Double.nan]) }
        #expect(throws: EncodingError.self) { try JSONValue(["x": { () -> Void in }] as [String: Any]) }
        var deep: Any = 1
        for _ in 0..<2000 { deep = [deep] }
        #expect(throws: EncodingError.self) { try JSONValue([deep]) }
    }
}
