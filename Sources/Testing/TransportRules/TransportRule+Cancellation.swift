// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension TransportRule {
    /// Begins a call, waits for the moment, and cancels. What is asked would take longer than a rule may.
    private static func cancelled(
        _ name: String, needs: TransportCapabilities.Features = [], _ script: RawScript,
        ask: RuleBench.Ask = RuleBench.Ask(),
        when moment: @escaping @Sendable (RawLog) -> Bool
    ) -> TransportRule {
        TransportRule("a cancel \(name) ends the call", source: "contract", needs: needs) { bench in
            let server = try RawServer.start(script: script)
            defer { server.stop() }
            let call = Task(executorPreference: ThreadExecutor.shared) { try await bench.exchange(ask, with: server) }
            try await server.wait(until: moment)
            // What the server has sent by now arrives.
            try await Task.sleep(for: .milliseconds(50))
            call.cancel()
            switch await call.result {
            case .failure(is CancellationError): break
            case .failure(let error): throw RuleViolation("it ended with \(error)")
            case .success: throw RuleViolation("it ended as if nothing had happened")
            }
            try await server.wait { $0.isClosedByPeer }
        }
    }

    private static let cancels: [TransportRule] = [
        TransportRule("a cancel before the start sends nothing", source: "contract") { bench in
            try await RawServer.withServer(script: alive) { server in
                let call = Task(executorPreference: ThreadExecutor.shared) {
                    withUnsafeCurrentTask { $0?.cancel() }
                    return try await bench.exchange(with: server)
                }
                guard case .failure(is CancellationError) = await call.result else {
                    throw RuleViolation("the cancelled call went on")
                }
                try bench.expect(server.log.requests.count, is: 0, "the number of requests")
            }
        },
        cancelled("before the head", [.readRequest, .readToEnd]) { !$0.requests.isEmpty },
        cancelled("in the body", [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .readToEnd])
        { !$0.requests.isEmpty },
        cancelled(
            "during the upload", needs: .concurrentUpload, [.readHead, .readToEnd],
            ask: RuleBench.Ask(.post, body: slowUpload)
        ) { !$0.requests.isEmpty },
        TransportRule("a cancel while connecting ends the call", source: "contract") { bench in
            let server = try RawServer.unresponsive()
            defer { server.stop() }
            let call = Task(executorPreference: ThreadExecutor.shared) { try await bench.exchange(with: server) }
            try await Task.sleep(for: .milliseconds(100))
            call.cancel()
            guard case .failure(is CancellationError) = await call.result else {
                throw RuleViolation("the call ended otherwise")
            }
        },
        TransportRule("a cancel after the end changes nothing", source: "contract") { bench in
            try await RawServer.withServer(script: alive) { server in
                let call = Task(executorPreference: ThreadExecutor.shared) { try await bench.exchange(with: server) }
                let first = try await call.value
                call.cancel()
                try bench.expect(first.text, is: "ok", "the body")
                try bench.expect(try await bench.exchange(with: server).text, is: "ok", "the next one")
            }
        },
    ]

    private static let drops: [TransportRule] =
        [
            ("goes on", RawScript.Step.repeat([.send([UInt8](repeating: 1, count: 65536))])), ("stalls", .readToEnd),
        ].flatMap { how, rest -> [TransportRule] in
            let script: RawScript = [
                .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\nhalf"), rest,
            ]
            return [
                TransportRule(
                    "dropping an unread body that \(how) closes its exchange", source: "contract",
                    needs: .streamingResponse
                ) { bench in
                    try await RawServer.withServer(script: script) { server in
                        do {
                            let response = try await bench.transport.send(try bench.request(.init(), to: server))
                            try bench.expect(response.head.status.code, is: 200, "the status")
                        }
                        try await server.wait { $0.isClosedByPeer }
                    }
                },
                TransportRule(
                    "leaving the loop over a body that \(how) closes its exchange", source: "contract",
                    needs: .streamingResponse
                ) { bench in
                    try await RawServer.withServer(script: script) { server in
                        let response = try await bench.transport.send(try bench.request(.init(), to: server))
                        for try await _ in response.body { break }
                        try await server.wait { $0.isClosedByPeer }
                    }
                },
            ]
        }

    static let cancellation: [TransportRule] = cancels + drops
}
