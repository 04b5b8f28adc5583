// SPDX-License-Identifier: Apache-2.0

import StrataCore

extension TransportRule {
    static let lifetime: [TransportRule] = [
        TransportRule("a call after shutdown fails clearly", source: "contract") { bench in
            try await RawServer.withServer(script: alive) { server in
                _ = try await bench.exchange(with: server)
                await bench.transport.shutdown()
                try bench.expect(try await bench.failure(with: server).code, is: .transportShutDown, "the code")
            }
        },
        TransportRule("shutdown ends calls under way", source: "contract") { bench in
            try await RawServer.withServer(script: [.readRequest, .readToEnd]) { server in
                let call = Task(executorPreference: ThreadExecutor.shared) { try await bench.exchange(with: server) }
                try await server.wait { !$0.requests.isEmpty }
                await bench.transport.shutdown()
                guard case .failure(let error) = await call.result else {
                    throw RuleViolation("the call succeeded")
                }
                let code = (error as? NetworkClientError)?.code
                try bench.expect(code == .transportShutDown || error is CancellationError, "it ended with \(error)")
                try await server.wait { $0.isClosedByPeer }
            }
        },
        TransportRule("a drain lets calls under way end, and nothing new begin", source: "contract") { bench in
            let slow: RawScript = [
                .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nha"), .wait(.milliseconds(300)),
                .send("lf"),
                .close,
            ]
            try await RawServer.withServer(script: slow) { server in
                let call = Task(executorPreference: ThreadExecutor.shared) { try await bench.exchange(with: server) }
                try await server.wait { !$0.requests.isEmpty }
                let drain = Task(executorPreference: ThreadExecutor.shared) {
                    await bench.transport.drain(within: .seconds(60))
                }
                try await RawServer.withServer(script: alive) { other in
                    // Until the drain has begun.
                    var refusal: NetworkClientError?
                    while refusal == nil {
                        do { _ = try await bench.exchange(with: other) } catch let error as NetworkClientError {
                            refusal = error
                        }
                    }
                    try bench.expect(refusal?.code, is: .transportShutDown, "the code of a new call")
                }
                try bench.expect(try await call.value.text, is: "half", "the body")
                await drain.value
            }
        },
        TransportRule("a drain ends what does not end in time", source: "contract") { bench in
            try await RawServer.withServer(script: [.readRequest, .readToEnd]) { server in
                let call = Task(executorPreference: ThreadExecutor.shared) { try await bench.exchange(with: server) }
                try await server.wait { !$0.requests.isEmpty }
                await bench.transport.drain(within: .zero)
                guard case .failure(let error) = await call.result else { throw RuleViolation("the call succeeded") }
                let code = (error as? NetworkClientError)?.code
                try bench.expect(code == .transportShutDown || error is CancellationError, "it ended with \(error)")
            }
        },
        TransportRule("shutdown twice is shutdown once", source: "contract") { bench in
            await bench.transport.shutdown()
            await bench.transport.shutdown()
        },
    ]
}
