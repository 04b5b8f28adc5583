// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

/// Holds back requests to an origin whose connection is being made: it may turn out to carry them all (HTTP/2), and better
/// to wait for it than to open more.
///
/// libcurl can wait by itself (`CURLOPT_PIPEWAIT`), but in one queue for all origins, where requests to a silent one hold up
/// those to the others.
struct ConnectionGate {
    private struct Queue {
        /// The one that makes the connection.
        var leader: Exchange
        var held: ArraySlice<Exchange> = []
    }

    private var queues: [String: Queue] = [:]
    /// Origins whose connections carry one exchange at a time: nobody waits there.
    private var unshared: Set<String> = []
    private var released: [Exchange] = []

    private static let maximumUnshared = 4096

    var hasReleased: Bool { !released.isEmpty }

    private static func origin(of exchange: Exchange) -> String { exchange.request.head.authority ?? "" }

    func isOpen(to exchange: Exchange) -> Bool { unshared.contains(Self.origin(of: exchange)) }

    /// - Returns: whether the exchange goes on; else it is held.
    mutating func admits(_ exchange: Exchange) -> Bool {
        let origin = Self.origin(of: exchange)
        if queues[origin]?.held.append(exchange) != nil { return false }
        queues[origin] = Queue(leader: exchange)
        return true
    }

    /// The exchange has a connection: those behind it may use it, or make their own.
    mutating func connected(_ exchange: Exchange) {
        let origin = Self.origin(of: exchange)
        guard queues[origin]?.leader === exchange, let queue = queues.removeValue(forKey: origin) else { return }
        released += queue.held
    }

    /// A server has answered by HTTP/1, and will.
    mutating func open(to exchange: Exchange) {
        let origin = Self.origin(of: exchange)
        // Of a crawler's many origins few are seen again.
        if unshared.count == Self.maximumUnshared { unshared.removeAll() }
        unshared.insert(origin)
        if let queue = queues.removeValue(forKey: origin) { released += queue.held }
    }

    /// The exchange is over and never had a connection. When it was cancelled, the next one tries; when it failed, all do.
    mutating func left(_ exchange: Exchange, isCancelled: Bool) {
        let origin = Self.origin(of: exchange)
        guard let leader = queues[origin]?.leader else { return }
        if leader !== exchange {
            queues[origin]?.held.removeAll { $0 === exchange }
        } else if isCancelled, let next = queues[origin]?.held.popFirst() {
            queues[origin]?.leader = next
            released.append(next)
        } else if let queue = queues.removeValue(forKey: origin) {
            released += queue.held
        }
    }

    mutating func takeReleased() -> [Exchange] {
        defer { released = [] }
        return released
    }
}
