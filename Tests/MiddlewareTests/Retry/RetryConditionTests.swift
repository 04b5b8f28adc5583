// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import MiddlewareSupport
import StrataCore
import StrataMiddleware
import Testing

/// Which outcomes each condition allows.
struct RetryConditionTests {
    private func outcome(
        _ status: Int, _ fields: HTTPFields = [:], method: HTTPMethod = .get, requestFields: HTTPFields = [:]
    ) throws -> RetryCondition.Outcome {
        RetryCondition.Outcome(
            request: try TransportRequest(method: method, url: "https://api.example/", headerFields: requestFields),
            result: .success(HTTPResponse(status: .init(code: status), headerFields: fields)), attempt: 1)
    }

    private func outcome(_ error: any Error, method: HTTPMethod = .get) throws -> RetryCondition.Outcome {
        RetryCondition.Outcome(
            request: try TransportRequest(method: method, url: "https://api.example/"), result: .failure(error),
            attempt: 1)
    }

    @Test func someStatusesPass() throws {
        let passing = try (100...599).filter { RetryCondition.transientStatus.allows(try outcome($0)) }
        #expect(passing == [408, 425, 429, 500, 502, 503, 504])
        let told = try (100...599).filter { RetryCondition.transientStatus.allows(try outcome($0, [.retryAfter: "1"])) }
        #expect(told == [408, 413, 425, 429, 500, 502, 503, 504])
        #expect(try !RetryCondition.transientStatus.allows(outcome(413, [.retryAfter: "soon"])))
        #expect(try !RetryCondition.transientStatus.allows(outcome(NetworkClientError(.connectionLost, ""))))
    }

    @Test(arguments: [
        ("GET", true), ("HEAD", true), ("PUT", true), ("DELETE", true), ("OPTIONS", true), ("TRACE", true),
        ("POST", false),
        ("PATCH", false), ("CONNECT", false),
    ])
    func someMethodsMayBeRepeated(_ name: String, _ isRepeatable: Bool) throws {
        let method = try #require(HTTPMethod(name))
        let key = HTTPFields([HTTPField(name: try #require(HTTPField.Name("Idempotency-Key")), value: "k")])
        #expect(try RetryCondition.isRepeatable.allows(outcome(503, method: method)) == isRepeatable)
        #expect(try RetryCondition.isRepeatable.allows(outcome(503, method: method, requestFields: key)))
        #expect(try RetryCondition.transient.allows(outcome(503, method: method)) == isRepeatable)
        #expect(try !RetryCondition.transient.allows(outcome(404, method: method, requestFields: key)))
    }

    @Test(arguments: [
        (NetworkClientError(.connectionLost, ""), true), (NetworkClientError(.cannotConnect, ""), true),
        (NetworkClientError(.dnsFailed, ""), true), (NetworkClientError.timedOut(.idle), true),
        (NetworkClientError.timedOut(.connect), true), (NetworkClientError.timedOut(.attempt), true),
        (NetworkClientError.timedOut(.deadline), false), (NetworkClientError(.tlsFailed, ""), false),
        (NetworkClientError(.invalidRequest, ""), false), (NetworkClientError(.circuitOpen, ""), false),
        (NetworkClientError(.rateLimited, ""), false), (NetworkClientError(.concurrencyLimited, ""), false),
    ])
    func someErrorsPass(_ error: NetworkClientError, _ passes: Bool) throws {
        #expect(try RetryCondition.transientError.allows(outcome(error)) == passes)
    }

    @Test func anErrorOfAnotherTypeOrNoneIsNoTransientError() throws {
        for error in [TestError(), URLError(.timedOut), CancellationError()] as [any Error] {
            #expect(try !RetryCondition.transientError.allows(outcome(error)))
        }
        #expect(try !RetryCondition.transientError.allows(outcome(503)))
    }

    @Test func whatWasNeverSentMayBeRepeatedWhateverItsMethod() throws {
        var unprocessed = NetworkClientError(.connectionLost, "")
        #expect(try !RetryCondition.unprocessed.allows(outcome(unprocessed, method: .post)))
        unprocessed.isUnprocessed = true
        #expect(try RetryCondition.unprocessed.allows(outcome(unprocessed, method: .post)))
        for code in [NetworkClientError.Code.circuitOpen, .rateLimited, .concurrencyLimited] {
            var refusal = NetworkClientError(code, "")
            refusal.isUnprocessed = true
            #expect(try !RetryCondition.unprocessed.allows(outcome(refusal)), "\(code)")
        }
        #expect(try !RetryCondition.unprocessed.allows(outcome(TestError())))
        #expect(try !RetryCondition.unprocessed.allows(outcome(503)))
    }

    @Test func conditionsCompose() throws {
        let (yes, no) = (RetryCondition.status(500), RetryCondition.status(501))
        let outcome = try outcome(500)
        #expect(
            [yes.and(yes), yes.and(no), no.and(yes), no.and(no)].map { $0.allows(outcome) } == [
                true, false, false, false,
            ])
        #expect(
            [yes.or(yes), yes.or(no), no.or(yes), no.or(no)].map { $0.allows(outcome) } == [true, true, true, false])
        #expect(
            [RetryCondition.not(yes), .not(no), .never, .always].map { $0.allows(outcome) } == [
                false, true, false, true,
            ])
    }

    @Test func eachKindOfOutcomeHasItsCondition() throws {
        let lost = try outcome(NetworkClientError(.connectionLost, ""), method: .put)
        #expect(RetryCondition.error(.dnsFailed, .connectionLost).allows(lost))
        #expect(!RetryCondition.error(.dnsFailed).allows(lost) && !RetryCondition.status(500).allows(lost))
        #expect(RetryCondition.method(.put, .post).allows(lost) && !RetryCondition.method(.get).allows(lost))
        #expect(try !RetryCondition.error(.connectionLost).allows(outcome(TestError())))
        #expect(RetryCondition.always.allows(lost) && !RetryCondition.never.allows(lost))
        #expect(try RetryCondition.always.allows(outcome(TestError())))
        #expect(try !RetryCondition.always.allows(outcome(CancellationError())))
        #expect(try RetryCondition.always.allows(outcome(200)))
    }

    @Test func anOutcomeHasAStatusOrAnError() throws {
        let answered = try outcome(503)
        #expect(answered.status == 503 && answered.response?.status == 503 && answered.error == nil)
        let refused = try outcome(
            NetworkClientError(.unacceptableStatus, "", response: HTTPResponse(status: .notFound)))
        #expect(refused.status == nil && refused.response?.status == 404 && refused.error is NetworkClientError)
        let failed = try outcome(TestError())
        #expect(failed.status == nil && failed.response == nil && failed.error as? TestError == TestError())
    }
}
