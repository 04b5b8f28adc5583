// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import StrataTransportSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What those get that wait, and how exchanges end.
extension Engine {
    /// How long a complete answer waits for a server that takes nothing more of the request, in nanoseconds.
    private static let patience: UInt64 = 1_000_000_000

    // MARK: - The answer and the request's body

    /// The answer is there in full.
    func answered(_ exchange: Exchange) {
        exchange.isAnswered = true
        if exchange.isSending, exchange.connection?.sendFailure == nil {
            letAnswerStand(exchange)
            note(exchange.slot, at: exchange.nextCheck(now: now))
        } else {
            end(exchange, nil)
        }
    }

    /// The server still takes something of the body, or may do so for a while.
    func letAnswerStand(_ exchange: Exchange) { exchange.answerStandsAt = now.saturatingAdd(Self.patience) }

    /// The server does not want the rest of the body. The connection carries nothing after this.
    func stopSending(_ exchange: Exchange, _ connection: Connection) {
        closeUpload(of: exchange)
        exchange.isCutShort = true
        if let stream = exchange.stream { return stream.output.removeAll() }
        connection.output.removeAll()
        stopWaiting(for: .output, on: connection)
    }

    /// All of the request has been sent.
    func finishIfDone(_ exchange: Exchange) {
        if exchange.isAnswered, exchange.phase == .active, !exchange.isSending { end(exchange, nil) }
    }

    // MARK: - Delivery

    /// Hands what has come to those that wait for it.
    func deliver(_ exchange: Exchange) {
        if !exchange.interims.isEmpty, let caller = exchange.takeCaller() {
            if exchange.head != nil { return answer(exchange, caller) }
            return resumptions.append(.answered(caller))
        }
        guard exchange.head != nil else { return }
        if let caller = exchange.takeCaller() { return answer(exchange, caller) }
        if exchange.isInputOver, exchange.buffer.isEmpty, let reader = exchange.takeReader() {
            return resumptions.append(.piece(reader, nil))
        }
        guard exchange.hasReader, let piece = exchange.buffer.popFirst(), let reader = exchange.takeReader() else {
            return
        }
        goOn(exchange, read: piece.count)
        resumptions.append(.piece(reader, piece))
    }

    private func answer(_ exchange: Exchange, _ caller: Waiter<Void>) {
        guard let head = exchange.head else { return }
        let body: ResponseBody
        if exchange.isSwitched {
            body = ResponseBody()
        } else if case .success? = exchange.end, exchange.buffer.isOnePiece {
            body = ResponseBody(exchange.buffer.popFirst() ?? Data(), trailers: exchange.trailers)
        } else {
            body = ResponseBody(length: exchange.bodyLength, source: BodyStream(exchange))
        }
        var response = TransportResponse(
            head: head, body: body, metrics: exchange.finalMetrics ?? exchange.metrics(now: now))
        if exchange.end == nil { response.finalMetrics = { exchange.loop.run { _ in exchange.finalMetrics } } }
        exchange.answer(response)
        resumptions.append(.answered(caller))
    }

    /// A caller that has seen the interim answers waits for more.
    func wait(_ exchange: Exchange, _ caller: Waiter<Void>) {
        if exchange.response != nil || !exchange.interims.isEmpty { return resumptions.append(.answered(caller)) }
        if exchange.head != nil { return answer(exchange, caller) }
        if case .failure(let error) = exchange.end { return resumptions.append(.failed(caller, error)) }
        exchange.wait(caller)
    }

    /// The next piece of a body, or its end, for who reads it; `nil` when there is nothing yet.
    func takePiece(of exchange: Exchange) -> Result<Data?, any Error>? {
        if let piece = exchange.buffer.popFirst() {
            goOn(exchange, read: piece.count)
            return .success(piece)
        }
        return exchange.end.map { end in end.map { nil } }
    }

    /// The reader of a body waits for its next piece, or has it at once.
    func read(_ exchange: Exchange, _ reader: Waiter<Data?>) {
        switch takePiece(of: exchange) {
        case .success(let piece): resumptions.append(.piece(reader, piece))
        case .failure(let error): resumptions.append(.pieceFailed(reader, error))
        case nil: exchange.wait(reader)
        }
    }

    /// The reader has made room: what comes is read again.
    private func goOn(_ exchange: Exchange, read count: Int) {
        if exchange.stream != nil { return noteRead(count, exchange) }
        guard exchange.isPaused, exchange.buffer.count <= settings.highWaterMark / 2 else { return }
        exchange.isPaused = false
        exchange.lastActivity = now
        guard exchange.phase == .active, let connection = exchange.connection else { return }
        wait(for: .input, on: connection)
        if connection.hasPendingInput { leave(.read(connection)) }
        note(exchange.slot, at: exchange.nextCheck(now: now))
    }

    /// Nobody wants the rest of a body.
    func dropBody(of exchange: Exchange) {
        guard exchange.phase == .over else { return cancel(exchange) }
        guard !exchange.buffer.isEmpty else { return }
        exchange.buffer.removeAll()
        exchange.end = .failure(CancellationError())
    }

    // MARK: - The end

    /// An exchange is over.
    ///
    /// - Parameter error: why, when it has come to nothing. What has come of a body can still be read.
    func end(_ exchange: Exchange, _ error: (any Error)?) {
        guard exchange.phase != .over else { return }
        closeUpload(of: exchange)
        exchange.finalMetrics = exchange.metrics(now: now)
        exchange.end = error.map { .failure($0) } ?? .success(())
        leaveQueue(exchange, keepsConnector: false)
        exchange.phase = .over
        timers.remove(exchange.slot)
        live -= 1
        if let stream = exchange.stream.take() {
            leave(stream, of: exchange, error)
        } else if let connection = exchange.connection.take() {
            let isReusable = error == nil && mayBeReused(connection, after: exchange)
            release(connection, closedFor: isReusable ? nil : reasonToClose(after: error, of: exchange))
        }
        if let caller = exchange.takeCaller() {
            if exchange.head != nil {
                answer(exchange, caller)
            } else {
                resumptions.append(
                    .failed(caller, error ?? NetworkClientError(.internalFailure, "an answer has no head")))
            }
        }
        if let writer = exchange.takeWriter() {
            let error = error ?? NetworkClientError(.connectionLost, "the connection is closed")
            resumptions.append(.action { writer.resume(throwing: error) })
        }
        if let reader = exchange.takeReader() {
            if let piece = exchange.buffer.popFirst() {
                resumptions.append(.piece(reader, piece))
            } else {
                resumptions.append(error.map { .pieceFailed(reader, $0) } ?? .piece(reader, nil))
            }
        }
    }

    /// A connection that has switched protocols carries no exchange after it, however that has ended.
    private func reasonToClose(after error: (any Error)?, of exchange: Exchange) -> ConnectionEvent.Reason {
        error is CancellationError && exchange.isSwitched ? .client : .after(error)
    }

    private func mayBeReused(_ connection: Connection, after exchange: Exchange) -> Bool {
        guard !connection.isSpent, connection.reader.keepsConnection, !exchange.plan.closesConnection,
            !exchange.isCutShort, !exchange.isSending,
            connection.output.isEmpty, connection.sendFailure == nil, connection.interest.contains(.input)
        else { return false }
        return !connection.mayHaveInput || !connection.socket.hasInput && !connection.hasPendingInput
    }
}
