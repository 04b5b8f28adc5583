// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import Synchronization
import Testing

struct JSONDecodingErrorTests {
    struct Item: Decodable {
        var priceInCents: Int
        var note: String?
    }
    struct Order: Decodable {
        var items: [Item]
    }

    private func failure(_ text: String, snakeCase: Bool = false) throws -> JSONDecodingError {
        let decoder = JSONDecoder()
        if snakeCase { decoder.keyDecodingStrategy = .convertFromSnakeCase }
        return try #require(throws: JSONDecodingError.self) {
            try decoder.decode(Order.self, from: Data(text.utf8), response: HTTPResponse(status: .ok))
        }
    }

    @Test func tellsPathTypesAndPlaceOfAMismatch() throws {
        let error = try failure(
            """
            {"items": [
              {"priceInCents": 1},
              {"priceInCents": "secret"}
            ]}
            """)
        #expect(error.description == "items[1].priceInCents: expected Int, found a string (line 3, column 20)")
        #expect(error.snippet.contains("secret"))
        #expect(!error.description.contains("secret"))
        #expect(error.debugDescription.contains("secret"))
        guard case .typeMismatch = error.underlying else {
            Issue.record("\(error.underlying)")
            return
        }
    }

    @Test func tellsWhereAKeyIsMissing() throws {
        let error = try failure(#"{"items":[{"price":1}]}"#)
        #expect(
            error.description
                == #"items[0]: expected a value for key "priceInCents", found an object without that key (line 1, column 11)"#
        )
    }

    @Test func findsThePlaceBehindKeysThatAreNumbers() throws {
        let error = try #require(throws: JSONDecodingError.self) {
            try JSONDecoder().decode(
                [Int: [Int]].self, from: Data(#"{"7":[1,"x"]}"#.utf8), response: HTTPResponse(status: .ok))
        }
        #expect(error.description == "7[1]: expected Int, found a string (line 1, column 9)")
    }

    @Test func findsThePlaceBehindConvertedKeys() throws {
        let error = try failure(#"{"items":[{"price_in_cents":null}]}"#, snakeCase: true)
        #expect(error.description == "items[0].priceInCents: expected Int, found null (line 1, column 29)")
    }

    @Test(arguments: [
        (
            #"{"items":[{"priceInCents":1},x]}"#,
            "expected JSON, found text that is not: expected a value (line 1, column 30)"
        ),
        ("", "expected JSON, found an empty body (line 1, column 1)"),
        ("<html>", "expected JSON, found text that is not: expected a value (line 1, column 1)"),
        (
            #"{"items":[{"#,
            "expected JSON, found text that is not: expected a key in double quotes, but the text ends (line 1, column 12)"
        ),
    ]) func tellsWhereTheTextIsNotJSON(_ text: String, _ description: String) throws {
        #expect(try failure(text).description == description)
    }

    @Test func theSnippetIsBoundedAndAroundThePlace() throws {
        let filler = String(repeating: #"{"priceInCents":1},"#, count: 500)
        let error = try failure(#"{"items":[\#(filler){"priceInCents":[7]},\#(filler){"priceInCents":1}]}"#)
        #expect(error.snippet.utf8.count <= 206)
        #expect(error.snippet.contains("[7]"))
        #expect(error.snippet.hasPrefix("…") && error.snippet.hasSuffix("…"))
    }

    @Test func theClientsHookIsToldAndTheClientsErrorCarriesIt() async throws {
        let told = Mutex<[String]>([])
        var configuration = NetworkConfiguration(
            baseURL: URL(string: "https://h.example"), transport: ScriptedTransport(.json(#"{"items":3}"#)))
        configuration.onDecodingFailure = { failure in
            told.withLock { $0.append("\((failure.cause as? JSONDecodingError)?.path ?? "none")") }
        }
        let client = NetworkClient(configuration: configuration)
        let error = try #require(
            await #expect(throws: NetworkClientError.self) {
                try await client.run(NetworkRequest<VoidRequest, Order>(path: "/", method: .get))
            })
        #expect(error.code == .decodingFailed)
        #expect((error.cause as? JSONDecodingError)?.found == "a number")
        #expect(told.withLock { $0 } == ["items"])
    }
}
