// SPDX-License-Identifier: Apache-2.0

import Foundation
import RequestsExamples
import RestExamples
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
        RestWire(transport.capabilities) { request, answer in
            var asked = request
            asked.head.scheme = "http"
            asked.head.authority = authority
            asked.head.path = "/echo" + (request.head.path ?? "/")
            let record = try await transport.send(asked).body.collect()
            let echo = try JSONDecoder().decode(Echo.self, from: record)
            let path =
                switch answer {
                case .status(let code): "/status/\(code)"
                case .json(let text):
                    "/base64/"
                        + Data(text.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
                }
            let response = try await transport.send(TransportRequest(url: "http://\(authority)\(path)"))
            let arrived = ArrivedRequest(
                method: echo.method, target: echo.target, authorization: echo["Authorization"], accept: echo["Accept"],
                contentType: echo["Content-Type"], body: echo.body)
            return (arrived, response)
        }
    }
}
