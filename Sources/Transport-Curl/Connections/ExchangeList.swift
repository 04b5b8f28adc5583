// SPDX-License-Identifier: Apache-2.0

/// Exchanges in the order in which they came. Each is in one list at most, and is taken out of it in the same time wherever
/// it stands.
final class ExchangeList {
    private var first: Exchange?
    private var last: Exchange?

    var isEmpty: Bool { first == nil }

    func append(_ exchange: Exchange) {
        exchange.list = self
        exchange.previous = last
        if let last { last.next = exchange } else { first = exchange }
        last = exchange
    }

    func popFirst() -> Exchange? {
        guard let first else { return nil }
        remove(first)
        return first
    }

    func remove(_ exchange: Exchange) {
        if let previous = exchange.previous { previous.next = exchange.next } else { first = exchange.next }
        if let next = exchange.next { next.previous = exchange.previous } else { last = exchange.previous }
        (exchange.list, exchange.previous, exchange.next) = (nil, nil, nil)
    }

    /// Takes out those that fit, the oldest first.
    func removeAll(where fits: (Exchange) -> Bool, _ use: (Exchange) -> Void) {
        var current = first
        while let exchange = current {
            current = exchange.next
            guard fits(exchange) else { continue }
            remove(exchange)
            use(exchange)
        }
    }
}
