// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

/// The queues of the origins that a loop talks to.
struct Origins {
    private struct Key: Hashable {
        let isSecure: Bool
        /// As it is written.
        let authority: String
    }

    private let limit: Int
    private var queues: [Key: OriginQueue] = [:]
    private let released = ExchangeList()
    /// When there are this many, the idle ones are forgotten. A program that visits many origins, such as a crawler,
    /// sees few of them again.
    private var capacity = Self.kept

    private static let kept = 4096

    /// - Parameter limit: of connections to each; 0 for none.
    init(limit: Int) { self.limit = limit }

    var hasReleased: Bool { !released.isEmpty }

    /// An exchange that waits no longer.
    func nextReleased() -> Exchange? { released.popFirst() }

    /// - Returns: whether the exchange goes on; else it waits in the queue of its origin.
    mutating func admits(_ exchange: Exchange) -> Bool {
        guard limit > 0 || exchange.plan.mayShareConnection else { return true }
        let queue = queue(for: exchange)
        exchange.queue = queue
        return queue.admits(exchange)
    }

    private mutating func queue(for exchange: Exchange) -> OriginQueue {
        let head = exchange.request.head
        let key = Key(isSecure: head.scheme == "https", authority: head.authority ?? "")
        if let queue = queues[key] { return queue }
        if queues.count >= capacity {
            queues = queues.filter { !$0.value.isIdle }
            capacity = max(Self.kept, 2 * queues.count)
        }
        let queue = OriginQueue(limit: limit, released: released)
        queues[key] = queue
        return queue
    }
}
