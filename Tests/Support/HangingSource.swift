// SPDX-License-Identifier: Apache-2.0

package import Foundation
import StrataCore
import Synchronization

/// A body that gives its pieces and then nothing more, until it or its reader is cancelled: a server that keeps silent.
package final class HangingSource: BodySource {
    private struct State {
        var pieces: [Data]
        var isCancelled = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let state: Mutex<State>
    private let onHang: @Sendable () -> Void

    /// - Parameter onHang: called when the reader begins to wait.
    package init(_ pieces: String..., onHang: @escaping @Sendable () -> Void = {}) {
        state = Mutex(State(pieces: pieces.map { Data($0.utf8) }))
        self.onHang = onHang
    }

    package var isCancelled: Bool { state.withLock(\.isCancelled) }

    package func next() async throws -> Data? {
        if let piece = state.withLock({ $0.pieces.isEmpty ? nil : $0.pieces.removeFirst() }) { return piece }
        onHang()
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let isCancelled = state.withLock { state in
                    if !state.isCancelled { state.waiter = waiter }
                    return state.isCancelled
                }
                if isCancelled { waiter.resume() }
            }
        } onCancel: {
            cancel()
        }
        throw CancellationError()
    }

    package func cancel() {
        let waiter = state.withLock { state in
            state.isCancelled = true
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }
}
