// SPDX-License-Identifier: Apache-2.0

/// What a loop knows of one origin, and those of its exchanges that wait.
///
/// Two things make an exchange wait:
///
/// - A connection is being made that may turn out to carry it, too (HTTP/2): better to use that than to open more.
/// - As many are under way as the origin may have connections.
///
/// libcurl can wait by itself (`CURLOPT_PIPEWAIT`, `CURLMOPT_MAX_HOST_CONNECTIONS`), but in one queue for all origins, where
/// requests to a silent one hold up those to the others: but for 8.14 and 8.15, it wakes one when another ends (curl #18056).
final class OriginQueue {
    /// Whether a connection carries many exchanges at a time, as the last answer told.
    private var carriesMany: Bool?
    /// The exchange whose connection others wait for.
    private var leader: Exchange?
    private let behindLeader = ExchangeList()
    /// How many are under way that may need a connection each.
    private var count = 0
    private let forPlace = ExchangeList()
    private let limit: Int
    private let released: ExchangeList

    /// - Parameters:
    ///   - limit: of connections; 0 for none.
    ///   - released: where those go that wait no longer.
    init(limit: Int, released: ExchangeList) {
        self.limit = limit
        self.released = released
    }

    /// Whether nothing is lost when it is forgotten, but whether connections can be shared.
    var isIdle: Bool { leader == nil && count == 0 }

    /// - Returns: whether the exchange goes on; else it waits.
    func admits(_ exchange: Exchange) -> Bool {
        // Old versions of libcurl do not say when there is a connection, and wait themselves.
        if exchange.plan.mayShareConnection, carriesMany != false, CurlVersion.current.hasPrerequest {
            guard leader == nil else {
                behindLeader.append(exchange)
                return false
            }
            leader = exchange
        }
        return hasPlace(for: exchange)
    }

    private func hasPlace(for exchange: Exchange) -> Bool {
        if limit == 0 || carriesMany == true && exchange.plan.mayShareConnection { return true }
        guard count < limit else {
            forPlace.append(exchange)
            return false
        }
        count += 1
        exchange.hasPlace = true
        return true
    }

    private func release(_ exchange: Exchange) {
        if hasPlace(for: exchange) { released.append(exchange) }
    }

    /// The exchange has a connection: those behind it may use it, or make their own.
    func connected(_ exchange: Exchange) {
        if leader === exchange { dismissLeader() }
    }

    private func dismissLeader() {
        leader = nil
        while let next = behindLeader.popFirst() { release(next) }
    }

    /// The exchange's answer has begun.
    func answered(_ exchange: Exchange, byHTTP1 isHTTP1: Bool) {
        guard exchange.plan.mayShareConnection, carriesMany != !isHTTP1 else { return }
        carriesMany = !isHTTP1
        if isHTTP1 { return dismissLeader() }
        forPlace.removeAll(where: \.plan.mayShareConnection) { released.append($0) }
    }

    /// The exchange is over, whether it had gone on or not.
    func left(_ exchange: Exchange, isCancelled: Bool) {
        exchange.list?.remove(exchange)
        if leader === exchange {
            // When it was cancelled, the next one tries; when it failed, all do.
            if isCancelled, let next = behindLeader.popFirst() {
                leader = next
                release(next)
            } else {
                dismissLeader()
            }
        }
        guard exchange.hasPlace else { return }
        exchange.hasPlace = false
        if let next = forPlace.popFirst() {
            next.hasPlace = true
            released.append(next)
        } else {
            count -= 1
        }
    }
}
