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
        var held: [Exchange] = []
    }

    private var queues: [String: Queue] = [:]
    private var released: [Exchange] = []

    var hasReleased: Bool { !released.isEmpty }

    private static func origin(of exchange: Exchange) -> String { exchange.request.head.authority ?? "" }

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
        guard let queue = queues[origin], queue.leader === exchange else { return }
        queues[origin] = nil
        released += queue.held
    }

    /// The exchange is over and never had a connection: the next one tries.
    mutating func left(_ exchange: Exchange) {
        let origin = Self.origin(of: exchange)
        guard var queue = queues[origin] else { return }
        if queue.leader !== exchange {
            queue.held.removeAll { $0 === exchange }
        } else if queue.held.isEmpty {
            queues[origin] = nil
            return
        } else {
            queue.leader = queue.held.removeFirst()
            released.append(queue.leader)
        }
        queues[origin] = queue
    }

    mutating func takeReleased() -> [Exchange] {
        defer { released = [] }
        return released
    }
}
