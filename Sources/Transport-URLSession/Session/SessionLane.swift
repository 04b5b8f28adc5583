// SPDX-License-Identifier: Apache-2.0

import Dispatch
import StrataCore
import Synchronization

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

/// One long-lived `URLSession` and the transfers in it.
///
/// On Linux, creating, resuming and cancelling a task waits for the session's own queue. So these are done on
/// ``control``, never in a delegate callback and never on a thread of Swift's pool.
final class SessionLane: Sendable {
    private let session: Mutex<URLSession?>
    private let delegate: SessionDelegate
    private let control = DispatchQueue(label: "strata.urlsession.control")

    /// - Parameter trust: is asked about the server's trust and client certificates, where the platform asks.
    init(configuration: URLSessionConfiguration, trust: SessionTrust?) {
        delegate = SessionDelegate(trust: trust)
        Platform.prepareProcess()
        session = Mutex(
            URLSession(configuration: configuration, delegate: delegate, delegateQueue: Platform.delegateQueue()))
    }

    /// Starts a transfer.
    ///
    /// - Parameters:
    ///   - transfer: by which the exchange controls it.
    ///   - socket: the WebSocket that the request is to open.
    ///   - done: called once, when the session has nothing to do with it any more.
    func start(
        _ request: URLRequest, transfer: Transfer, exchange: URLExchange, socket: SessionSocket?,
        done: @escaping @Sendable () -> Void
    ) {
        let request = HandedOver(value: request)
        control.async { [self] in
            guard !exchange.hasEnded, let session = session.withLock({ $0 }) else { return done() }
            let task = socket?.begin(request.value, in: session) ?? session.dataTask(with: request.value)
            transfer.attach(task)
            delegate.register(exchange, socket, task: task) {
                transfer.end()
                done()
            }
            task.resume()
        }
    }

    /// Runs `body` after everything that was asked for before.
    func onControlQueue(_ body: @escaping @Sendable () -> Void) {
        control.async(execute: body)
    }

    /// Closes the session and its connections. Only called when no transfer is left: a session that is torn down with
    /// transfers in flight can take the process with it on Linux.
    func invalidate() async {
        await withCheckedContinuation { continuation in
            delegate.onInvalidation { continuation.resume() }
            close()
        }
    }

    /// Closes the session and does not wait.
    func close() {
        control.async { [self] in
            session.withLock { session in
                session?.finishTasksAndInvalidate()
                session = nil
            }
        }
    }
}
