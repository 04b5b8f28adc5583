// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding
import Testing

struct FormOptionsTests {
    private struct Model: Codable, Equatable {
        var firstName = "a"
        var userID = 1
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// The keys that a decoder says are there.
    private struct Listing: Decodable {
        let keys: [String]
        init(from decoder: any Decoder) throws {
            keys = try decoder.container(keyedBy: Key.self).allKeys.map(\.stringValue)
        }
    }

    private func names(_ keys: FormOptions.Keys) throws -> [String] {
        try FormEncoder(FormOptions(keys: keys)).items(from: Model()).map(\.name)
    }

    @Test func keysAreNamedAsTheEncoderOfJSONNamesThem() throws {
        #expect(try names(.init(JSONEncoder.KeyEncodingStrategy.useDefaultKeys)) == ["firstName", "userID"])
        #expect(try names(.init(JSONEncoder.KeyEncodingStrategy.convertToSnakeCase)) == ["first_name", "user_id"])
        let shout = JSONEncoder.KeyEncodingStrategy.custom { path in
            #expect(path.count == 1)
            return path[0].stringValue == "firstName" ? Key(stringValue: "FIRST") : path[0]
        }
        #expect(try names(.init(shout)) == ["FIRST", "userID"])
    }

    @Test func onlyKeysThatNothingChangesAreAsWritten() {
        #expect(FormOptions.Keys.asWritten.isAsWritten && FormOptions().keys.isAsWritten)
        #expect(FormOptions.Keys(JSONEncoder.KeyEncodingStrategy.useDefaultKeys).isAsWritten)
        for keys in [FormOptions.Keys.snakeCase, .kebabCase, .custom { $0 }] { #expect(!keys.isAsWritten) }
    }

    /// A decoder asks for the name of each key of a model.
    @Test func namesOfOnesOwnNeedNoWayBack() throws {
        let options = FormOptions(keys: .custom { "x-" + $0 })
        let text = try FormEncoder(options).string(from: Model())
        #expect(text == "x-firstName=a&x-userID=1")
        #expect(try FormDecoder(options).decode(Model.self, from: text) == Model())
        #expect(try FormDecoder(options).decode(Listing.self, from: text).keys == ["x-firstName", "x-userID"])
    }

    @Test func withoutAWordEverythingIsTheDefault() throws {
        struct Value: Encodable {
            var list = ["a b", "c"]
            var inner = ["k": true]
            var none: Int?
            var date = Date(timeIntervalSince1970: 0)
            var data = Data([251, 255])
            var aKey = 1
        }
        let options = FormOptions()
        let expected =
            "list=a+b&list=c&inner%5Bk%5D=true&date=1970-01-01T00%3A00%3A00Z&data=%2B%2F8%3D&aKey=1"
        #expect(try FormEncoder(options).string(from: Value()) == expected)
        #expect(try FormEncoder().string(from: Value()) == expected)
    }

    @Test(
        arguments: [
            (.base64, "-_-_+/8=", nil), (.base64, "+/8=", [251, 255]), (.base64URL, "-_8", [251, 255]),
            (.hexadecimal, "fbFF", [251, 255]), (.hexadecimal, "fbf", nil), (.hexadecimal, "fg", nil),
            (.hexadecimal, "", []), (.base64URL, "*", nil),
        ] as [(FormOptions.Binary, String, [UInt8]?)])
    func dataIsReadInItsStyleAlone(_ style: FormOptions.Binary, _ text: String, _ bytes: [UInt8]?) throws {
        let decoder = FormDecoder(FormOptions(data: style))
        let items = [URLFormItem(name: "a", value: text)]
        if let bytes {
            #expect(try decoder.decode([String: Data].self, from: items) == ["a": Data(bytes)])
        } else {
            #expect(throws: DecodingError.self) { try decoder.decode([String: Data].self, from: items) }
        }
    }

    /// Only the styles that make one key of several names look for another name.
    @Test func aNameThatIsNotTheKeysIsNotFound() throws {
        let text = "firstName=a&userID=1"
        for keys in [FormOptions.Keys.custom { "x-" + $0 }, .custom({ "x-" + $0 }, back: { String($0.dropFirst(2)) })] {
            #expect(throws: DecodingError.self) {
                try FormDecoder(FormOptions(keys: keys)).decode(Model.self, from: text)
            }
        }
        struct Plain: Decodable { var firstName: String }
        for (keys, text) in [
            (FormOptions.Keys.snakeCase, "first__name=a"), (.snakeCase, "firstName=a"), (.kebabCase, "first--name=a"),
            (.kebabCase, "first-name=a"), (.snakeCase, "first_name=a&first__name=b"),
        ] {
            let decoder = FormDecoder(FormOptions(keys: keys))
            #expect(try decoder.decode(Plain.self, from: text).firstName == "a", "\(text)")
        }
        #expect(throws: DecodingError.self) { try FormDecoder().decode(Plain.self, from: "first_name=a") }
    }
}
