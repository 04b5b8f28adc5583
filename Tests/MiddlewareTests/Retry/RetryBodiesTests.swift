// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import MiddlewareSupport
import StrataCore
import StrataEncoding
import StrataMiddleware
import StrataTesting
import Synchronization
import Testing

/// What a retry hands up of a response, and the key that it makes.
struct RetryBodiesTests {
    /// Whether the body has come whole to the layer outside of the retries.
    private func isWhole(
        _ reply: ScriptedReply, _ call: (NetworkClient) async throws -> Void
    ) async throws -> Bool? {
        let seen = Mutex<Bool?>(nil)
        let outside = InterceptorMiddleware { request, next in
            let response = try await next(request)
            seen.withLock { $0 = response.body.isWhole }
            return response
        }
        try await call(makeClient(ScriptedTransport(reply), outside, RetryMiddleware(backoff: .none)))
        return seen.withLock { $0 }
    }

    @Test func aBodyThatIsWantedWholeIsCollectedWhereItMayBeTriedAgain() async throws {
        let reply = ScriptedReply.pieces([Data("ab".utf8), Data("c".utf8)])
        let request = NetworkRequest<VoidRequest, String>(method: .get)
        let run = try await isWhole(reply) { client in
            let value = try await client.run(request).value
            #expect(value == "abc")
        }
        #expect(run == true)
        let opened = try await isWhole(reply) { client in
            let body = try await client.open(request).body.collect()
            #expect(body == Data("abc".utf8))
        }
        #expect(opened == false)
    }

    @Test func aKeyIsMadeWhereThereIsNone() async throws {
        let transport = ScriptedTransport()
        var retry = RetryMiddleware(backoff: .none)
        retry.idempotencyKey = .generated()
        let client = makeClient(transport, retry)
        for _ in 1...2 { _ = try await client.call(.post) }
        var own = HTTPFields()
        try own.setValue("mine", forName: "Idempotency-Key")
        _ = try await client.call(.post, fields: own)
        _ = try await client.call(.put)
        let keys = transport.requests.map { $0["idempotency-key"] }
        #expect(keys.prefix(2).allSatisfy { $0?.count == 36 } && keys[0] != keys[1])
        #expect(keys.suffix(2) == ["mine", nil])
    }

    /// The wait that a server may ask for, at the limit of each policy.
    @Test func aServerIsFollowedAsFarAsThePolicySays() async throws {
        let rows: [(RetryAfterPolicy, asked: Int, wait: Int?)] = [
            (.capped(at: .seconds(10)), 9, 9), (.capped(at: .seconds(10)), 10, 10), (.capped(at: .seconds(10)), 11, 10),
            (.upTo(.seconds(10)), 9, 9), (.upTo(.seconds(10)), 10, 10), (.upTo(.seconds(10)), 11, nil),
            (.capped(at: .seconds(-1)), 9, 0), (.ignored, 9, 3), (.capped(at: .seconds(10)), 0, 0),
        ]
        for row in rows {
            let clock = VirtualClock()
            let waits = Mutex<[Duration]>([])
            var retry = RetryMiddleware(maxAttempts: 2, backoff: .constant(.seconds(3)))
            retry.retryAfter = row.0
            retry.onRetry = { retry in waits.withLock { $0.append(retry.wait) } }
            let transport = ScriptedTransport(.status(503, retryAfter: row.asked), .status(200))
            let response = try await makeClient(transport, retry, clock: clock).call()
            #expect(response.head.status.code == (row.wait == nil ? 503 : 200), "\(row)")
            #expect(waits.withLock { $0 } == (row.wait.map { [.seconds($0)] } ?? []), "\(row)")
            #expect(clock.now == .seconds(row.wait ?? 0), "\(row)")
        }
    }

    @Test(arguments: [(2_999, 1), (3_000, 1), (3_001, 2)])
    func aWaitHasToFitInTheDeadline(_ deadline: Int, _ requests: Int) async throws {
        let transport = ScriptedTransport(.status(503), .status(200))
        let retry = RetryMiddleware(maxAttempts: 2, backoff: .constant(.seconds(3)))
        let response = try await makeClient(transport, retry).call { $0.timeouts.deadline = .milliseconds(deadline) }
        #expect(transport.requests.count == requests)
        #expect(response.exchange.noRetry == (requests == 1 ? .deadline : nil))
    }
}
