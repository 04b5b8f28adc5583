// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataAPI
import StrataCore
import StrataTesting
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

    private let configuration: NetworkConfiguration
    private let requests: Mutex<[WireRequest]>
    private let reply = Mutex(Reply())

    /// A transport from a script.
    package static func scripted() -> Lab { Lab(ScriptedTransport(), baseURL: "https://www.example.com", reads: nil) }

    /// A transport that reaches an echo server, whose report of the request is read before the answer is replaced.
    package static func echoing(_ transport: any NetworkTransport, baseURL: String) -> Lab {
        Lab(transport, baseURL: baseURL + "/echo", reads: "/echo")
    }

    private init(_ transport: any NetworkTransport, baseURL: String, reads prefix: String?) {
        configuration = NetworkConfiguration(baseURL: URL(string: baseURL), transport: transport)
        requests = Mutex([])
        self.prefix = prefix
    }

    private let prefix: String?

    /// A provider for a call that gets this answer.
    package func provider(_ reply: Reply) -> Provider {
        self.reply.withLock { $0 = reply }
        var configuration = configuration
        configuration.middleware = [Probe(lab: self)]
        return Provider(NetworkClient(configuration: configuration))
    }

    /// The last request.
    package var request: WireRequest {
        get throws {
            guard let last = requests.withLock(\.last) else { throw Missing() }
            return last
        }
    }

    struct Missing: Error {}

    /// Stands right before the transport.
    private struct Probe: NetworkMiddleware {
        let lab: Lab

        func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
            var copy = request
            // Read before it is sent: a body from a file may be read twice.
            let body = try await request.body.collected()
            if !request.body.isReplayable { copy.body = .data(body) }
            let response = try await next(copy)
            let seen: WireRequest
            if let prefix = lab.prefix, request.head.method != .head {
                seen = try Self.seen(try await response.body.collect(), prefix: prefix)
            } else {
                let fields = request.head.headerFields.map { (name: $0.name.rawName, value: $0.value) }
                let target = (request.head.path ?? "").dropFirst(lab.prefix?.count ?? 0)
                seen = WireRequest(
                    method: request.head.method.rawValue, target: String(target), fields: fields, body: body)
            }
            lab.requests.withLock { $0.append(seen) }
            return lab.reply.withLock(\.response)
        }

        private static func seen(_ report: Data, prefix: String) throws -> WireRequest {
            struct Report: Decodable {
                var method: String
                var target: String
                var headers: [[String]]
                var body_base64: Data
            }
            let report = try JSONDecoder().decode(Report.self, from: report)
            return WireRequest(
                method: report.method, target: String(report.target.dropFirst(prefix.count)),
                fields: report.headers.map { (name: $0[0], value: $0[1]) }, body: report.body_base64)
        }
    }
}

extension RequestBody {
    fileprivate func collected() async throws -> Data {
        if isEmpty { return Data() }
        var data = Data()
        let source = try makeSource()
        while let piece = try await source.next() { data.append(piece) }
        return data
    }
}
