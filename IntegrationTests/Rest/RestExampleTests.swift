// SPDX-License-Identifier: Apache-2.0

import Foundation
import RestExamples
import SeedSupport
import StrataCore
import Testing

/// The numbered examples of the property style, over every transport: what is checked is what the server received.
@Suite(.timeLimit(.minutes(2)))
struct RestExampleTests {
    @Test(arguments: RestExample.all, TestedTransport.allCases)
    func theExample(_ example: RestExample, over transport: TestedTransport) async throws {
        try await EchoTarget.withServer { server in
            try await transport.run { try await example.run(.echoing($0, at: server.authority)) }
        }
    }
}

extension RestWire {
    /// Asks an `EchoServer` what arrives there, and then for the answer.
    static func echoing(_ transport: any NetworkTransport, at authority: String) -> RestWire {
        let relay = EchoRelay(transport, to: authority)
        return RestWire(transport.capabilities) { request, answer in
            let echo = try JSONDecoder().decode(Echo.self, from: try await relay.send(request).body.collect())
            let path =
                switch answer {
                case .status(let code): "/status/\(code)"
                case .json(let text):
                    "/base64/"
                        + Data(text.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
                }
            let response = try await transport.send(TransportRequest(url: "http://\(authority)\(path)"))
            return (echo, response)
        }
    }
}
