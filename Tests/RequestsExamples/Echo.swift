// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
package import StrataCore
package import StrataTesting

/// A request as it arrived at a server that answers with what it was asked.
package struct Echo: Codable, Hashable, Sendable {
    package var method: String
    /// Path and query, as they were sent.
    package var target: String
    private var headers: [[String]]
    private var bodyInBase64: String

    private enum CodingKeys: String, CodingKey {
        case method, target, headers
        case bodyInBase64 = "body_base64"
    }

    private static let prefix = "/echo"

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        method = try container.decode(String.self, forKey: .method)
        target = String(try container.decode(String.self, forKey: .target).dropFirst(Self.prefix.count))
        headers = try container.decode([[String]].self, forKey: .headers)
        bodyInBase64 = try container.decode(String.self, forKey: .bodyInBase64)
    }

    private init(_ request: RecordedRequest) {
        method = request.method.rawValue
        target = Self.prefix + request.target
        headers = request.head.headerFields.map { [$0.name.rawName, $0.value] }
        bodyInBase64 = request.body.base64EncodedString()
    }

    /// A field's value, by its name in any case; repeats joined by a comma.
    package subscript(_ name: String) -> String? {
        let values = headers.filter { $0.first?.lowercased() == name.lowercased() }.compactMap(\.last)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// The body as text.
    package var body: String {
        String(decoding: Data(base64Encoded: bodyInBase64) ?? Data(), as: UTF8.self)
    }

    /// A transport that answers as the server would, without a network.
    package static var transport: ScriptedTransport {
        ScriptedTransport { request in
            .json(String(decoding: try JSONEncoder().encode(Echo(request)), as: UTF8.self))
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
        request.head.path = "/echo" + (request.head.path ?? "/")
        return try await transport.send(request)
    }

    package func shutdown() async { await transport.shutdown() }
}
