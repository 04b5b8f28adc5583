// SPDX-License-Identifier: Apache-2.0

import CStrataCurl
import StrataCore
import StrataTransportSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// What is looked at before libcurl lets go of a connection.
extension LoopEngine {
    /// libcurl has done something for a transfer that is watched, or is about to let go of its connection.
    func progressed(_ transfer: Transfer) {
        if transfer.needsCloseNotify {
            transfer.receiving.end.hasCloseNotify = transfer.tlsSession.flatMap(TLSLibrary.isEndedByPeer)
        }
        if transfer.mayBeSalvaged, isBroken(transfer.connection.socket) { salvage(transfer) }
        if transfer.isUploading, transfer.endsWithConnection, transfer.connection.socket >= 0 {
            // Behind the end of TLS a reset takes nothing away.
            let isEnded = transfer.tlsSession.flatMap(TLSLibrary.isEndedByPeer) == true
            transfer.receiving.end.isReset = !isEnded && isBroken(transfer.connection.socket)
        }
    }

    /// Whether nothing can be sent on a connection any more. What had come before can be read all the same.
    private func isBroken(_ socket: Int32) -> Bool {
        var entry = pollfd(fd: socket, events: 0, revents: 0)
        return poll(&entry, 1, 0) > 0 && entry.revents & Int16(POLLERR | POLLHUP) != 0
    }

    /// Reads what the server had sent before libcurl failed to send: a server that refuses a body answers, and closes while the
    /// body is on its way (RFC 9112 §9.5). Without this the answer would be lost whenever the reset came first.
    private func salvage(_ transfer: Transfer) {
        var bytes = received(on: transfer.connection.socket)
        let session = transfer.tlsSession
        if let session {
            guard let decryption = TLSDecryption.current else { return }
            bytes = decryption.decrypt(bytes, session)
        }
        var reader = SalvagedAnswer(transfer.head.isComplete ? transfer.missingBody : .head)
        bytes.withUnsafeBytes { bytes in
            var rest = bytes
            while !rest.isEmpty, !reader.isOver { take(&rest, &reader, transfer) }
        }
        let isEnded = session.flatMap(TLSLibrary.isEndedByPeer) == true
        transfer.receiving.end.isSalvagedInFull = reader.isComplete(atCleanEnd: isEnded)
    }

    /// What has come on a socket, as far as the system has it: its buffer is the bound.
    private func received(on socket: Int32) -> [UInt8] {
        var bytes: [UInt8] = []
        withUnsafeTemporaryAllocation(byteCount: 64 * 1024, alignment: 16) { buffer in
            while true {
                let count = recv(socket, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
                guard count > 0 else { return }
                bytes.append(contentsOf: buffer[..<count])
            }
        }
        return bytes
    }

    private func take(
        _ bytes: inout UnsafeRawBufferPointer, _ reader: inout SalvagedAnswer, _ transfer: Transfer
    ) {
        switch reader.next(&bytes) {
        case .headLine(let line):
            let goesOn = line.withUnsafeBytes { receivedHead($0, transfer) }
            guard goesOn else { return reader.giveUp() }
            if transfer.head.isComplete { reader.headEnded(transfer.missingBody) }
        case .body(let piece):
            transfer.receiving.count += Int64(piece.count)
            if let stream = transfer.stream {
                _ = stream.push(piece, expected: transfer.head.contentLength)
            } else {
                transfer.buffer.append(piece, expected: transfer.head.contentLength)
            }
        case nil: break
        }
    }
}

extension Transfer {
    /// OpenSSL's object of the connection.
    var tlsSession: UnsafeMutableRawPointer? { strata_openssl_session(easy) }

    /// Whether the body's end has to be that of TLS, because the server has announced no other (RFC 9112 §9.8).
    var needsCloseNotify: Bool {
        guard endsWithConnection, let exchange else { return false }
        return exchange.request.head.scheme == "https" && settings.requiresCloseNotify
    }

    /// Whether the body ends with the connection, because the server has announced no other end (RFC 9112 §6.3).
    fileprivate var endsWithConnection: Bool {
        head.isComplete && head.isHTTP1 && !head.isChunked && bodyLength == nil
    }

    /// Whether libcurl has failed, and there may be an answer that it has not read.
    fileprivate var mayBeSalvaged: Bool {
        guard isUploading, hasDetail, failure == nil, !receiving.isHeldBack,
            connection.version == .http1, connection.socket >= 0
        else { return false }
        // In the middle of a head or of a chunk libcurl has bytes that it has not handed out.
        return head.isAtStart || head.isComplete && !head.isChunked && !isAnsweredInFull
    }

    /// How the body, or the rest of it, is framed.
    fileprivate var missingBody: SalvagedAnswer.Part {
        if let bodyLength { return .bytes(bodyLength - receiving.count) }
        return head.isChunked ? .chunkSize : .untilEnd
    }
}
