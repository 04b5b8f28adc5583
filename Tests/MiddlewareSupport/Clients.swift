// SPDX-License-Identifier: Apache-2.0

import Foundation
package import HTTPTypes
package import StrataCore
import StrataEncoding
import StrataTesting
import TestSupport
import Testing

/// A client over a script, whose errors and records are searched for secrets.
package func makeClient(
    _ transport: some NetworkTransport, _ middleware: any NetworkMiddleware...,
    clock: any NetworkClock = VirtualClock(),
    baseURL: String? = "https://api.example", configure: (inout NetworkConfiguration) -> Void = { _ in }
) -> NetworkClient {
    var configuration = NetworkConfiguration(
        baseURL: baseURL.flatMap { URL(string: $0) }, transport: transport, middleware: [LeakWatch()] + middleware)
    configuration.clock = clock
    configure(&configuration)
    return NetworkClient(configuration: configuration)
}

extension NetworkClient {
    /// One call, by the parts that most tests want to set.
    package func call(
        _ method: HTTPMethod = .get, _ path: String = "/", fields: HTTPFields = [:], body: RequestBody = .empty,
        options: (inout RequestOptions) -> Void = { _ in }
    ) async throws -> TransportResponse {
        var values = configuration.options
        options(&values)
        let url =
            path.hasPrefix("http") ? path : (configuration.baseURL?.absoluteString ?? "https://api.example") + path
        return try await execute(
            TransportRequest(method: method, url: url, headerFields: fields, body: body, options: values))
    }
}

/// Hands every error and record to the search for secrets.
private struct LeakWatch: NetworkMiddleware {
    let placement = MiddlewarePlacement(rules: [.outside(.redirects, because: "it looks at whole calls")])

    func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        do {
            let response = try await next(request)
            Leaks.check("\(response.exchange)", "a record")
            return response
        } catch {
            Leaks.check("\(error) \(String(reflecting: error))", "an error")
            if let record = request.call?.record { Leaks.check("\(record)", "a record") }
            throw error
        }
    }
}

/// A body that can be sent once.
package func oneShotBody(_ text: String = "once") -> RequestBody {
    .stream(
        from: AsyncStream<Data> { continuation in
            continuation.yield(Data(text.utf8))
            continuation.finish()
        })
}

package struct TestError: Error, Equatable {
    package var name = "test"

    package init(name: String = "test") { self.name = name }
}
