// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

/// Asks the delegate of the session that the transport was made from about TLS, on the delegate's own queue.
struct SessionTrust: @unchecked Sendable {
    // Unchecked because a delegate need not be Sendable; it is called on its own queue alone.
    let delegate: any URLSessionDelegate
    let queue: OperationQueue

    /// `nil` for a session without a delegate.
    init?(_ session: URLSession) {
        guard let delegate = session.delegate else { return nil }
        self.delegate = delegate
        queue = session.delegateQueue
    }
}
