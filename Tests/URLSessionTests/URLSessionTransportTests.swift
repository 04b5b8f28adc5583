// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import Testing

@testable import StrataURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct URLSessionTransportTests {
    @Test func doesNotClaimWhatItCannotDo() {
        let features = URLSessionTransport().capabilities.features
        #expect(
            features.isSuperset(of: [.streamingResponse, .streamingUpload, .challengesDelivered, .contentDecoding]))
        #expect(features.isDisjoint(with: [.bodyOnAnyMethod, .exactFields, .httpVersionChoice, .connectTimeout]))
    }

    @Test func refusesToWorkAfterItsShutdown() async throws {
        let transport = URLSessionTransport()
        await transport.shutdown()
        await transport.shutdown()
        let error = await #expect(throws: NetworkClientError.self) {
            try await transport.send(try TransportRequest(url: "http://127.0.0.1:9/"))
        }
        #expect(error?.code == .transportShutDown)
    }

    @Test func aCancelledTaskSendsNothing() async throws {
        let transport = URLSessionTransport()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await transport.send(try TransportRequest(url: "http://127.0.0.1:9/"))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        await transport.shutdown()
    }

    @Test func trustIsAskedOfTheGivenSessionsDelegateOnItsQueue() throws {
        final class Delegate: NSObject, URLSessionDelegate, Sendable {}
        let (delegate, queue) = (Delegate(), OperationQueue())
        let session = URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: queue)
        let trust = try #require(SessionTrust(session))
        #expect(trust.delegate === delegate)
        #expect(trust.queue === queue)
        #expect(SessionTrust(URLSession(configuration: .ephemeral)) == nil)
        session.invalidateAndCancel()
    }

    @Test func leavesTheGivenConfigurationAlone() {
        let configuration = URLSessionConfiguration.default
        configuration.timeoutIntervalForRequest = 17
        configuration.httpShouldSetCookies = true
        _ = URLSessionTransport(configuration: configuration)
        #expect(configuration.timeoutIntervalForRequest == 17)
        #expect(configuration.httpShouldSetCookies)
    }
}
