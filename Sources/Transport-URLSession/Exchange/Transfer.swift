// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Synchronization

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

/// The backend's task of one exchange: before it begins, while it runs, and after it.
final class Transfer: TransferControl {
    private enum State {
        /// Its body is being prepared; `abandon` is called if it is cancelled meanwhile.
        case waiting(abandon: (@Sendable () -> Void)?)
        case begun(URLSessionTask?)
        case over
    }

    private let lane: SessionLane
    private let state = Mutex(State.waiting(abandon: nil))

    init(lane: SessionLane) { self.lane = lane }

    /// - Parameter abandon: called when the transfer is cancelled before it has begun. Set before anybody may cancel it.
    func onAbandon(_ abandon: @escaping @Sendable () -> Void) {
        state.withLock { $0 = .waiting(abandon: abandon) }
    }

    /// Whether the transfer may begin: not when it was cancelled before.
    func begin() -> Bool {
        state.withLock { state in
            guard case .waiting = state else { return false }
            state = .begun(nil)
            return true
        }
    }

    /// Called on the lane's control queue.
    func attach(_ task: URLSessionTask) {
        state.withLock { $0 = .begun(task) }
    }

    /// Lets go of the task, and with it of its session.
    func end() {
        state.withLock { $0 = .over }
    }

    func cancel() {
        let (isWaiting, abandon): (Bool, (@Sendable () -> Void)?) = state.withLock { state in
            guard case .waiting(let abandon) = state else { return (false, nil) }
            state = .over
            return (true, abandon)
        }
        if isWaiting { abandon?() } else { lane.onControlQueue { self.task?.cancel() } }
    }

    func applyFlow(_ flow: @escaping @Sendable () -> ReceivedBody.Flow) {
        lane.onControlQueue {
            switch flow() {
            case .unchanged: break
            case .hold: self.task?.suspend()
            case .go: self.task?.resume()
            }
        }
    }

    private var task: URLSessionTask? {
        state.withLock { if case .begun(let task) = $0 { task } else { nil } }
    }
}
