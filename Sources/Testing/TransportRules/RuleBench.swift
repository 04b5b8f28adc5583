// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import StrataCore

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// What a rule works with: the transport, scripted servers, and ways to say what is wrong.
package struct RuleBench: Sendable {
    package let transport: any NetworkTransport

    /// A whole exchange as both ends saw it.
    package struct Exchange: Sendable {
        package let head: HTTPResponse
        package let body: Data
        package let metrics: TransportMetrics?
        package let trailers: HTTPFields
        /// What the server saw.
        package let log: RawLog

        /// The body as UTF-8 text.
        package var text: String { String(decoding: body, as: UTF8.self) }

        package func field(_ name: String) -> String? { HTTPField.Name(name).flatMap { head.headerFields[$0] } }
        package func fields(_ name: String) -> [String] {
            HTTPField.Name(name).map { head.headerFields[values: $0] } ?? []
        }
    }

    /// What is asked of the transport.
    package struct Ask: Sendable {
        package var method: HTTPMethod = .get
        package var path = "/"
        package var fields: HTTPFields = [:]
        package var body = RequestBody.empty
        package var options = RequestOptions()

        package init(
            _ method: HTTPMethod = .get, path: String = "/", fields: HTTPFields = [:],
            body: RequestBody = .empty,
            options: (inout RequestOptions) -> Void = { _ in }
        ) {
            self.method = method
            self.path = path
            self.fields = fields
            self.body = body
            self.options.timeouts = Timeouts(connect: .seconds(30), idle: .seconds(30), attempt: .seconds(60))
            options(&self.options)
        }
    }

    package func request(_ ask: Ask, to server: RawServer) throws -> TransportRequest {
        let authority = String(server.url.dropFirst("http://".count))
        return TransportRequest(
            head: HTTPRequest(
                method: ask.method, scheme: "http", authority: authority, path: ask.path, headerFields: ask.fields),
            body: ask.body, options: ask.options)
    }

    /// Asks a server, and reads the answer to its end.
    package func exchange(_ ask: Ask = Ask(), with server: RawServer) async throws -> Exchange {
        let response = try await transport.send(try request(ask, to: server))
        let body = try await response.body.collect()
        return Exchange(
            head: response.head, body: body, metrics: response.metrics, trailers: try await response.trailers,
            log: server.log)
    }

    /// Asks a server that plays `script` on each connection.
    package func exchange(_ ask: Ask = Ask(), script: RawScript) async throws -> Exchange {
        try await RawServer.withServer(script: script) { server in try await exchange(ask, with: server) }
    }

    /// The client error with which an exchange ends, on its head or in its body.
    package func failure(_ ask: Ask = Ask(), script: RawScript) async throws -> NetworkClientError {
        try await RawServer.withServer(script: script) { server in try await failure(ask, with: server) }
    }

    package func failure(_ ask: Ask = Ask(), with server: RawServer) async throws -> NetworkClientError {
        do {
            let exchange = try await exchange(ask, with: server)
            throw RuleViolation(
                "it passed for success, with status \(exchange.head.status.code) and \(exchange.body.count) bytes")
        } catch let error as NetworkClientError {
            return error
        } catch let violation as RuleViolation {
            throw violation
        } catch {
            throw RuleViolation("the error is no NetworkClientError: \(type(of: error))")
        }
    }

    package func expect(_ condition: Bool, _ complaint: @autoclosure () -> String) throws {
        if !condition { throw RuleViolation(complaint()) }
    }

    package func expect<Value: Equatable>(_ found: Value, is expected: Value, _ what: String) throws {
        if found != expected { throw RuleViolation("\(what) is \(found), not \(expected)") }
    }

    /// The only request that the server saw.
    package func theRequest(_ log: RawLog) throws -> RawLog.Request {
        guard let request = log.requests.first, log.requests.count == 1 else {
            throw RuleViolation("the server saw \(log.requests.count) requests")
        }
        return request
    }
}
