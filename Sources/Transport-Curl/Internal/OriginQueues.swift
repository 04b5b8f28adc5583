// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

/// Holds back requests to an origin that has as many under way as it may have connections.
///
/// libcurl keeps to the limit by itself, but lets all that wait do so in one queue, and before 8.14.0 wakes one of them
/// when another ends: those to a silent origin hold up one whose connection lies idle (curl #18056).
struct OriginQueues {
    private struct Queue {
        /// Those under way that may need a connection each. As many as allowed when any are held.
        var count = 0
        var held: ArraySlice<Exchange> = []
    }

    private let limit: Int
    private var queues: [Origin: Queue] = [:]
    /// Origins whose connections carry many (HTTP/2): how many more, libcurl knows.
    private var shared: Set<Origin> = []
    private var released: [Exchange] = []

    private static let maximumShared = 4096

    /// - Parameter limit: of connections to one origin; 0 for none.
    init(limit: Int) { self.limit = limit }

    var hasReleased: Bool { !released.isEmpty }

    /// - Returns: whether the exchange goes on; else it is held.
    mutating func admits(_ exchange: Exchange) -> Bool {
        guard limit > 0, let origin = exchange.request.origin else { return true }
        if shared.contains(origin), Self.mayShare(exchange) { return true }
        guard queues[origin, default: Queue()].count < limit else {
            queues[origin]?.held.append(exchange)
            return false
        }
        queues[origin, default: Queue()].count += 1
        exchange.isCounted = true
        return true
    }

    /// The exchange's origin has answered it by HTTP/2.
    mutating func share(_ exchange: Exchange) {
        guard limit > 0, Self.mayShare(exchange), let origin = exchange.request.origin, !shared.contains(origin) else {
            return
        }
        if shared.count == Self.maximumShared { shared.removeAll() }
        shared.insert(origin)
        guard let held = queues[origin]?.held else { return }
        released += held.filter(Self.mayShare)
        queues[origin]?.held.removeAll(where: Self.mayShare)
    }

    /// The exchange is over, whether it had gone on or not.
    mutating func left(_ exchange: Exchange) {
        guard limit > 0, let origin = exchange.request.origin else { return }
        if !exchange.isCounted {
            queues[origin]?.held.removeAll { $0 === exchange }
        } else if let next = queues[origin]?.held.popFirst() {
            next.isCounted = true
            released.append(next)
        } else {
            queues[origin]?.count -= 1
            if queues[origin]?.count == 0 { queues[origin] = nil }
        }
    }

    mutating func takeReleased() -> [Exchange] {
        defer { released = [] }
        return released
    }

    /// Whether the exchange may come over a connection that carries others at the same time.
    private static func mayShare(_ exchange: Exchange) -> Bool {
        exchange.request.head.scheme == "https"
            ? exchange.plan.version != .http1
            : exchange.plan.version == .http2PriorKnowledge && !CurlVersion.current.losesPriorKnowledgeOnReuse
    }
}
