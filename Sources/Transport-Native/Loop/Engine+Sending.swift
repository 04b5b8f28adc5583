// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import StrataTransportSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What goes out.
extension Engine {
    /// Bodies up to this size go out with the head, in one write.
    private static let inlineBody = 32 * 1024
    /// How much is written to one connection in a batch, at least.
    private static let share = 1 << 20

    /// An exchange has a connection: its request is written.
    func begin(_ exchange: Exchange, on connection: Connection) {
        leaveQueue(exchange, keepsConnector: connection.session == nil)
        exchange.phase = .active
        exchange.connection = connection
        exchange.times.isConnectionReused = connection.uses > 0
        exchange.lastActivity = now
        connection.uses += 1
        tellUse(of: connection, by: exchange)
        if let session = connection.session { return begin(exchange, on: connection, session) }
        connection.exchange = exchange
        (connection.hasSent, connection.sendFailure, connection.mayHaveInput) = (false, nil, false)
        let request = exchange.request
        connection.reader.begin(
            method: request.head.method, skipsInvalidFields: request.options.skipsInvalidFields,
            upgrade: exchange.plan.upgrade)
        do throws(NetworkClientError) {
            try writeRequest(exchange, connection)
        } catch {
            // Nothing has been sent.
            exchange.connection = nil
            connection.exchange = nil
            leave(.giveBack(connection))
            return end(exchange, error)
        }
        note(exchange.slot, at: exchange.nextCheck(now: now))
    }

    private func writeRequest(_ exchange: Exchange, _ connection: Connection) throws(NetworkClientError) {
        let plan = exchange.plan
        var head = exchange.request.head
        authorize(&head, exchange, for: connection.pool.route.forwarder)
        addFields(of: plan, exchange, to: &head.headerFields)
        let framing: RequestWriter.Framing =
            switch plan.content {
            case .none: .none
            case .bytes(let data): .length(Int64(data.count))
            case .stream(let length): length.map { .length($0) } ?? .chunked
            }
        output.removeAll()
        try RequestWriter.write(
            head, framing, isAbsolute: connection.pool.route.forwarder != nil,
            acceptEncoding: plan.decodesContent ? ContentCoding.acceptable : nil, to: &output)
        if let limit = plan.consentLimit, !exchange.omitsExpect {
            exchange.consentEnd = now.saturatingAdd(limit)
            return send(output.bytes, on: connection)
        }
        sendBody(of: exchange, behindHead: true, on: connection)
    }

    /// A proxy that reads the request sees who asks it, and nobody else does (RFC 9110 §11.7.2).
    private func authorize(_ head: inout HTTPRequest, _ exchange: Exchange, for proxy: ProxyServer?) {
        exchange.proxyAnswer = nil
        // The caller's own, where the configuration has none.
        if let proxy, proxy.login == nil { return }
        if head.headerFields.contains(.proxyAuthorization) { head.headerFields[.proxyAuthorization] = nil }
        guard let login = proxy?.login else { return }
        let content: Data? =
            switch exchange.plan.content {
            case .none: Data()
            case .bytes(let data): data
            case .stream: nil
            }
        let target = RequestWriter.absoluteTarget(head)
        guard let shown = login.field(method: head.method.rawValue, target: target, content: content) else { return }
        exchange.proxyAnswer = shown.answer
        head.headerFields.append(shown.field)
    }

    /// Fields for what is asked of the server beyond an answer.
    private func addFields(of plan: RequestPlan, _ exchange: Exchange, to fields: inout HTTPFields) {
        if plan.consentLimit != nil {
            fields[.expect] = exchange.omitsExpect ? nil : "100-continue"
        }
        if let upgrade = plan.upgrade {
            fields[.upgrade] = upgrade
            fields.append(HTTPField(name: .connection, value: "upgrade"))
        }
    }

    /// The server consents to the body, or has taken too long to do so.
    func sendHeldBody(of exchange: Exchange) {
        guard exchange.consentEnd != .max, let connection = exchange.connection else { return }
        exchange.consentEnd = .max
        exchange.lastActivity = now
        output.removeAll()
        sendBody(of: exchange, behindHead: false, on: connection)
    }

    /// - Parameter isBehindHead: whether the head is in the buffer, to be sent together with a small body.
    private func sendBody(of exchange: Exchange, behindHead isBehindHead: Bool, on connection: Connection) {
        if let stream = exchange.stream { return sendBody(of: exchange, stream, on: connection) }
        switch exchange.plan.content {
        case .none: send(output.bytes, on: connection)
        case .bytes(let data):
            exchange.sent = Int64(data.count)
            if data.count <= Self.inlineBody {
                data.withUnsafeBytes { output.append($0) }
                send(output.bytes, on: connection)
            } else {
                if isBehindHead { send(output.bytes, on: connection) }
                connection.output.append(data)
                flush(connection)
            }
        case .stream(let length):
            if isBehindHead { send(output.bytes, on: connection) }
            let upload = exchange.upload ?? Upload(length: length)
            exchange.upload = upload
            if connection.tls == nil, case .file = exchange.request.body.kind {
                sendFile(upload, of: exchange, on: connection)
            } else {
                resumptions.append(.action { exchange.produce(upload) })
            }
        }
    }

    /// A server that answers before it has read the body, and ends the connection, may lose its answer: as long as its session tickets are
    /// not acknowledged, its system keeps small messages back (RFC 9293 §3.7.4), and drops them with the reset.
    private func acknowledgeAtOnce(_ connection: Connection, sent count: Int) {
        guard connection.tls != nil, connection.sentAcknowledging < Self.ticketBytes, connection.session == nil,
            connection.exchange?.isSwitched == false
        else { return }
        connection.sentAcknowledging += count
        connection.socket.acknowledge()
    }

    /// When so many bytes have gone out, the tickets have come.
    private static let ticketBytes = 1 << 20

    /// The system sends a file by itself where nothing has to be done to its bytes.
    private func sendFile(_ upload: Upload, of exchange: Exchange, on connection: Connection) {
        guard connection.sendFailure == nil else { return }
        do {
            let source = try upload.takeSource() ?? exchange.request.body.makeSource()
            guard let file = source as? FileBodySource else { return }
            exchange.sent = file.length
            upload.isEnded = true
            connection.output.append(file)
            flush(connection)
        } catch {
            end(exchange, error)
        }
    }

    /// Sends what the socket takes; the rest waits.
    func send(_ bytes: UnsafeRawBufferPointer, on connection: Connection) {
        guard connection.sendFailure == nil else { return }
        var rest = bytes
        if connection.output.isEmpty {
            switch connection.write(bytes) {
            case .bytes(let count):
                if count > 0 { connection.hasSent = true }
                if connection.exchange?.upload != nil { acknowledgeAtOnce(connection, sent: count) }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            case .failed(let error), .cutOff(let error): return sendFailed(connection, error)
            case .end: return sendFailed(connection, Self.closedForSending)
            case .wantsRead, .wantsWrite: break
            }
        }
        guard let start = rest.baseAddress, !rest.isEmpty else { return }
        connection.output.append(Data(bytes: start, count: rest.count))
        wait(for: .output, on: connection)
    }

    private static let closedForSending = NetworkClientError(
        .connectionLost, "the connection ended while the request was sent")

    /// Writes what waits, as far as the socket takes it.
    func flush(_ connection: Connection) {
        if connection.session != nil { markDirty(connection) }
        var share = Self.share
        while !connection.output.isEmpty, connection.sendFailure == nil {
            guard share > 0 else { return wait(for: .output, on: connection) }
            var result = IOResult.wantsWrite
            connection.output.withFirst { first in
                result =
                    switch first {
                    case .bytes(let bytes): connection.write(bytes)
                    case .file(let file): connection.socket.send(file, most: share)
                    }
                return result.count
            }
            switch result {
            case .bytes(let count):
                share -= count
                connection.hasSent = true
                acknowledgeAtOnce(connection, sent: count)
                if let exchange = connection.exchange {
                    exchange.lastActivity = now
                    if exchange.answerStandsAt != .max { letAnswerStand(exchange) }
                }
            case .failed(let error) where error.code == .uploadFailed:
                if let exchange = connection.exchange { end(exchange, error) }
                return
            case .failed(let error), .cutOff(let error): return sendFailed(connection, error)
            case .end: return sendFailed(connection, Self.closedForSending)
            case .wantsRead, .wantsWrite: return wait(for: .output, on: connection)
            }
        }
        if connection.output.count < Upload.highWaterMark / 2, let upload = connection.exchange?.upload {
            tell(upload.takeProducer(), goesOn: true)
        }
        guard connection.output.isEmpty else { return }
        stopWaiting(for: .output, on: connection)
        guard let exchange = connection.exchange else { return }
        if let writer = exchange.takeWriter() { resumptions.append(.action { writer.resume() }) }
        finishIfDone(exchange)
    }

    /// Nothing more can be sent. What the peer has sent before decides: an answer, or the end.
    private func sendFailed(_ connection: Connection, _ error: NetworkClientError) {
        connection.sendFailure = error
        connection.output.removeAll()
        stopWaiting(for: .output, on: connection)
        if let exchange = connection.exchange {
            closeUpload(of: exchange)
            if let writer = exchange.takeWriter() { resumptions.append(.action { writer.resume(throwing: error) }) }
        }
        leave(.read(connection))
    }

    func tell(_ producer: UnsafeContinuation<Bool, Never>?, goesOn: Bool) {
        if let producer { resumptions.append(.action { producer.resume(returning: goesOn) }) }
    }

    // MARK: - Streamed bodies

    /// A piece of a body has been produced.
    ///
    /// - Parameter producer: waits until it is known whether it goes on.
    func send(_ piece: Data, of upload: Upload, for exchange: Exchange, _ producer: UnsafeContinuation<Bool, Never>) {
        guard exchange.upload === upload, !upload.isClosed, let connection = exchange.connection else {
            return tell(producer, goesOn: false)
        }
        write(upload.take(piece, now: now), of: upload, for: exchange, on: connection)
        note(exchange.slot, at: exchange.nextCheck(now: now))
        // A failure may have closed it.
        if upload.isClosed || exchange.unsent < Upload.highWaterMark { return tell(producer, goesOn: !upload.isClosed) }
        upload.wait(producer)
    }

    private func write(_ piece: Data, of upload: Upload, for exchange: Exchange, on connection: Connection) {
        guard !piece.isEmpty else { return }
        exchange.sent += Int64(piece.count)
        exchange.lastActivity = now
        if let stream = exchange.stream { return send(piece, on: stream, connection) }
        output.removeAll()
        let isChunked = upload.length == nil
        if isChunked { RequestWriter.writeChunkStart(piece.count, to: &output) }
        guard piece.count > Self.inlineBody else {
            piece.withUnsafeBytes { output.append($0) }
            if isChunked { RequestWriter.writeChunkEnd(to: &output) }
            return send(output.bytes, on: connection)
        }
        send(output.bytes, on: connection)
        guard connection.sendFailure == nil else { return }
        connection.output.append(piece)
        if isChunked { connection.output.append(Data("\r\n".utf8)) }
        flush(connection)
    }

    /// The source has taken too long to say that it has ended.
    func sendLastByte(of upload: Upload, for exchange: Exchange) {
        guard let connection = exchange.connection, let byte = upload.releaseLastByte() else { return }
        write(byte, of: upload, for: exchange, on: connection)
    }

    /// The source has ended.
    ///
    /// - Parameters:
    ///   - failure: why, when that was too early.
    ///   - trailers: the fields behind it.
    func endUpload(_ upload: Upload, of exchange: Exchange, _ failure: (any Error)?, trailers: HTTPFields? = nil) {
        guard exchange.upload === upload, !upload.isClosed, let connection = exchange.connection else { return }
        if let failure { return end(exchange, failure) }
        sendLastByte(of: upload, for: exchange)
        do throws(NetworkClientError) {
            if let stream = exchange.stream {
                try connection.session?.endOutput(of: stream, trailers: trailers ?? [:])
                markDirty(connection)
            } else if upload.length == nil {
                output.removeAll()
                try RequestWriter.writeLastChunk(trailers: trailers ?? [:], to: &output)
                send(output.bytes, on: connection)
            }
        } catch {
            return end(exchange, error)
        }
        upload.isEnded = true
        exchange.lastActivity = now
        finishIfDone(exchange)
        if exchange.phase != .over { note(exchange.slot, at: exchange.nextCheck(now: now)) }
    }

    /// Nothing more of the body is sent.
    func closeUpload(of exchange: Exchange) {
        if let upload = exchange.upload { tell(upload.close(), goesOn: false) }
    }

    // MARK: - What is waited for

    func wait(for interest: Interest, on connection: Connection) {
        guard !connection.isClosed, !connection.interest.contains(interest) else { return }
        change(connection, to: connection.interest.union(interest))
    }

    /// The queue tells of a failure whatever is waited for. So it has to forget a socket for which nothing is to be done yet.
    func stopWaitingForAnything(on connection: Connection) {
        queue?.remove(connection.socket.descriptor)
        (connection.interest, connection.isWatched) = ([], false)
    }

    func stopWaiting(for interest: Interest, on connection: Connection) {
        guard !connection.isClosed, !connection.interest.isDisjoint(with: interest) else { return }
        change(connection, to: connection.interest.subtracting(interest))
    }

    private func change(_ connection: Connection, to interest: Interest) {
        let (descriptor, token) = (connection.socket.descriptor, connection.token)
        if connection.isWatched {
            queue?.change(descriptor, from: connection.interest, to: interest, token: token)
        } else {
            connection.isWatched = queue?.add(descriptor, interest, token: token) == true
        }
        connection.interest = interest
    }
}

extension Exchange {
    /// Produces the body, in a task that ends with the upload at the latest.
    func produce(_ upload: Upload) {
        let task = Task {
            do {
                let source = try loop.run({ _ in upload.takeSource() }) ?? request.body.makeSource()
                await withTaskCancellationHandler {
                    await pump(source, upload)
                } onCancel: {
                    source.cancel()
                }
            } catch {
                loop.core.ask(.work { $0.endUpload(upload, of: self, error) })
            }
        }
        loop.run { _ in upload.set(task) }
    }

    private func pump(_ source: any BodySource, _ upload: Upload) async {
        do {
            while let piece = try await source.next() {
                let goesOn = await withUnsafeContinuation { (producer: UnsafeContinuation<Bool, Never>) in
                    loop.core.ask(.work { $0.send(piece, of: upload, for: self, producer) })
                }
                guard goesOn else { return source.cancel() }
            }
            let trailers = source.trailers
            loop.core.ask(.work { $0.endUpload(upload, of: self, nil, trailers: trailers) })
        } catch {
            loop.core.ask(.work { $0.endUpload(upload, of: self, error) })
        }
        source.cancel()
    }
}
