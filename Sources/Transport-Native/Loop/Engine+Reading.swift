// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import StrataTransportSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What comes in.
extension Engine {
    /// How often one connection is read from in a batch, as long as there is time.
    static let reads = 4
    /// Content of which at least so much is to come is read straight to where it belongs.
    private static let directRead: Int64 = 8 * 1024

    /// Something has happened to a connection's socket.
    func connectionIsReady(_ connection: Connection, _ happened: Happened) {
        if happened.contains(.output) { flush(connection) }
        guard !connection.isClosed, !happened.isDisjoint(with: [.input, .failure]) else { return }
        receive(connection)
        // TLS may have waited for something to read before it could write.
        if !connection.isClosed, !connection.output.isEmpty, !connection.interest.contains(.output) {
            flush(connection)
        }
    }

    /// Reads what has come on a connection, for its exchange.
    func receive(_ connection: Connection) {
        if let session = connection.session { return receive(connection, session) }
        guard let exchange = connection.exchange else {
            // Nobody has asked for it, be it the end (RFC 9112 §9.2).
            if !isQuiet(connection) { close(connection, .peer) }
            return
        }
        if exchange.isPaused { return hold(connection) }
        for _ in 0..<Self.reads {
            guard read(connection, exchange), exchange.phase == .active, !exchange.isPaused, !isShareUsed else { break }
        }
        guard exchange.phase == .active else { return }
        if connection.hasPendingInput, !exchange.isPaused { leave(.read(connection)) }
        deliver(exchange)
    }

    /// The reader has enough: the queue does not tell of the socket any more. One that has failed would be told of all the same.
    func hold(_ connection: Connection) {
        if connection.interest.contains(.input) {
            stopWaiting(for: .input, on: connection)
        } else if connection.interest.isEmpty {
            stopWaitingForAnything(on: connection)
        }
    }

    /// - Returns: whether there may be more.
    private func read(_ connection: Connection, _ exchange: Exchange) -> Bool {
        if exchange.isSwitched { return read(switched: exchange, connection) }
        let left = connection.reader.contentLeft
        let result: IOResult
        let room: Int
        if left >= Self.directRead {
            (result, room) = exchange.buffer.fill(
                atMost: Int(clamping: left), { connection.read(into: $0) }, count: { $0.count })
        } else {
            room = connection.readSize.bytes
            result = connection.read(into: UnsafeMutableRawBufferPointer(rebasing: input[..<room]))
        }
        switch result {
        case .bytes(let count):
            connection.mayHaveInput = count == room || connection.hasPendingInput
            exchange.lastActivity = now
            if left >= Self.directRead {
                connection.reader.consumed(count)
                exchange.received += Int64(count)
                pauseIfFull(exchange)
                if connection.reader.phase == .complete {
                    take(UnsafeRawBufferPointer(start: nil, count: 0), connection, exchange)
                }
            } else {
                if exchange.times.firstByte == nil { exchange.times.firstByte = now }
                workThrough(count, of: connection) {
                    take(UnsafeRawBufferPointer(rebasing: input[..<count]), connection, exchange)
                }
            }
            return connection.mayHaveInput
        case .wantsRead:
            if let failure = connection.sendFailure { inputEnded(connection, exchange, failure) }
            return false
        case .wantsWrite:
            wait(for: .output, on: connection)
            return false
        case .end: inputEnded(connection, exchange, nil)
        case .cutOff(let error):
            // Some old servers end TLS by closing the connection beneath it.
            let peer =
                connection.pool.route.forwarder == nil ? settings.configuration.tls : settings.configuration.proxyTLS
            let isTolerated = error.cause is TLSError && !peer.requiresCloseNotify
            inputEnded(connection, exchange, isTolerated ? nil : error)
        case .failed(let error): inputFailed(connection, exchange, error)
        }
        return false
    }

    /// - Parameters:
    ///   - count: how many bytes have been read. With few of them the time is not taken.
    ///   - work: what is made of them.
    func workThrough(_ count: Int, of connection: Connection, _ work: () -> Void) {
        guard count >= ReadSize.least else { return work() }
        let start = MonotonicClock.now
        work()
        connection.readSize.adapt(took: MonotonicClock.now - start, share: settings.batchShare)
    }

    private func pauseIfFull(_ exchange: Exchange) {
        if exchange.buffer.count >= settings.highWaterMark { exchange.isPaused = true }
    }

    /// Hands what has been read to the reader, and acts on what that makes of it.
    private func take(_ bytes: UnsafeRawBufferPointer, _ connection: Connection, _ exchange: Exchange) {
        var rest = bytes
        do throws(NetworkClientError) {
            while true {
                let step = try connection.reader.read(rest)
                let piece = rest
                rest = UnsafeRawBufferPointer(rebasing: rest[step.consumed...])
                switch step.event {
                case .needsMore:
                    // It takes all that is a part of the answer.
                    if !rest.isEmpty { connection.isSpent = true }
                    return
                case .interim(let response): interimCame(response, exchange)
                case .head(let response, .switched):
                    exchange.head = response
                    return switchProtocols(exchange, rest: rest)
                case .head(let response, let length):
                    guard try headCame(response, length, connection, exchange) else { return }
                case .body(let range):
                    exchange.received += Int64(range.count)
                    exchange.buffer.append(
                        UnsafeRawBufferPointer(rebasing: piece[range]), expected: exchange.bodyLength)
                case .end(let trailers):
                    exchange.trailers = trailers.asTrailers
                    // What comes behind is no answer to anything (RFC 9112 §9.2).
                    if !rest.isEmpty { connection.isSpent = true }
                    return answered(exchange)
                }
                pauseIfFull(exchange)
            }
        } catch {
            end(exchange, error)
        }
    }

    func interimCame(_ response: HTTPResponse, _ exchange: Exchange) {
        if response.status == .continue { sendHeldBody(of: exchange) }
        if exchange.plan.onInterim != nil { exchange.interims.append(response) }
    }

    /// - Returns: whether the answer is for this exchange.
    private func headCame(
        _ response: HTTPResponse, _ length: ResponseReader.BodyLength, _ connection: Connection, _ exchange: Exchange
    ) throws(NetworkClientError) -> Bool {
        let head = connection.reader.head
        if head.code == 407, answersProxy(exchange, connection, response) {
            sendAgain(exchange, connection, closedFor: .client)
            return false
        }
        guard headCame(response, code: head.code, connection, exchange) else { return false }
        exchange.isContentEncoded = head.isContentEncoded
        switch length {
        case .none: exchange.bodyLength = 0
        case .exactly(let count): exchange.bodyLength = count
        case .chunked, .untilClose: break
        case .switched: break
        }
        connection.expiry = head.keepAlive.map { now.saturatingAdd(KeepAliveTime.usable(of: $0)) } ?? .max
        return true
    }

    /// A head has come, over whatever version.
    ///
    /// - Returns: whether the answer is for this exchange.
    func headCame(_ response: HTTPResponse, code: Int, _ connection: Connection, _ exchange: Exchange) -> Bool {
        if exchange.consentEnd != .max {
            exchange.consentEnd = .max
            // The server does not know the expectation (RFC 9110 §15.5.18).
            if code == 417, exchange.plan.resendsWithoutExpect {
                exchange.omitsExpect = true
                sendAgain(exchange, connection, closedFor: .client)
                return false
            }
            stopSending(exchange, connection)
        }
        exchange.head = response
        // The server does not want the body (RFC 9112 §9.5).
        if code >= 300, exchange.isSending { stopSending(exchange, connection) }
        return true
    }

    /// Whether a proxy that has refused the request will get it once more, with the credentials as it wants to see them.
    private func answersProxy(_ exchange: Exchange, _ connection: Connection, _ response: HTTPResponse) -> Bool {
        guard let login = connection.pool.route.forwarder?.login,
            exchange.plan.isReplayable || exchange.isBodyUntouched,
            exchange.proxyRefusals < ProxyLogin.maximumRefusals
        else { return false }
        exchange.proxyRefusals += 1
        return login.learn(from: response.headerFields, after: exchange.proxyAnswer)
    }

    // MARK: - The end of the connection

    /// The peer sends nothing more.
    ///
    /// - Parameter cutOff: why, when it has not said so.
    private func inputEnded(_ connection: Connection, _ exchange: Exchange, _ cutOff: NetworkClientError?) {
        connection.isSpent = true
        // The answer is whole: it was the rest of the request that was still under way.
        if exchange.isAnswered { return end(exchange, nil) }
        let failure = cutOff ?? connection.sendFailure
        do throws(NetworkClientError) {
            if connection.reader.phase == .untilClose, let failure { throw failure }
            try connection.reader.finish()
            take(UnsafeRawBufferPointer(start: nil, count: 0), connection, exchange)
        } catch {
            inputFailed(connection, exchange, cutOff ?? error)
        }
    }

    private func inputFailed(_ connection: Connection, _ exchange: Exchange, _ error: NetworkClientError) {
        if mayBeRepeated(exchange, connection) {
            sendAgain(exchange, connection, closedFor: .peer)
        } else {
            end(exchange, error)
        }
    }

    /// Whether the request may be sent once more: on a connection that was used before, which may have ended before the server saw it.
    private func mayBeRepeated(_ exchange: Exchange, _ connection: Connection) -> Bool {
        mayBeRepeated(exchange, isAtStart: connection.reader.isAtStart, hasSent: connection.hasSent)
    }

    func mayBeRepeated(_ exchange: Exchange, isAtStart: Bool, hasSent: Bool) -> Bool {
        guard exchange.times.isConnectionReused, isAtStart, !exchange.isRepeated,
            exchange.plan.isReplayable, exchange.interims.isEmpty
        else { return false }
        // Only where being acted on twice does no harm (RFC 9110 §9.2.2).
        return exchange.plan.isIdempotent || !hasSent
    }

    /// - Parameters:
    ///   - isUnprocessed: whether the server has certainly not acted on it, so that its connection may be all right.
    ///   - reason: why the connection is closed, if it is one for a single exchange.
    func sendAgain(
        _ exchange: Exchange, _ connection: Connection, isUnprocessed: Bool = false,
        closedFor reason: ConnectionEvent.Reason = .peer
    ) {
        if !exchange.isBodyUntouched {
            closeUpload(of: exchange)
            exchange.upload = nil
        }
        exchange.consentEnd = .max
        exchange.sent = 0
        if !isUnprocessed { (exchange.isRepeated, exchange.needsNewConnection) = (true, exchange.stream == nil) }
        exchange.times = Exchange.Times()
        exchange.phase = .waiting
        if let stream = exchange.stream.take() {
            leave(stream, of: exchange, nil)
        } else {
            exchange.connection = nil
            release(connection, closedFor: reason)
        }
        // The end of that connection may have ended more.
        guard exchange.phase == .waiting, let pool = exchange.pool else { return }
        place(exchange, in: pool)
        if exchange.phase != .over { note(exchange.slot, at: exchange.nextCheck(now: now)) }
    }
}
