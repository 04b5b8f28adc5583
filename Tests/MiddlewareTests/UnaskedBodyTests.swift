// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import MiddlewareSupport
import StrataCore
import StrataMiddleware
import StrataTesting
import TestSupport
import Testing

/// The bodies that these layers do not want hold no call up, although no timeout is set.
struct UnaskedBodyTests {
    private struct Layer: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// The first answer, whose body falls silent.
        let status: Int
        var fields: HTTPFields = [:]
        /// What the call comes to: the status of the second answer, or that of an error.
        let outcome: Int
        let limit: Duration
        let make: @Sendable () -> any NetworkMiddleware
    }

    private static let half = Duration.milliseconds(500)

    private static let layers = [
        Layer(testDescription: "status validation", status: 404, outcome: 404, limit: .seconds(1)) {
            StatusValidationMiddleware()
        },
        Layer(
            testDescription: "Retry-After as an error", status: 429, fields: [.retryAfter: "7"], outcome: 429,
            limit: half
        ) { RetryAfterMiddleware() },
        Layer(testDescription: "retries", status: 503, outcome: 200, limit: half) { RetryMiddleware(backoff: .none) },
        Layer(testDescription: "a renewed token", status: 401, outcome: 200, limit: half) {
            BearerAuthMiddleware(Renewals().store())
        },
        Layer(testDescription: "a token that is asked for again", status: 401, outcome: 200, limit: .seconds(1)) {
            BearerAuthMiddleware { UUID().uuidString }
        },
    ]

    @Test(arguments: layers) private func aSilentBodyHoldsNobodyUp(_ layer: Layer) async throws {
        let clock = VirtualClock()
        let source = HangingSource("word") { clock.advance(by: layer.limit) }
        let transport = ScriptedTransport(
            .source(status: layer.status, fields: layer.fields) { source }, .text("second"))
        let client = makeClient(transport, layer.make(), clock: clock)
        let status: Int?
        do {
            status = try await client.call { $0.timeouts.idle = nil }.head.status.code
        } catch let error as NetworkClientError {
            status = error.response?.status.code
        } catch let error as RetryAfterError {
            status = error.status.code
        }
        #expect(status == layer.outcome)
        #expect(clock.now == layer.limit)
        #expect(source.isCancelled)
    }
}
