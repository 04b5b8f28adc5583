// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What is remembered of a body that passes: its size and its start.
final class BodySample: Sendable {
    private struct State {
        var count: Int64 = 0
        var start = Data()
    }

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: how many bytes are kept.
    init(limit: Int) {
        self.limit = max(limit, 0)
    }

    func add(_ piece: Data) {
        state.withLock { state in
            state.count += Int64(piece.count)
            if state.start.count < limit { state.start.append(piece.prefix(limit - state.start.count)) }
        }
    }

    /// Forgets what has passed: the body comes again.
    func reset() {
        state.withLock { $0 = State() }
    }

    var count: Int64 { state.withLock(\.count) }
    var start: Data { state.withLock(\.start) }
}
