// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCurl
import StrataURLSession
import Testing

/// libcurl and URLSession side by side over the echo server's routes.
struct DifferentialTests {
    @Test func curlAndURLSessionAgree() async throws {
        let (curl, urlSession) = (CurlTransport(), URLSessionTransport())
        try await EchoTarget.withServer { server in
            for route in DifferentialRoute.all {
                let found = try await route.differences(between: curl, and: urlSession, at: server.url)
                #expect(found.isEmpty, "\(route.testDescription)")
            }
        }
        await curl.shutdown()
        await urlSession.shutdown()
        print("\(DifferentialRoute.all.count) routes, libcurl and URLSession side by side")
    }
}
