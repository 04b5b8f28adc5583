// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataRest
import StrataTesting
import Testing

struct RestQueryErrorTests {
    private enum Key: String, CodingKey { case values, size }

    @Test func theDescriptionNamesTheStage() {
        let timeout = NetworkClientError.timedOut(.idle)
        let context = DecodingError.Context(codingPath: [Key.values], debugDescription: "found a secret")
        let errors: [(RestQueryError, String)] = [
            (.url(URLError(.timedOut, userInfo: [NSUnderlyingErrorKey: timeout])), timeout.description),
            (.url(URLError(.timedOut)), "URL error -1001"),
            (.urlValidation, "scheme, host and path make no URL, or the `RestConfiguration` has no host"),
            (.statusCode(404), "HTTP status 404"),
            (.bearer, "the property wants a bearer token, and none is stored"),
            (.decode(.keyNotFound(Key.size, context)), "the answer cannot be decoded at values.size"),
            (.decode(.dataCorrupted(.init(codingPath: [], debugDescription: ""))), "the answer cannot be decoded"),
            (.other(timeout), timeout.description),
        ]
        for (error, text) in errors {
            #expect("\(error)" == text)
            #expect(error.localizedDescription == text)
        }
    }

    @available(*, deprecated, message: "tests the old name")
    @Test func theOldNameOfACaseMatches() {
        func isNoResponse(_ error: RestQueryError) -> Bool {
            switch error {
            case .urlReponse: true
            default: false
            }
        }
        #expect(isNoResponse(.urlResponse))
        #expect(!isNoResponse(.urlValidation))
        #expect(!isNoResponse(.statusCode(500)))
    }

    @Test func theCodeIsTheSessionsOwn() async throws {
        let offline = NetworkClientError(.cannotConnect, "", cause: URLError(.notConnectedToInternet))
        let configuration = makeConfiguration(ScriptedTransport(.failure(offline)))
        let fruit = Rest(wrappedValue: [Fruit](), path: "fruit", configuration: configuration)
        let error = await #expect(throws: RestQueryError.self) { try await fruit.projectedValue.get().value }
        guard case .url(let urlError) = error else { return #expect(Bool(false), "\(error as Any)") }
        #expect(urlError.code == .notConnectedToInternet)
    }
}
