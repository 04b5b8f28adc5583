// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
package import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A transport whose calls are made, and whose bodies are read, with a preference for an executor.
package struct ExecutorTransport: NetworkTransport {
    package let base: any NetworkTransport
    private let executor: any TaskExecutor

    package init(_ base: any NetworkTransport, on executor: any TaskExecutor) {
        self.base = base
        self.executor = executor
    }

    package var capabilities: TransportCapabilities { base.capabilities }
    package var connectionEvents: ConnectionEvents? { base.connectionEvents }

    package func send(_ request: TransportRequest) async throws -> TransportResponse {
        var response = try await withTaskExecutorPreference(executor) { try await base.send(request) }
        // What is there already need not be read.
        if !response.body.isWhole {
            response.body = response.body.mapSource(length: response.body.length) {
                Source(base: $0, executor: executor)
            }
        }
        return response
    }

    package func shutdown() async { await withTaskExecutorPreference(executor) { await base.shutdown() } }
    package func drain(within limit: Duration) async {
        await withTaskExecutorPreference(executor) { await base.drain(within: limit) }
    }

    private final class Source: BodySource {
        private let base: any BodySource
        private let executor: any TaskExecutor

        init(base: any BodySource, executor: any TaskExecutor) {
            self.base = base
            self.executor = executor
        }

        func next() async throws -> Data? {
            try await withTaskExecutorPreference(executor) { try await base.next() }
        }

        var trailers: HTTPFields? { base.trailers }

        func cancel() { base.cancel() }
    }
}
