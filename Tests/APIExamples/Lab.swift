// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import SeedSupport
import StrataAPI
import StrataCore
import Synchronization

/// Where an example runs: a transport, real or scripted, that answers as told and shows what was sent.
package final class Lab: Sendable {
    /// What is answered to a request.
    package struct Reply: Sendable {
        package var status = 200
        package var fields: HTTPFields = [:]
        package var body = Data()

        package static func json(_ text: String, status: Int = 200) -> Reply {
            Reply(status: status, fields: [.contentType: "application/json"], body: Data(text.utf8))
        }

        package static func events(_ text: String) -> Reply {
            Reply(fields: [.contentType: "text/event-stream"], body: Data(text.utf8))
        }

        package static func status(_ code: Int, fields: HTTPFields = [:]) -> Reply {
            Reply(status: code, fields: fields)
        }

        var response: TransportResponse {
            TransportResponse(
                head: HTTPResponse(status: .init(code: status), headerFields: fields), body: ResponseBody(body))
        }
    }

    private let transport: any NetworkTransport
    private let last = Mutex<Echo?>(nil)
    private let reply = Mutex(Reply())

    /// Without a network.
    package static func scripted() -> Lab { Lab(Echo.transport) }

    /// Over a transport, to an `EchoServer`.
    package static func echoing(_ transport: any NetworkTransport, at authority: String) -> Lab {
        Lab(EchoRelay(transport, to: authority))
    }

    /// - Parameter transport: its answers report the request. They are read, and replaced by those of the example.
    private init(_ transport: any NetworkTransport) {
        self.transport = transport
    }

    /// A provider for a call that gets this answer.
    package func provider(_ reply: Reply) -> Provider {
        self.reply.withLock { $0 = reply }
        return Provider(baseURL: "https://www.example.com", transport: transport, middleware: [Probe(lab: self)])
    }

    /// The last request.
    package var request: Echo {
        get throws {
            guard let last = last.withLock({ $0 }) else { throw Missing() }
            return last
        }
    }

    struct Missing: Error {}

    /// Stands right before the transport.
    private struct Probe: NetworkMiddleware {
        let lab: Lab

        func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
            let response = try await next(request)
            let seen =
                if request.head.method == .head {
                    // No report comes back.
                    Echo(request.head)
                } else {
                    try JSONDecoder().decode(Echo.self, from: try await response.body.collect())
                }
            lab.last.withLock { $0 = seen }
            return lab.reply.withLock(\.response)
        }
    }
}
