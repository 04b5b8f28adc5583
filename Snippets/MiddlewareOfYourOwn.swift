// SPDX-License-Identifier: Apache-2.0

// A layer around each exchange: it changes the request, and looks at the response.
//
//     swift run MiddlewareOfYourOwn https://httpbin.org

import Strata

struct Stopwatch: NetworkMiddleware {
    func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        var request = request
        request.head.headerFields[.acceptLanguage] = "eo"
        let start = ContinuousClock.now
        let response = try await next(request)
        print(response.head.status, "after", ContinuousClock.now - start)
        return response
    }
}

let client = NetworkClient(
    baseURL: CommandLine.arguments.dropFirst().first ?? "https://httpbin.org",
    middleware: [RetryMiddleware(), Stopwatch()])
print(client.pipelineReport)
let text: String = try await client.get("headers")
print(text)
