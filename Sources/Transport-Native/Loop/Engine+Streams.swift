// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import StrataTransportSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Exchanges on connections over HTTP/2, each on a stream of its own.
extension Engine {
    /// How much is put together for one write.
    private static let writeSize = 32 * 1024
    /// How much one connection sends in a batch, at most.
    private static let share = 1 << 20

    // MARK: - What goes out

    /// An exchange has a connection: its request begins a stream.
    func begin(_ exchange: Exchange, on connection: Connection, _ session: HTTP2Session) {
        let plan = exchange.plan
        var head = exchange.request.head
        if plan.consentLimit != nil {
            head.headerFields[.expect] = exchange.omitsExpect ? nil : "100-continue"
        }
        let length: Int64? =
            switch plan.content {
            case _ where plan.upgrade != nil: nil
            case .none: nil
            case .bytes(let data): Int64(data.count)
            case .stream(let length): length
            }
        do throws(NetworkClientError) {
            let stream = try session.begin(
                head, length: length, hasBody: plan.content.hasBytes, upgrade: plan.upgrade,
                acceptEncoding: plan.decodesContent ? ContentCoding.acceptable : nil,
                skipsInvalidFields: exchange.request.options.skipsInvalidFields, receiver: exchange)
            exchange.stream = stream
            if session.live == 1 { becameBusy(connection) }
            if let limit = plan.consentLimit, !exchange.omitsExpect {
                exchange.consentEnd = now.saturatingAdd(limit)
            } else if plan.upgrade == nil {
                sendBody(of: exchange, stream, on: connection)
            }
        } catch {
            exchange.connection = nil
            if session.live == 0 { leave(.giveBack(connection)) }
            return end(exchange, error)
        }
        markDirty(connection)
        note(exchange.slot, at: exchange.nextCheck(now: now))
    }

    func sendBody(of exchange: Exchange, _ stream: ClientStream, on connection: Connection) {
        switch exchange.plan.content {
        case .none: return
        case .bytes(let data):
            exchange.sent = Int64(data.count)
            stream.isOutputEnded = true
            send(data, on: stream, connection)
        case .stream(let length):
            let upload = exchange.upload ?? Upload(length: length)
            exchange.upload = upload
            resumptions.append(.action { exchange.produce(upload) })
        }
    }

    /// A piece of a body goes out as far as the windows of the server allow, and the rest when they do.
    func send(_ piece: Data, on stream: ClientStream, _ connection: Connection) {
        guard !stream.isClosed else { return }
        stream.output.append(piece)
        connection.session?.resume(stream)
        markDirty(connection)
    }

    /// There may be frames to be sent: they go out together at the end of the batch.
    func markDirty(_ connection: Connection) {
        guard !connection.isDirty, !connection.isClosed else { return }
        connection.isDirty = true
        dirty.append(connection)
    }

    /// Whether who has the lock sends what there is by itself. With many exchanges, more may come before the loop's thread has
    /// woken up, and all go out in one write.
    var mayWriteAlone: Bool { dirty.allSatisfy { ($0.session?.live ?? 0) <= 2 } }

    /// Sends the frames of all connections that have some.
    func sendFrames() {
        while let connection = dirty.popLast() {
            connection.isDirty = false
            guard !connection.isClosed, let session = connection.session else { continue }
            sendFrames(connection, session)
            settle(connection, session)
        }
    }

    private func sendFrames(_ connection: Connection, _ session: HTTP2Session) {
        var share = Self.share
        while connection.output.isEmpty, connection.sendFailure == nil {
            session.produce(atMost: Self.writeSize)
            let count = session.outgoing.count
            if count == 0 { return }
            send(session.outgoing.bytes, on: connection)
            session.removeOutgoing()
            share -= count
            if share <= 0 { return wait(for: .output, on: connection) }
        }
    }

    // MARK: - What comes in

    /// Reads what has come on a connection, for all its exchanges.
    func receive(_ connection: Connection, _ session: HTTP2Session) {
        for _ in 0..<Self.reads {
            let room = connection.readSize.bytes
            switch connection.read(into: UnsafeMutableRawBufferPointer(rebasing: input[..<room])) {
            case .bytes(let count):
                connection.heardAt = now
                workThrough(count, of: connection) {
                    session.receive(UnsafeRawBufferPointer(rebasing: input[..<count]), now: now)
                    settle(connection, session)
                }
                guard !connection.isClosed else { return }
                markDirty(connection)
                guard count == room || connection.hasPendingInput else { return }
            case .wantsRead:
                if let failure = connection.sendFailure { lost(connection, session, failure) }
                return
            case .wantsWrite: return wait(for: .output, on: connection)
            case .end: return lost(connection, session, Self.ended(session))
            case .cutOff(let error), .failed(let error): return lost(connection, session, error)
            }
            if isShareUsed { break }
        }
        if connection.hasPendingInput { leave(.read(connection)) }
    }

    private static func ended(_ session: HTTP2Session) -> NetworkClientError {
        let reason = session.goAwayCode.map { ", with \($0)" } ?? ""
        return NetworkClientError(
            .connectionLost, "the server closed the connection before the answer was complete\(reason)")
    }

    /// Acts on what the session has made of what has come, or gone.
    func settle(_ connection: Connection, _ session: HTTP2Session) {
        while let stream = session.nextTouched() { settle(stream, connection, session) }
        guard !connection.isClosed else { return }
        if let failure = session.failure { return lost(connection, session, failure) }
        if connection.isProbing, session.isPingAnswered { endProbe(of: connection) }
        if session.isGoingAway { retire(connection, session) }
        if session.hasMoreRoom, !connection.isClosed {
            session.hasMoreRoom = false
            if session.hasSettings { connection.pool.takesUpgrades = session.takesUpgrades }
            if !connection.pool.waiting.isEmpty { serveThoseThatWait(connection.pool) }
        }
    }

    private func settle(_ stream: ClientStream, _ connection: Connection, _ session: HTTP2Session) {
        guard let exchange = stream.receiver as? Exchange, exchange.stream === stream, exchange.phase == .active else {
            return
        }
        exchange.lastActivity = now
        connection.pings = 0
        if !stream.interims.isEmpty {
            let interims = stream.interims
            stream.interims = []
            for interim in interims { interimCame(interim, exchange) }
        }
        if stream.hasHead, !stream.isHeadTaken {
            stream.isHeadTaken = true
            guard headCame(stream, connection, exchange) else { return }
        }
        if exchange.answerStandsAt != .max { letAnswerStand(exchange) }
        if stream.output.count < Upload.highWaterMark / 2, let upload = exchange.upload {
            tell(upload.takeProducer(), goesOn: true)
        }
        if exchange.isSwitched { settle(switched: exchange, stream) }
        if stream.isEnded, !exchange.isAnswered, !exchange.isSwitched {
            exchange.trailers = stream.trailers?.asTrailers
            answered(exchange)
        } else if let end = stream.end {
            ended(exchange, end, connection)
        } else {
            finishIfDone(exchange)
        }
        if exchange.phase == .active { deliver(exchange) }
    }

    private func headCame(_ stream: ClientStream, _ connection: Connection, _ exchange: Exchange) -> Bool {
        exchange.times.firstByte = now
        if stream.isSwitched, let upgrade = stream.upgrade {
            switchProtocols(exchange, to: upgrade, stream)
            return true
        }
        let code = stream.parser.code
        guard headCame(stream.parser.response, code: code, connection, exchange) else { return false }
        exchange.isContentEncoded = stream.parser.isContentEncoded
        let hasNoBody = code == 204 || code == 304 || exchange.request.head.method == .head
        exchange.bodyLength = hasNoBody ? 0 : stream.parser.contentLength
        return true
    }

    /// The reader of a body has taken bytes.
    func noteRead(_ count: Int, _ exchange: Exchange) {
        guard let stream = exchange.stream, let connection = exchange.connection, let session = connection.session
        else { return }
        let wasHeld = stream.isHeldByReader
        session.noteRead(count, of: stream)
        markDirty(connection)
        guard wasHeld, !stream.isHeldByReader else { return }
        exchange.lastActivity = now
        note(exchange.slot, at: exchange.nextCheck(now: now))
    }

    // MARK: - Ends

    /// A stream has ended, and its answer is not whole.
    private func ended(_ exchange: Exchange, _ ending: ClientStream.End, _ connection: Connection) {
        switch ending {
        case .whole: end(exchange, nil)
        case .failed(let error): end(exchange, error)
        case .unprocessed: refused(exchange, connection)
        case .http11Required:
            guard exchange.plan.protocols != .http1, let pool = try? pool(for: exchange, .http1) else {
                return refused(exchange, connection)
            }
            exchange.pool = pool
            refused(exchange, connection)
        case .upgradeNotTaken:
            do throws(NetworkClientError) { exchange.pool = try poolWithoutHTTP2(for: exchange) } catch {
                return end(exchange, error)
            }
            refused(exchange, connection)
        }
    }

    /// How often a request is sent that the server refuses unprocessed, at most.
    private static let maximumRefusals = 6

    /// The server has certainly not acted on a request (RFC 9113 §8.7): it is sent again, whatever its method.
    private func refused(_ exchange: Exchange, _ connection: Connection) {
        exchange.refusals += 1
        let isUntouched = exchange.consentEnd != .max
        if exchange.refusals < Self.maximumRefusals, exchange.plan.isReplayable || isUntouched {
            return sendAgain(exchange, connection, isUnprocessed: true)
        }
        var error = NetworkClientError(
            .connectionLost, "the server refused the request without acting on it (RFC 9113 §8.7)")
        error.isUnprocessed = true
        end(exchange, error)
    }

    /// An exchange is done with its stream.
    ///
    /// - Parameter error: why, when it has come to nothing.
    func leave(_ stream: ClientStream, of exchange: Exchange, _ error: (any Error)?) {
        guard let connection = exchange.connection.take(), let session = connection.session else { return }
        if let error, isSilent(connection, for: exchange, stream, error) { connection.isSpent = true }
        // What is whole has no need of the rest of the request (§8.1).
        session.leave(stream, exchange.isAnswered ? .noError : .cancel)
        markDirty(connection)
        if connection.isSpent { retire(connection, session) } else if session.live == 0 { becameIdle(connection) }
    }

    /// For how long a connection has to be silent when the caller gives an exchange up: what was given up sooner says nothing.
    private static let patience: UInt64 = 100_000_000

    /// Whether an exchange is given up, by a limit or by its caller, and nothing has come on its connection since the request was sent:
    /// the next would wait in vain, too.
    private func isSilent(
        _ connection: Connection, for exchange: Exchange, _ stream: ClientStream, _ error: any Error
    ) -> Bool {
        // Another protocol has its own silence.
        if exchange.isSwitched { return false }
        let isIdleTimeout = (error as? NetworkClientError)?.timeout == .idle
        guard error is CancellationError || (error as? NetworkClientError)?.code == .timedOut,
            exchange.times.firstByte == nil || isIdleTimeout, !stream.isClosed
        else { return false }
        let waited = now - min(now, exchange.lastActivity)
        return (waited >= Self.patience || isIdleTimeout) && connection.heardAt <= exchange.lastActivity
    }

    /// Nothing more comes on a connection.
    ///
    /// - Parameter isSilent: whether it has not ended, but answers nothing.
    func lost(
        _ connection: Connection, _ session: HTTP2Session, _ error: NetworkClientError, isSilent: Bool = false
    ) {
        guard !connection.isClosed else { return }
        connection.isSpent = true
        connection.pool.shared.removeAll { $0 === connection }
        for stream in session.unfinished {
            guard let exchange = stream.receiver as? Exchange, exchange.stream === stream, exchange.phase == .active
            else { continue }
            if exchange.isAnswered {
                end(exchange, nil)
            } else if !stream.isSent, !session.hasSettings || error.code == .protocolViolation {
                // A server that has never said what it takes, or does not speak HTTP/2 as it should, would do so again.
                var error = error
                error.isUnprocessed = true
                end(exchange, error)
            } else if !stream.isSent {
                refused(exchange, connection)
            } else if mayBeRepeated(exchange, isAtStart: stream.isAtStart, hasSent: true) {
                sendAgain(exchange, connection)
            } else {
                end(exchange, error)
            }
        }
        close(connection, isSilent ? .silence : .after(error))
    }
}
