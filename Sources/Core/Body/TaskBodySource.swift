// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Pulls each piece in a task of its own, which `cancel()` cancels: for a source whose `next()` notices nothing but the
/// cancellation of its task.
final class TaskBodySource: BodySource {
    private struct State {
        var reading: Task<Data?, any Error>?
        var isCancelled = false
    }

    private let source: any BodySource
    private let state = Mutex(State())

    init(_ source: any BodySource) { self.source = source }

    func next() async throws -> Data? {
        let reading = try state.withLock { state in
            if state.isCancelled { throw CancellationError() }
            let reading = Task { [source] in try await source.next() }
            state.reading = reading
            return reading
        }
        // Let go of the task: even when it has ended, it holds its piece.
        defer { state.withLock { $0.reading = nil } }
        return try await withTaskCancellationHandler {
            try await reading.value
        } onCancel: {
            reading.cancel()
        }
    }

    var trailers: HTTPFields? { source.trailers }

    func cancel() {
        source.cancel()
        let reading = state.withLock { state in
            state.isCancelled = true
            return state.reading
        }
        reading?.cancel()
    }
}
