// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding
import Testing

struct MixedValueTests {
    private struct Person: Encodable { var firstName: String }

    private let epoch = Date(timeIntervalSince1970: 0)

    @Test func whatIsNoJSONIsWrittenByTheEncoderThatMeetsIt() throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let list: [Any] = [epoch, [epoch], 1, nil as Int? as Any]
        let members: [String: Any] = [
            "theList": list, "theDays": ["theFirst": epoch], "thePerson": Person(firstName: "Ada"), "theName": "x",
        ]
        // The keys of a dictionary are data; those of a model are not.
        #expect(
            try JSONValue(parsing: encoder.encode(MixedValue(members))) == [
                "theList": ["1970-01-01T00:00:00Z", ["1970-01-01T00:00:00Z"], 1, nil],
                "theDays": ["theFirst": "1970-01-01T00:00:00Z"], "thePerson": ["first_name": "Ada"], "theName": "x",
            ])
    }

    @Test func aFormsOptionsHoldForIt() throws {
        let members: [String: Any] = ["since": epoch, "days": [epoch, epoch], "on": true]
        #expect(
            try FormEncoder(FormOptions(bools: .numbers, dates: .secondsSince1970)).string(from: MixedValue(members))
                == "days=0&days=0&on=1&since=0")
    }

    @Test func aPartIsWhatItsModelIs() throws {
        let members: [String: Any] = [
            "file": MultipartPart.data(Data([1]), name: "p", filename: "a.png"), "since": epoch,
        ]
        let parts = try MultipartEncoder().form(from: MixedValue(members)).parts.sorted {
            $0.name ?? "" < $1.name ?? ""
        }
        #expect(parts.map(\.name) == ["p", "since"])
        #expect(parts.map(\.filename) == ["a.png", nil])
        #expect(parts.last?.body.data == Data("1970-01-01T00:00:00Z".utf8))
    }

    @Test func jsonAloneIsJSONAtOnce() throws {
        let members: [String: Any] = ["b": 1, "a": [true, NSNull()] as [Any]]
        let json: JSONValue = ["a": [true, nil], "b": 1]
        #expect(try MixedValue(members).encodable as? JSONValue == json)
    }

    @Test func whatJSONCannotHoldIsAnErrorBeforeAnyEncoderMeetsIt() {
        struct Opaque {}
        let error = #expect(throws: EncodingError.self) { try MixedValue(["a": [epoch, Opaque()] as [Any]]) }
        guard case .invalidValue(_, let context) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["a", "Index 1"])
    }

    private struct Text: CustomStringConvertible { var description: String { "text" } }

    /// Of the types that values are declared with, those that say what may be sent.
    @Test func whatIsDeclaredToHaveADescriptionIsSentAsThat() throws {
        let list: [any CustomStringConvertible] = [Text(), 1]
        let (one, none): (any CustomStringConvertible, (any CustomStringConvertible)?) = (Text(), nil)
        #expect(try JSONValue(encoding: MixedValue(declared: list)) == ["text", 1])
        #expect(try JSONValue(encoding: MixedValue(declared: one)) == "text")
        #expect(try JSONValue(encoding: MixedValue(declared: none)) == nil)
        #expect(try JSONValue(encoding: MixedValue(declared: Text())) == "text")
        #expect(throws: EncodingError.self) { try MixedValue(declared: Text() as Any) }
        #expect(throws: EncodingError.self) { try MixedValue(declared: [Text()] as [Any]) }
    }
}
