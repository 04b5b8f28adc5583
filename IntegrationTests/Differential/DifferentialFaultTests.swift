// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataCurl
import StrataNative
import StrataTesting
import StrataURLSession
import Testing

/// Two transports side by side, over a server that does no good: they fail at the same stage.
struct DifferentialFaultTests {
    struct Fault: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let script: RawScript

        init(_ name: String, _ script: RawScript) {
            testDescription = name
            self.script = script
        }
    }

    private static let faults = [
        Fault("a whole answer", [.readRequest, .respond(body: "hello"), .close]),
        Fault("nothing", [.readRequest, .close]),
        Fault("no HTTP", [.readRequest, .send("SSH-2.0-OpenSSH_9.2\r\n"), .close]),
        Fault("a short body", [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123"), .close]),
        Fault(
            "a short chunked body",
            [.readRequest, .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n0123\r\n"), .close]),
        Fault("a body up to the end", [.readRequest, .send("HTTP/1.0 200 OK\r\n\r\nhello"), .close]),
        Fault(
            "repeats",
            [.readRequest, .send("HTTP/1.1 200 OK\r\nVary: a\r\nVary: b\r\nContent-Length: 0\r\n\r\n"), .close]),
        Fault(
            "cookies",
            [
                .readRequest,
                .send("HTTP/1.1 200 OK\r\nSet-Cookie: a=1; Path=/\r\nSet-Cookie: b=2\r\nContent-Length: 0\r\n\r\n"),
                .close,
            ]),
    ]

    @Test(arguments: faults) func curlAndURLSessionFailAtTheSameStage(_ fault: Fault) async throws {
        try await failAtTheSameStage(fault, CurlTransport(), URLSessionTransport())
    }

    @Test(arguments: faults) func nativeAndCurlFailAtTheSameStage(_ fault: Fault) async throws {
        try await failAtTheSameStage(fault, NativeTransport(), CurlTransport())
    }

    private func failAtTheSameStage(
        _ fault: Fault, _ one: any NetworkTransport, _ other: any NetworkTransport
    ) async throws {
        let transport = DifferentialTransport(one, other)
        try await RawServer.withServer(script: fault.script) { server in
            let request = try TransportRequest(url: server.url + "/")
            if let response = try? await transport.send(request) { _ = try? await response.body.collect() }
            #expect(server.log.requests.count >= 2)
        }
        #expect(transport.differences.isEmpty)
        await transport.shutdown()
    }

    @Test func saysWhatTheyDisagreeIn() async throws {
        let scripts: [RawScript] = [
            [.readRequest, .respond(body: "one"), .close], [.readRequest, .respond(404, body: "two"), .close],
        ]
        let server = try RawServer.start(scripts: scripts)
        defer { server.stop() }
        let transport = DifferentialTransport(CurlTransport(), URLSessionTransport())
        let response = try await transport.send(TransportRequest(url: server.url + "/"))
        #expect(try await response.body.collect() == Data("one".utf8))
        #expect(transport.differences.map(\.aspect) == [.status, .body])
        await transport.shutdown()
    }
}
