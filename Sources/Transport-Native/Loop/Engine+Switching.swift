// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataTransportSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Connections, and streams of them (RFC 8441), on which the server has switched protocols.
extension Engine {
    /// What came behind the head is no HTTP any more.
    func switchProtocols(_ exchange: Exchange, rest: UnsafeRawBufferPointer) {
        exchange.isSwitched = true
        exchange.buffer.append(rest, expected: nil)
    }

    /// The stream goes on in the protocol that was asked for. To the caller it is as over HTTP/1.1.
    func switchProtocols(_ exchange: Exchange, to upgrade: String, _ stream: ClientStream) {
        exchange.isSwitched = true
        var head = HTTPResponse(
            status: .switchingProtocols, headerFields: stream.parser.response.headerFields)
        head.headerFields[.upgrade] = upgrade
        exchange.head = head
    }

    /// Something has come on a stream that has switched, or gone.
    func settle(switched exchange: Exchange, _ stream: ClientStream) {
        if stream.isEnded { exchange.isInputOver = true }
        if stream.output.isEmpty, let writer = exchange.takeWriter() {
            resumptions.append(.action { writer.resume() })
        }
    }

    /// Reads for an exchange that has switched.
    ///
    /// - Returns: whether there may be more.
    func read(switched exchange: Exchange, _ connection: Connection) -> Bool {
        if exchange.isInputOver {
            hold(connection)
            return false
        }
        let (result, room) = exchange.buffer.fill(
            atMost: settings.highWaterMark, { connection.read(into: $0) }, count: { $0.count })
        switch result {
        case .bytes(let count):
            exchange.received += Int64(count)
            exchange.lastActivity = now
            if exchange.buffer.count >= settings.highWaterMark { exchange.isPaused = true }
            return count == room || connection.hasPendingInput
        case .wantsRead: if let failure = connection.sendFailure { end(exchange, failure) }
        case .wantsWrite: wait(for: .output, on: connection)
        case .end: inputOver(exchange, connection)
        case .cutOff(let error), .failed(let error): end(exchange, error)
        }
        return false
    }

    private func inputOver(_ exchange: Exchange, _ connection: Connection) {
        exchange.isInputOver = true
        // Otherwise the queue would tell of the end again and again.
        stopWaiting(for: .input, on: connection)
        endIfClosed(exchange)
    }

    /// Both sides are closed.
    private func endIfClosed(_ exchange: Exchange) {
        if exchange.isInputOver, exchange.isOutputOver { end(exchange, nil) }
    }

    // MARK: - The caller's side

    /// The reader waits for what comes, or has it at once.
    func read(switched exchange: Exchange, _ reader: Waiter<Data?>) {
        if exchange.isInputOver, exchange.buffer.isEmpty { return resumptions.append(.piece(reader, nil)) }
        read(exchange, reader)
        guard exchange.hasReader else { return }
        exchange.lastActivity = now
        note(exchange.slot, at: exchange.nextCheck(now: now))
    }

    /// The writer waits until it is sent.
    func write(_ bytes: Data, switched exchange: Exchange, _ writer: UnsafeContinuation<Void, any Error>) {
        func tell(_ result: Result<Void, any Error>) { resumptions.append(.action { writer.resume(with: result) }) }
        guard exchange.phase == .active, let connection = exchange.connection else {
            return tell(.failure(failure(of: exchange)))
        }
        exchange.sent += Int64(bytes.count)
        exchange.lastActivity = now
        if let stream = exchange.stream {
            // It goes out at the end of the batch, as far as the windows of the server allow.
            send(bytes, on: stream, connection)
        } else {
            connection.output.append(bytes)
            flush(connection)
            if let failure = connection.sendFailure { return tell(.failure(failure)) }
            if connection.output.isEmpty { return tell(.success(())) }
        }
        exchange.wait(writer)
        note(exchange.slot, at: exchange.nextCheck(now: now))
    }

    func closeOutput(switched exchange: Exchange) -> Result<Void, any Error> {
        guard exchange.phase == .active, let connection = exchange.connection else {
            return .failure(failure(of: exchange))
        }
        if let failure = connection.sendFailure { return .failure(failure) }
        exchange.isOutputOver = true
        if let stream = exchange.stream {
            // Its end, when that has been sent and the other has come, is the exchange's.
            connection.session?.endOutput(of: stream)
            markDirty(connection)
            return .success(())
        }
        if let tls = connection.tls { tls.close() } else { connection.socket.closeOutput() }
        endIfClosed(exchange)
        return .success(())
    }

    private func failure(of exchange: Exchange) -> any Error {
        if case .failure(let error) = exchange.end { return error }
        return NetworkClientError(.connectionLost, "the connection is closed")
    }
}
