// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import Testing

/// Where in a body something is wrong, as the client's error says it.
struct ErrorPlacesTests {
    struct Item: Encodable { var v: Double }
    struct Order: Encodable {
        var items: [Item] = []
        var tags: [String?] = []
        var prices: [String: [Double]] = [:]
    }

    private func client(
        _ reply: ScriptedReply = .status(200), encoder: any RequestBodyEncoder = JSONEncoder(),
        decoder: any ResponseBodyDecoder = JSONDecoder()
    ) -> NetworkClient {
        NetworkClient(
            configuration: NetworkConfiguration(
                baseURL: URL(string: "https://h.example"), transport: ScriptedTransport(reply), defaultEncoder: encoder,
                defaultDecoder: decoder))
    }

    private func failure<Model: Encodable>(sending model: Model, by encoder: any RequestBodyEncoder) async throws
        -> NetworkClientError
    {
        try await #require(throws: NetworkClientError.self) {
            try await client(encoder: encoder).run(
                NetworkRequest<Model, VoidResponse>(path: "o", method: .post, body: model))
        }
    }

    private func failure<Model: Decodable>(
        reading type: Model.Type, from reply: ScriptedReply, by decoder: any ResponseBodyDecoder = JSONDecoder()
    ) async throws -> NetworkClientError {
        try await #require(throws: NetworkClientError.self) {
            try await client(reply, decoder: decoder).run(NetworkRequest<VoidRequest, Model>(path: "o", method: .get))
        }
    }

    // MARK: Sent

    @Test func anEncodingErrorNamesThePlace() async throws {
        let number = "a Double that is not finite cannot be encoded"
        let items = Order(items: [Item(v: 1), Item(v: .infinity)])
        let prices = Order(prices: ["a.b": [1, .nan]])
        for (order, place) in [(items, "items[1].v"), (prices, "prices.a.b[1]")] {
            let error = try await failure(sending: order, by: JSONEncoder())
            #expect(error.code == .encodingFailed)
            #expect(error.message.hasSuffix("Order could not be encoded: \(place): \(number)"), "\(error.message)")
            #expect(error.description == "encodingFailed: \(error.message)")
        }
        let decimals = try await failure(sending: ["list": [["a": Decimal(1)], ["a": .nan]]], by: JSONEncoder())
        #expect(decimals.message.hasSuffix(": list[1].a: JSON has no number for NaN"), "\(decimals.message)")
        let form = try await failure(sending: Order(tags: ["a", nil]), by: FormEncoder())
        #expect(form.message.contains("Order could not be encoded: tags[1]: "), "\(form.message)")
    }

    @Test func theValueItselfIsNotShown() async throws {
        struct Refusing: Encodable {
            func encode(to encoder: any Encoder) throws {
                throw EncodingError.invalidValue(
                    "s3cret", .init(codingPath: encoder.codingPath, debugDescription: "no s3cret"))
            }
        }
        let error = try await failure(sending: ["a": [Refusing()]], by: JSONEncoder())
        #expect(error.message.hasSuffix("could not be encoded: a[0]: String cannot be encoded"), "\(error.message)")
        #expect(!"\(error)".contains("s3cret"))
    }

    // MARK: Read

    @Test func containersAreCalledWhatTheyAreInJSON() async throws {
        struct User: Decodable { var tags: [Int] }
        let array = try await failure(reading: User.self, from: .json("[1]"))
        #expect(
            array.message
                == "the body could not be decoded as User: expected an object, found an array (line 1, column 1)")
        let object = try await failure(reading: User.self, from: .json(#"{"tags": {"a": 1}}"#))
        #expect(object.message.hasSuffix("tags: expected an array, found an object (line 1, column 10)"))
        for error in [array, object] {
            #expect(!"\(error)".contains("Any>"))
            #expect(error.description.contains(error.message))
        }
    }

    struct Account: Decodable { var userID: Int }

    @Test(arguments: ["user_id", "userId", "UserID", "user-id", "USER_ID", "user.id"])
    func aMissingKeyThatHasAnotherCaseStyleIsHintedAt(_ key: String) async throws {
        let error = try await failure(reading: [Account].self, from: .json(#"[{"name": "x", "\#(key)": 3}]"#))
        #expect(
            error.message.hasSuffix(
                #"[0]: expected a value for key "userID", found an object without that key, "#
                    + #"but with "\#(key)": see the decoder's key strategy (line 1, column 2)"#), "\(error.message)")
    }

    @Test(arguments: ["user", "userIDs", "id", #"u\nser_id"#, #"u\nserId"#, "user id", "usér_id"])
    func noOtherKeyIsShown(_ key: String) async throws {
        let error = try await failure(reading: Account.self, from: .json(#"{"\#(key)": 3}"#))
        #expect(error.message.hasSuffix("found an object without that key (line 1, column 1)"), "\(error.message)")
    }

    /// A key that has neither a raw value nor a name.
    struct Code: Decodable, Hashable { var number: Int }
    enum Size: String, Codable, CodingKeyRepresentable { case small }

    @Test func aDictionaryThatCannotHaveItsKeysSaysWhatToConformTo() async throws {
        struct Stock: Decodable { var counts: [Code: Int]? }
        let hint = "found an object, of which 'Code' can be a key when it conforms to CodingKeyRepresentable"
        let nested = try await failure(reading: [Stock].self, from: .json(#"[{"counts": {"red": 1}}]"#))
        #expect(nested.message.contains("[0].counts: expected an array, \(hint)"), "\(nested.message)")
        let plain = try await failure(reading: [String: [Int]].self, from: .json(#"{"red": {}}"#))
        #expect(!plain.message.contains("CodingKeyRepresentable"))
        let sizes = try await client(.json(#"{"small": 1}"#)).run(
            NetworkRequest<VoidRequest, [Size: Int]>(path: "o", method: .get))
        #expect(sizes.value == [.small: 1])
    }

    @Test func aPageIsNamedByItsMediaType() async throws {
        let page = ScriptedReply.status(
            200, fields: [.contentType: "text/html; charset=utf-8"], body: Data("<!DOCTYPE html>".utf8))
        let error = try await failure(reading: Account.self, from: page)
        #expect(error.message.hasPrefix("the body, which is text/html, could not be decoded as Account: expected JSON"))
        for type in ["application/json", "application/problem+json; charset=utf-8", "application/vnd.api+json"] {
            let reply = ScriptedReply.status(200, fields: [.contentType: type], body: Data("3".utf8))
            let error = try await failure(reading: Account.self, from: reply)
            #expect(error.message.hasPrefix("the body could not be decoded as Account: "), "\(error.message)")
        }
    }

    @Test func anErrorOfAnotherDecoderNamesThePlaceToo() async throws {
        struct Post: Decodable { var items: [Int] }
        let form = ScriptedReply.status(
            200, fields: [.contentType: "application/x-www-form-urlencoded"], body: Data("items=1&items=s3cret".utf8))
        let error = try await failure(reading: Post.self, from: form, by: DynamicContentTypeDecoder())
        #expect(error.message.contains("items[1]"), "\(error.message)")
        #expect(!"\(error)".contains("s3cret"))
    }
}
