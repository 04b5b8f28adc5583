// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataRest
import StrataTesting
import Synchronization
import Testing

/// Properties are read and written by the client's coders, as everything else that goes through it.
struct RestCodingTests {
    private func property<Value: Codable & Sendable>(
        _ value: Value, _ reply: ScriptedReply, _ change: (inout NetworkConfiguration) -> Void = { _ in }
    ) -> (query: RestQueryImpl<Value, Value>, transport: ScriptedTransport) {
        let transport = ScriptedTransport(reply)
        var network = NetworkConfiguration(baseURL: nil, transport: transport)
        change(&network)
        let configuration = RestConfiguration(host: "api.example.com", client: NetworkClient(configuration: network))
        configuration.sendsAnonymously = true
        return (Rest(wrappedValue: value, path: "x", configuration: configuration).projectedValue, transport)
    }

    private func failure<Value: Codable & Sendable>(
        _ value: Value, _ reply: ScriptedReply
    ) async throws -> (error: RestQueryError, underlying: NetworkClientError?) {
        let result = property(value, reply).query.get()
        let error = try await #require(throws: RestQueryError.self) { try await result.value }
        return (error, result.underlyingError)
    }

    @Test(arguments: [
        "1234567890123456789012345678901234567890123456789012", "1.10", "1e400", "-0", #"{"a":1.10,"b":[1E+2]}"#,
    ])
    func everyDigitIsKept(_ text: String) async throws {
        let (query, transport) = property(JSONValue.null, .json(text))
        let value = try await query.get().value
        #expect(value == (try JSONValue(parsing: text)))
        _ = try await query.post(value).value
        #expect(transport.requests.last?.text == text)
        #expect(transport.requests.last?["content-type"] == "application/json")
    }

    @Test func aTextMayBeAsDeepAsForTheClient() async throws {
        let text = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
        #expect(try await property(JSONValue.null, .json(text)).query.get().value == JSONValue(parsing: text))
    }

    @Test func theCharsetOfTheResponseCounts() async throws {
        let latin1 = ScriptedReply.status(
            200, fields: [.contentType: "application/json; charset=ISO-8859-1"], body: Data([0x22, 0xFC, 0x22]))
        #expect(try await property("", latin1).query.get().value == "ü")
        let posted = property("", latin1).query.post("x")
        #expect(try await posted.answer(as: String.self) == "ü")
    }

    @Test func aFailureSaysWhereAsTheClientDoes() async throws {
        let (error, underlying) = try await failure([[1]], .json("[[1],\n [2, \"s3cret\"]]"))
        guard case .decode(.typeMismatch) = error else { return #expect(Bool(false), "\(error)") }
        #expect(error.description.contains("[1][1]: expected Int, found a string (line 2, column 6)"), "\(error)")
        #expect(error.description == underlying?.description)
        #expect(!error.description.contains("s3cret"))
        let (notJSON, _) = try await failure([1], .text("<html>"))
        #expect(notJSON.description.contains("which is text/plain"), "\(notJSON)")
        guard case .decode(.dataCorrupted) = notJSON else { return #expect(Bool(false), "\(notJSON)") }
    }

    @Test func aValueThatCannotBeWrittenIsNamedByItsPlace() async throws {
        let (query, transport) = property(["a": [1.0, .infinity]], .status(200))
        let error = try await #require(throws: RestQueryError.self) { try await query.post().value }
        #expect(error.description == "the value cannot be encoded: a[1]: a Double that is not finite cannot be encoded")
        #expect(transport.requests.isEmpty)
    }

    @Test func codersOfAnotherFormatAreUsedToo() async throws {
        let form = ScriptedReply.status(
            200, fields: [.contentType: "application/x-www-form-urlencoded"], body: Data("a=2".utf8))
        let (query, transport) = property(["a": "1"], form) {
            $0.defaultEncoder = FormEncoder()
            $0.defaultDecoder = DynamicContentTypeDecoder()
        }
        #expect(try await query.get().value == ["a": "2"])
        _ = try await query.post().value
        #expect(transport.requests.last?.text == "a=2")
        #expect(transport.requests.last?["content-type"] == "application/x-www-form-urlencoded")
        #expect(
            transport.requests.last?["accept"]
                == DynamicContentTypeDecoder().acceptedContentTypes.joined(separator: ", "))
    }

    /// The hook is the client's, and hears of each failure once.
    @Test func theHookIsTheClients() async throws {
        let told = Mutex<[String]>([])
        let (query, _) = property([1], .json("{}")) {
            $0.onDecodingFailure = { failure in told.withLock { $0.append(failure.message) } }
        }
        await #expect(throws: RestQueryError.self) { try await query.get().value }
        let messages = told.withLock { $0 }
        #expect(messages.count == 1)
        #expect(messages.first?.contains("expected an array, found an object") == true)
    }
}
