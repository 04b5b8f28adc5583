// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import StrataCore
package import StrataEncoding
package import StrataTesting

/// A request as it arrived at a server that answers with what it was asked: what `/echo` of an `EchoServer` reports.
package struct Echo: Codable, Sendable, CustomStringConvertible {
    fileprivate static let route = "/echo"

    package let method: String
    /// Path and query, as they were sent, without the route to the server's report.
    package let target: String
    private let headers: [[String]]
    package let body: Data

    private enum CodingKeys: String, CodingKey {
        case method, target, headers
        case body = "body_base64"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        method = try container.decode(String.self, forKey: .method)
        target = String(try container.decode(String.self, forKey: .target).trimmingPrefix(Self.route))
        headers = try container.decode([[String]].self, forKey: .headers)
        body = try container.decode(Data.self, forKey: .body)
    }

    package init(_ head: HTTPRequest, body: Data = Data()) {
        method = head.method.rawValue
        target = head.path ?? ""
        headers = head.headerFields.map { [$0.name.rawName, $0.value] }
        self.body = body
    }

    /// A field's value, by its name in any case; repeats joined by a comma.
    package subscript(_ name: String) -> String? {
        let values = headers.filter { $0.first?.lowercased() == name.lowercased() }.compactMap(\.last)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    package var text: String { String(decoding: body, as: UTF8.self) }

    package var json: JSONValue {
        get throws { try JSONValue(parsing: body) }
    }

    /// `GET /fruits?limit=10`
    package var description: String { "\(method) \(target)" }

    /// A transport that answers as the server would, without a network.
    package static var transport: ScriptedTransport {
        ScriptedTransport { request in
            let echo = Echo(request.head, body: request.body)
            return .json(String(decoding: try JSONEncoder().encode(echo), as: UTF8.self))
        }
    }
}

/// Carries requests for any host to the server of the tests.
package struct EchoRelay: NetworkTransport {
    private let transport: any NetworkTransport
    private let authority: String

    /// - Parameter authority: host and port of an `EchoServer`.
    package init(_ transport: any NetworkTransport, to authority: String) {
        self.transport = transport
        self.authority = authority
    }

    package var capabilities: TransportCapabilities { transport.capabilities }

    package func send(_ request: TransportRequest) async throws -> TransportResponse {
        var request = request
        request.head.scheme = "http"
        request.head.authority = authority
        request.head.path = Echo.route + (request.head.path ?? "/")
        return try await transport.send(request)
    }

    package func shutdown() async { await transport.shutdown() }
}
