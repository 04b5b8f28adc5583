// SPDX-License-Identifier: Apache-2.0

/// What a loop knows of one origin, and the exchanges with it that wait.
///
/// Two things make an exchange wait:
///
/// - A connection is being made that may carry it too, if it turns out to be HTTP/2. To wait for that is better than to
///   open more connections.
/// - As many exchanges are under way as the origin may have connections.
///
/// libcurl can wait by itself (`CURLOPT_PIPEWAIT`, `CURLMOPT_MAX_HOST_CONNECTIONS`), but has one queue for all origins
/// and, except in 8.14 and 8.15, wakes one transfer when another ends (curl #18056). Requests to a silent origin then
/// hold up those to the others.
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

    /// Whether it may be forgotten: nothing is lost then but the knowledge whether connections can be shared.
    var isIdle: Bool { leader == nil && count == 0 }

    /// - Returns: whether the exchange goes on; else it waits.
    func admits(_ exchange: Exchange) -> Bool {
        if exchange.plan.mayShareConnection, carriesMany != false {
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
            // When it was cancelled, the next exchange makes the connection. When it failed, all go on, each by itself.
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
