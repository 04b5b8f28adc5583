// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import Synchronization
import Testing

@testable import StrataStreaming

/// What a model reads of an object that says what went wrong.
struct ErrorObjectTests {
    /// A model that does what it is told by the decoder's user information.
    struct Asking: Decodable {
        static let key = CodingUserInfoKey(rawValue: "ask")

        init(from decoder: any Decoder) throws {
            let ask = Self.key.flatMap { decoder.userInfo[$0] as? Ask }
            try ask?.run(decoder)
        }
    }

    typealias Work = @Sendable (any Decoder) throws -> Bool

    /// Does the work, and notes what comes of it.
    private final class Ask: Sendable {
        let work: Work
        let answer = Mutex<Bool?>(nil)

        init(_ work: @escaping Work) { self.work = work }

        func run(_ decoder: any Decoder) throws {
            let answer = try work(decoder)
            self.answer.withLock { $0 = answer }
        }
    }

    enum Key: String, CodingKey { case a, b, c, error, none }

    struct Outer: Decodable { let inner: ErrorObject<Asking> }

    /// The object as it is seen when the model does this, and what the model got; `nil` when that threw.
    private func object(
        _ text: String = #"{"a": 1, "b": {"x": "y"}, "c": [2], "error": "busy"}"#, when work: @escaping Work
    ) throws -> (isRead: Bool, hasError: Bool, answer: Bool?) {
        let ask = Ask(work)
        let decoder = JSONDecoder()
        decoder.userInfo[try #require(Asking.key)] = ask
        let object = try decoder.decode(Outer.self, from: Data("{\"inner\": \(text)}".utf8)).inner
        return (object.isRead, object.hasError, ask.answer.withLock { $0 })
    }

    private static func values(
        _ work: @escaping @Sendable (KeyedDecodingContainer<Key>) throws -> Bool
    ) -> Work {
        { try work($0.container(keyedBy: Key.self)) }
    }

    /// What a model may ask of a container with keys, what it gets (`nil`: an error), and whether it has read a member.
    private static let questions: [(Work, Bool?, isRead: Bool)] = [
        (values { _ in true }, true, false),
        (values { $0.contains(.a) }, true, true), (values { $0.contains(.none) }, false, false),
        (values { try $0.decodeNil(forKey: .a) }, false, true),
        (values { try $0.decodeNil(forKey: .none) }, nil, false),
        (values { try $0.decode(Int.self, forKey: .a) == 1 }, true, true),
        (values { try $0.decode(Int.self, forKey: .none) == 1 }, nil, false),
        // A member of another type has been asked for all the same.
        (values { try $0.decode(String.self, forKey: .a) == "1" }, nil, true),
        (values { try $0.decodeIfPresent(Int.self, forKey: .a) == 1 }, true, true),
        (values { try $0.decodeIfPresent(Int.self, forKey: .none) == nil }, true, false),
        (values { try $0.decode(Int8.self, forKey: .a) == 1 }, true, true),
        (values { try $0.decode(UInt64.self, forKey: .a) == 1 }, true, true),
        (values { try $0.decode(Double.self, forKey: .a) == 1 }, true, true),
        (values { try $0.decode(Int128.self, forKey: .a) == 1 }, true, true),
        (values { try $0.decode(UInt128.self, forKey: .a) == 1 }, true, true),
        (values { try $0.decode(Int128.self, forKey: .none) == 1 }, nil, false),
        (values { try $0.decode([Int].self, forKey: .c) == [2] }, true, true),
        (values { try $0.decode(String.self, forKey: .error) == "busy" }, true, true),
        (
            values {
                let inner = try $0.nestedContainer(keyedBy: JSONKey.self, forKey: .b)
                return try inner.decode(String.self, forKey: JSONKey("x")) == "y"
            }, true, true
        ),
        (values { try $0.nestedContainer(keyedBy: Key.self, forKey: .none).allKeys.isEmpty }, nil, false),
        (
            values {
                var inner = try $0.nestedUnkeyedContainer(forKey: .c)
                return try inner.decode(Int.self) == 2
            }, true, true
        ),
        (values { try $0.nestedUnkeyedContainer(forKey: .none).isAtEnd }, nil, false),
        (values { try Int(from: $0.superDecoder(forKey: .a)) == 1 }, true, true),
        (values { try Int(from: $0.superDecoder(forKey: .none)) == 1 }, nil, false),
        (values { try Int(from: $0.superDecoder()) == 1 }, nil, false),
        // Whoever asks which members there are may read any.
        (values { Set($0.allKeys) == [.a, .b, .c, .error] }, true, true),
    ]

    @Test(arguments: questions.indices) func aMemberThatIsAskedForIsRead(_ index: Int) throws {
        let (work, answer, isRead) = Self.questions[index]
        let object = try object(when: work)
        #expect(object.answer == answer)
        #expect(object.isRead == isRead && object.hasError)
    }

    @Test func aModelThatTakesTheObjectAsAValueMayReadAnyMember() throws {
        let rows: [(Work, Bool?, isRead: Bool)] = [
            ({ try $0.singleValueContainer().decode([String: JSONValue].self).count == 4 }, true, true),
            ({ try $0.singleValueContainer().decode(Int.self) == 1 }, nil, true),
            ({ try $0.singleValueContainer().codingPath.isEmpty }, false, false),
            ({ try $0.singleValueContainer().decodeNil() }, false, false),
            ({ try $0.singleValueContainer().decode(Int128.self) == 1 }, nil, false),
            ({ try $0.singleValueContainer().decode(UInt128.self) == 1 }, nil, false),
            ({ try $0.unkeyedContainer().isAtEnd }, nil, false), ({ _ in throw CancellationError() }, nil, false),
        ]
        for (number, row) in rows.enumerated() {
            let object = try object(when: row.0)
            #expect(object.answer == row.1 && object.isRead == row.isRead, "\(number)")
        }
    }

    @Test func aModelSeesWhereItIs() throws {
        let object = try object { decoder in
            let container = try decoder.container(keyedBy: Key.self)
            let paths = [
                decoder.codingPath, try decoder.singleValueContainer().codingPath, container.codingPath,
                try container.superDecoder(forKey: .a).codingPath,
            ]
            return paths.map { $0.map(\.stringValue) } == [["inner"], ["inner"], ["inner"], ["inner", "a"]]
        }
        #expect(object.answer == true)
    }

    @Test(arguments: [
        (#"{"error": 1}"#, true), (#"{"error": {}}"#, true), (#"{"error": false}"#, true), (#"{"error": null}"#, false),
        ("{}", false), (#"{"Error": 1}"#, false), (#"{"errors": 1}"#, false),
    ])
    func anErrorIsAMemberThatIsNotNull(_ text: String, _ hasError: Bool) throws {
        #expect(try object(text) { _ in true }.hasError == hasError)
    }

    @Test func whatIsNoObjectIsNone() {
        for text in ["[]", "1", "null", #""error""#] {
            #expect(throws: DecodingError.self) { try object(text) { _ in true } }
        }
    }

    @Test(arguments: [
        (#"{"error": 1}"#, true), (#""error""#, true), (#"{"a": "\"error\""}"#, false), (#""""error""#, true),
        ("error", false), (#""errors""#, false), (#""error"#, false), (#"'error'"#, false), ("", false), ("\"", false),
        (#""a": "b", "error""#, true),
    ])
    func aQuickLookFindsTheName(_ text: String, _ isMentioned: Bool) {
        #expect(Data(text.utf8).mentionsError == isMentioned)
    }

    // MARK: Elements

    struct Piece: Decodable { var text: String? }

    private func reads<Model: Decodable>(
        _ type: Model.Type, _ text: String, with decoder: any ResponseBodyDecoder = JSONDecoder()
    ) -> Bool {
        decoder.reads(type, in: Data(text.utf8), of: HTTPResponse(status: .ok))
    }

    @Test(arguments: [
        (#"{"text": "a"}"#, true, true), (#"{"text": 1}"#, true, true), (#"{"text": null}"#, true, true),
        (#"{"text": "a", "error": 1}"#, true, false), (#"{"error": 1}"#, false, false), ("{}", false, true),
        (#"{"other": 1}"#, false, true), (#"{"error": null}"#, false, true), ("[1]", true, true),
        ("no JSON", true, true),
    ])
    func aTextIsAnElementWhenTheModelReadsSomethingOfIt(_ text: String, _ asPiece: Bool, _ asText: Bool) {
        #expect(reads(Piece.self, text) == asPiece)
        #expect(reads(Piece?.self, text) == asPiece)
        #expect(reads(String.self, text) == asText)
        #expect(reads(Data?.self, text) == asText)
        #expect(reads(VoidResponse.self, text))
    }

    @Test func ofAPartOfTheTextOnlyTheErrorIsLookedAt() {
        let decoder = JSONKeyPathDecoder("delta.text")
        #expect(reads(Piece.self, #"{"delta": {}}"#, with: decoder))
        #expect(reads(Piece.self, "{}", with: decoder))
        #expect(!reads(Piece.self, #"{"error": 1}"#, with: decoder))
        #expect(!reads(Piece.self, #"{"delta": {"text": "a"}, "error": 1}"#, with: decoder))
    }
}

private struct JSONKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ text: String) { stringValue = text }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
