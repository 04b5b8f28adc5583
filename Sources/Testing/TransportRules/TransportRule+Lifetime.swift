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
        TransportRule("shutdown twice is shutdown once", source: "contract") { bench in
            await bench.transport.shutdown()
            await bench.transport.shutdown()
        },
    ]
}
