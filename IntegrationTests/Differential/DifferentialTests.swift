// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataCurl
import StrataNative
import StrataURLSession
import Testing

/// Two transports side by side over the echo server's routes.
struct DifferentialTests {
    @Test func curlAndURLSessionAgree() async throws { try await agree(CurlTransport(), URLSessionTransport()) }
    @Test func nativeAndCurlAgree() async throws { try await agree(NativeTransport(), CurlTransport()) }

    private func agree(_ one: any NetworkTransport, _ other: any NetworkTransport) async throws {
        try await EchoTarget.withServer { server in
            for route in DifferentialRoute.all {
                let found = try await route.differences(between: one, and: other, at: server.url)
                #expect(found.isEmpty, "\(route.testDescription)")
            }
        }
        await one.shutdown()
        await other.shutdown()
        let names = [one, other].map(\.capabilities.name).joined(separator: " and ")
        print("\(DifferentialRoute.all.count) routes, \(names) side by side")
    }
}
