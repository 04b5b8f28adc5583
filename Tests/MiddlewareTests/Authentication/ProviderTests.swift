// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import MiddlewareSupport
import StrataCore
import StrataMiddleware
import StrataTesting
import Synchronization
import TestSupport
import Testing

/// A provider of tokens that is asked for another after a 401 whose body goes on.
struct ProviderTests {
    private func transport(_ refusal: ScriptedReply) -> ScriptedTransport {
        ScriptedTransport { request in
            request.path == "/token" || request["authorization"] == Bearer.fresh ? .status(200) : refusal
        }
    }

    private func refusal(_ text: String) -> ScriptedReply { .pieces([Data(text.utf8)], status: 401) }

    /// Nobody may wait for a slot here: a request that would have to fails.
    @Test(arguments: [1, 100_000]) func sendsRequestsThroughALimitThatTheRefusalWasIn(length: Int) async throws {
        let transport = transport(refusal(String(repeating: "x", count: length)))
        let client = Mutex<NetworkClient?>(nil)
        let tokens = Mutex([Secret.token, Secret.freshToken])
        let bearer = BearerAuthMiddleware {
            _ = try await client.withLock { $0 }?.call(.get, "/token")
            return tokens.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
        }
        let limit = ConcurrencyLimitMiddleware(1, maxQueued: 0)
        client.withLock { $0 = makeClient(transport, bearer, limit) }
        #expect(try await client.withLock { $0 }?.call().head.status == .ok)
        #expect(limit.underWay == 0)
    }

    @Test func theRefusalIsHandedUpWithItsBodyWhenThereIsNoOtherToken() async throws {
        let client = makeClient(transport(refusal("no")), BearerAuthMiddleware { Secret.token })
        let response = try await client.call()
        #expect(response.head.status == .unauthorized)
        #expect(try await response.body.collect() == Data("no".utf8))
    }

    @Test func aLongBodyIsNotHandedUpInPart() async throws {
        let client = makeClient(
            transport(refusal(String(repeating: "x", count: 65_536))), BearerAuthMiddleware { Secret.token })
        let error = await #expect(throws: NetworkClientError.self) { try await client.call() }
        #expect(error?.code == .unacceptableStatus && error?.response?.status == .unauthorized)
    }
}
