// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import Testing

struct NetworkClientErrorTests {
    @Test func isDescribedTheSameWhereverItIsShown() {
        let error: any Error = NetworkClientError(
            .unacceptableStatus, "gone", response: HTTPResponse(status: .gone))
        #expect("\(error)" == "unacceptableStatus: gone (status 410)")
        #expect(error.localizedDescription == "\(error)")
    }

    @Test func whatMayPassByItselfIsTransient() {
        var unprocessed = NetworkClientError(.tlsFailed, "lost in the handshake")
        unprocessed.isUnprocessed = true
        let transient: [NetworkClientError] = [
            NetworkClientError(.connectionLost, ""), NetworkClientError(.dnsFailed, ""),
            NetworkClientError(.cannotConnect, ""), .timedOut(.attempt), .timedOut(.idle), .timedOut(.connect),
            unprocessed,
        ]
        let lasting: [NetworkClientError] = [
            .timedOut(.deadline), NetworkClientError(.tlsFailed, ""), NetworkClientError(.unacceptableStatus, ""),
            NetworkClientError(.protocolViolation, ""), NetworkClientError(.cancelled, ""),
        ]
        #expect(transient.allSatisfy { $0.isTransient })
        #expect(!lasting.contains { $0.isTransient })
    }
}
