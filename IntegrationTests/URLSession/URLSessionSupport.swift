// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataURLSession

/// A transport of the test's own, shut down afterwards.
func withURLSession<Result>(_ body: (URLSessionTransport) async throws -> Result) async throws -> Result {
    let transport = URLSessionTransport()
    do {
        let result = try await body(transport)
        await transport.shutdown()
        return result
    } catch {
        await transport.shutdown()
        throw error
    }
}

extension URLSessionTransport {
    /// A request without the client around it, so that nothing but the transport is tested.
    func send(
        _ method: HTTPRequest.Method = .get, _ url: String, _ fields: HTTPFields = [:], body: RequestBody = .empty,
        timeouts: Timeouts = Timeouts(connect: .seconds(10), idle: .seconds(10)),
        configure: (inout RequestOptions) -> Void = { _ in }
    ) async throws -> TransportResponse {
        var options = RequestOptions()
        options.timeouts = timeouts
        configure(&options)
        return try await send(
            TransportRequest(method: method, url: url, headerFields: fields, body: body, options: options))
    }

    func text(
        _ method: HTTPRequest.Method = .get, _ url: String, _ fields: HTTPFields = [:], body: RequestBody = .empty
    ) async throws -> String {
        let response = try await send(method, url, fields, body: body)
        return String(decoding: try await response.body.collect(), as: UTF8.self)
    }
}
