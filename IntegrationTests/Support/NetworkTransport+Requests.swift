// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataTesting

/// Requests without the client around them, so that nothing but the transport is tested.
extension NetworkTransport {
    func send(
        _ method: HTTPRequest.Method = .get, _ url: String, _ fields: HTTPFields = [:], body: RequestBody = .empty,
        timeouts: Timeouts = .patient, configure: (inout RequestOptions) -> Void = { _ in }
    ) async throws -> TransportResponse {
        var options = RequestOptions()
        options.timeouts = timeouts
        configure(&options)
        return try await send(
            TransportRequest(method: method, url: url, headerFields: fields, body: body, options: options))
    }

    func text(
        _ method: HTTPRequest.Method = .get, _ url: String, _ fields: HTTPFields = [:], body: RequestBody = .empty,
        timeouts: Timeouts = .patient
    ) async throws -> String {
        let response = try await send(method, url, fields, body: body, timeouts: timeouts)
        return String(decoding: try await response.body.collect(), as: UTF8.self)
    }

    /// What comes from a server that takes these steps when it has read the request.
    func exchange(
        _ method: HTTPRequest.Method, _ steps: [RawScript.Step]
    ) async throws -> (head: HTTPResponse, body: String) {
        try await RawServer.withServer(script: RawScript([.readRequest] + steps)) { server in
            let response = try await send(method, server.url)
            return (response.head, String(decoding: try await response.body.collect(), as: UTF8.self))
        }
    }

    /// Calls `body` with this transport, and shuts it down.
    func thenShutDown<Result>(_ body: (Self) async throws -> Result) async throws -> Result {
        do {
            let result = try await body(self)
            await shutdown()
            return result
        } catch {
            await shutdown()
            throw error
        }
    }
}

extension Timeouts {
    /// Only a call that hangs runs into these.
    static let patient = Timeouts(connect: .seconds(60), idle: .seconds(60))
}

extension Error {
    /// The stage of a client error; `nil` for others.
    var stage: NetworkClientError.Code? { (self as? NetworkClientError)?.code }
}
