// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import MiddlewareSupport
import StrataCore
import StrataMiddleware
import StrataTesting
import TestSupport
import Testing

struct StatusValidationMiddlewareTests {
    @Test(arguments: [(200, true), (204, true), (301, false), (404, false), (503, false)])
    func judgesByThePolicy(status: Int, isAccepted: Bool) async throws {
        let client = makeClient(ScriptedTransport(.text("why", status: status)), StatusValidationMiddleware())
        if isAccepted {
            #expect(try await client.call().head.status.code == status)
        } else {
            await #expect {
                _ = try await client.call()
            } throws: { error in
                guard let error = error as? NetworkClientError else { return false }
                return error.code == .unacceptableStatus && error.response?.status.code == status
                    && error.body == Data("why".utf8) && error.exchange?.attempts.count == 1
            }
        }
    }

    @Test func takesCodesAndRanges() async throws {
        let transport = ScriptedTransport { .status(Int($0.path.dropFirst()) ?? 0) }
        let codes = makeClient(transport, StatusValidationMiddleware(codes: [200, 304]))
        #expect(try await codes.call(.get, "/304").head.status == .notModified)
        await #expect(throws: NetworkClientError.self) { _ = try await codes.call(.get, "/201") }
        for ranges in [
            StatusValidationMiddleware(ranges: 200...299, 404...404),
            StatusValidationMiddleware(ranges: 200..<300, 404..<405),
        ] {
            let client = makeClient(transport, ranges)
            #expect(try await client.call(.get, "/404").head.status == .notFound)
            await #expect(throws: NetworkClientError.self) { _ = try await client.call(.get, "/405") }
        }
    }

    @Test func whatItAcceptsIsSuccessForTheClientToo() async throws {
        let client = makeClient(ScriptedTransport(.status(304)), StatusValidationMiddleware(codes: [200, 304]))
        let response = try await client.run(NetworkRequest<VoidRequest, String?>(path: "/", method: .get))
        #expect(response.value == nil)
        #expect(response.response.status == .notModified)
    }

    @Test func itsVerdictStandsForAResponseThatALayerMakesAnew() async throws {
        let request = NetworkRequest<VoidRequest, String?>(path: "/", method: .get)
        let anew = InterceptorMiddleware { request, next in
            TransportResponse(head: try await next(request).head)
        }
        let client = makeClient(
            ScriptedTransport(.status(304)), anew, StatusValidationMiddleware(codes: [200, 304]), anew)
        #expect(try await client.run(request).response.status == .notModified)

        let other = InterceptorMiddleware { request, next in
            _ = try await next(request)
            return TransportResponse(head: HTTPResponse(status: .notFound))
        }
        let changing = makeClient(ScriptedTransport(.status(304)), other, StatusValidationMiddleware(codes: [304]))
        let error = await #expect(throws: NetworkClientError.self) { _ = try await changing.run(request) }
        #expect(error?.code == .unacceptableStatus, "which nobody has judged")
    }

    @Test func isCancelledWhileItReadsTheRefusedBody() async throws {
        let (hangs, continuation) = AsyncStream.makeStream(of: Void.self)
        let transport = ScriptedTransport(.source(status: 500) { HangingSource { continuation.yield() } })
        let client = makeClient(transport, StatusValidationMiddleware())
        let call = Task { _ = try await client.call() }
        for await _ in hangs { break }
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
    }

    @Test func leavesRedirectsToWhoFollowsThem() async throws {
        let transport = ScriptedTransport(.redirect(to: "/2"), .status(200))
        #expect(try await makeClient(transport, StatusValidationMiddleware()).call().head.status == .ok)
        let manual = makeClient(ScriptedTransport(.redirect(to: "/2")), StatusValidationMiddleware())
        await #expect(throws: NetworkClientError.self) { _ = try await manual.call { $0.redirects = .manual } }
        let nowhere = makeClient(ScriptedTransport(.redirect(to: " ")), StatusValidationMiddleware())
        await #expect(throws: NetworkClientError.self) { _ = try await nowhere.call() }
    }

    @Test func recordsTheCallWhoeverMakesTheResponse() async throws {
        let anew = InterceptorMiddleware { request, next in
            let response = try await next(request)
            return TransportResponse(head: response.head, body: response.body)
        }
        let client = makeClient(ScriptedTransport(.status(500)), StatusValidationMiddleware(), anew)
        let error = await #expect(throws: NetworkClientError.self) { _ = try await client.call() }
        #expect(error?.exchange?.attempts.count == 1)
    }
}
