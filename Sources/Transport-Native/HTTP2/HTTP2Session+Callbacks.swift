// SPDX-License-Identifier: Apache-2.0

import CStrataNGHTTP2
import HTTPTypes
import StrataCore
import StrataTransportSupport

// What a callback may say.
private let goesOn: Int32 = 0
private let endsStream = NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
private let endsConnection = NGHTTP2_ERR_CALLBACK_FAILURE.rawValue

private func session(_ own: UnsafeMutableRawPointer?) -> HTTP2Session? {
    own.map { Unmanaged<HTTP2Session>.fromOpaque($0).takeUnretainedValue() }
}

/// What nghttp2 tells while it reads and writes.
extension HTTP2Session {
    /// Shared by all sessions.
    ///
    /// Unsafe in name alone: it is made once and never changed.
    nonisolated(unsafe) static let callbacks: OpaquePointer? = makeCallbacks()

    private static func makeCallbacks() -> OpaquePointer? {
        var made: OpaquePointer?
        guard nghttp2_session_callbacks_new(&made) == 0, let callbacks = made else { return nil }
        nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks) { _, header, own in
            guard let session = session(own), let header else { return goesOn }
            return session.frameBegins(header.pointee)
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, own in
            guard let session = session(own), let frame else { return goesOn }
            return session.frameCame(frame)
        }
        nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks) { _, frame, code, own in
            guard let session = session(own), let frame else { return goesOn }
            return session.invalidFrameCame(frame.pointee.hd, code)
        }
        nghttp2_session_callbacks_set_on_header_callback(callbacks) { _, frame, name, nameCount, value, count, _, own in
            guard let session = session(own), let frame else { return goesOn }
            return session.fieldCame(
                frame.pointee.hd.stream_id, UnsafeRawBufferPointer(start: name, count: nameCount),
                UnsafeRawBufferPointer(start: value, count: count))
        }
        nghttp2_session_callbacks_set_on_invalid_header_callback(callbacks) { _, frame, name, count, _, _, _, own in
            guard let session = session(own), let frame else { return goesOn }
            return session.invalidFieldCame(
                frame.pointee.hd.stream_id, UnsafeRawBufferPointer(start: name, count: count))
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, id, start, count, own in
            guard let session = session(own) else { return goesOn }
            session.bytesCame(id, UnsafeRawBufferPointer(start: start, count: count))
            return goesOn
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, id, code, own in
            session(own)?.streamClosed(id, HTTP2Code(rawValue: code))
            return goesOn
        }
        nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { _, frame, own in
            if let session = session(own), let frame { session.frameSent(frame) }
            return goesOn
        }
        nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks) { _, frame, _, own in
            if let session = session(own), let frame { session.frameNotSent(frame.pointee.hd) }
            return goesOn
        }
        nghttp2_session_callbacks_set_send_data_callback(callbacks) { _, frame, header, count, _, own in
            guard let session = session(own), let frame else { return endsConnection }
            return session.sendOutput(
                frame.pointee.hd.stream_id, header: UnsafeRawBufferPointer(start: header, count: 9), count)
        }
        return callbacks
    }

    // MARK: - Frames

    private func frameBegins(_ header: nghttp2_frame_hd) -> Int32 {
        let kind = HTTP2FloodGuard.Kind(type: header.type)
        untold -= 9 + header.length
        // Of the end of a head that nobody waits for any more nghttp2 says nothing.
        if kind != .continuation { isInHead = kind == .headers }
        if isInHead { hadHead = true }
        // Only its end tells what is in it.
        return kind == .emptyData ? goesOn : note(kind)
    }

    private func note(_ kind: HTTP2FloodGuard.Kind) -> Int32 {
        guard let flood = flood.note(kind, now: now) else { return goesOn }
        fail(flood: flood)
        return endsConnection
    }

    private func frameCame(_ frame: UnsafePointer<nghttp2_frame>) -> Int32 {
        let header = frame.pointee.hd
        let ends = header.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
        let isAcknowledgement = header.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0
        switch UInt32(header.type) {
        case NGHTTP2_DATA.rawValue:
            if !ends, header.length == frame.pointee.data.padlen { return note(.emptyData) }
            flood.earn(1)
            if ends { streamEnded(header.stream_id) }
        case NGHTTP2_HEADERS.rawValue:
            isInHead = false
            return headersEnded(header.stream_id, endsStream: ends)
        case NGHTTP2_SETTINGS.rawValue:
            if isAcknowledgement { break }
            (hasSettings, hasMoreRoom) = (true, true)
        case NGHTTP2_PING.rawValue:
            if isAcknowledgement { isPingAnswered = true }
        case NGHTTP2_GOAWAY.rawValue:
            isGoingAway = true
            let code = HTTP2Code(rawValue: frame.pointee.goaway.error_code)
            if code != .noError { goAwayCode = code }
            // nghttp2 would hold them back until others have ended.
            for stream in streams.values where !stream.isSent { close(stream, .unprocessed) }
            for request in releaseHeld() { close(request.stream, .unprocessed) }
        case NGHTTP2_RST_STREAM.rawValue:
            stream(header.stream_id)?.resetCode = HTTP2Code(rawValue: frame.pointee.rst_stream.error_code)
        default: break
        }
        return goesOn
    }

    private func invalidFrameCame(_ header: nghttp2_frame_hd, _ code: Int32) -> Int32 {
        isInHead = false
        if let stream = stream(header.stream_id), stream.violation == nil {
            stream.violation = "the response is malformed (RFC 9113 §8.1.1): \(Self.text(of: code))"
        }
        return note(HTTP2FloodGuard.Kind(type: header.type))
    }

    // MARK: - Heads

    private func fieldCame(_ id: Int32, _ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Int32 {
        guard let stream = stream(id), stream.receiver != nil else { return goesOn }
        line.removeAll()
        if name.first == UInt8(ascii: ":") {
            line.append("HTTP/2 ")
        } else {
            line.append(name)
            line.append(": ")
        }
        line.append(value)
        line.append("\r\n")
        return feed(stream)
    }

    /// A field that HTTP does not allow. The parser judges what becomes of it, as a line without a colon.
    private func invalidFieldCame(_ id: Int32, _ name: UnsafeRawBufferPointer) -> Int32 {
        guard let stream = stream(id), stream.receiver != nil else { return goesOn }
        guard stream.parser.skipsInvalidFields else {
            stream.violation = "a field has a character that is not allowed (RFC 9113 §8.2.1)"
            return endsStream
        }
        line.removeAll()
        line.append("?")
        for byte in name where byte != UInt8(ascii: ":") {
            withUnsafeBytes(of: byte) { line.append($0) }
        }
        line.append("\r\n")
        return feed(stream)
    }

    private func feed(_ stream: ClientStream) -> Int32 {
        guard case .violation(let reason) = stream.parser.feed(line.bytes) else { return goesOn }
        stream.violation = reason
        return endsStream
    }

    private func headersEnded(_ id: Int32, endsStream: Bool) -> Int32 {
        guard let stream = stream(id), stream.receiver != nil else { return goesOn }
        flood.earn(2)
        touch(stream)
        if !stream.hasHead {
            line.removeAll()
            line.append("\r\n")
            switch stream.parser.feed(line.bytes) {
            case .more: break
            case .interim(let response):
                stream.interims.append(response)
                stream.interimCount += 1
                guard stream.interimCount <= limits.interimResponses else {
                    return refuse(stream, "there are more than \(limits.interimResponses) interim responses")
                }
            case .complete:
                stream.hasHead = true
                stream.isSwitched = stream.upgrade != nil && (200..<300).contains(stream.parser.code)
            case .violation(let reason): return refuse(stream, reason)
            }
        } else if stream.isSwitched {
            return refuse(stream, "fields came on a stream that goes on in another protocol (RFC 9113 §8.5)")
        } else {
            stream.trailers = stream.parser.trailers
        }
        if endsStream { streamEnded(id) }
        return goesOn
    }

    private func refuse(_ stream: ClientStream, _ reason: String) -> Int32 {
        stream.violation = reason
        nghttp2_submit_rst_stream(codec, 0, stream.id, HTTP2Code.protocolError.rawValue)
        return goesOn
    }

    // MARK: - Bodies and ends

    private func bytesCame(_ id: Int32, _ bytes: UnsafeRawBufferPointer) {
        guard let stream = stream(id), let receiver = stream.receiver, !stream.isClosed, stream.violation == nil else {
            nghttp2_session_consume(codec, id, bytes.count)
            return
        }
        stream.received += Int64(bytes.count)
        noteReceived(bytes.count, of: stream)
        receiver.take(bytes, length: stream.parser.contentLength)
        touch(stream)
    }

    private func streamEnded(_ id: Int32) {
        guard let stream = stream(id), stream.violation == nil, stream.hasHead else { return }
        // nghttp2 counts what comes, but for the answers to CONNECT.
        if stream.upgrade != nil, !stream.hasAnnouncedLength {
            _ = refuse(
                stream, "the response is malformed (RFC 9113 §8.1.1): its body has another length than announced")
            return
        }
        stream.isEnded = true
        touch(stream)
    }

    private func streamClosed(_ id: Int32, _ code: HTTP2Code) {
        guard let stream = stream(id) else { return }
        close(stream, end(of: stream, code))
        hasMoreRoom = true
    }

    private func end(of stream: ClientStream, _ code: HTTP2Code) -> ClientStream.End {
        if let violation = stream.violation {
            return .failed(NetworkClientError(.protocolViolation, violation))
        }
        // After a head the server has acted, whatever it says.
        if stream.isAtStart {
            // Without RST_STREAM it is GOAWAY that has left the stream out.
            if code == .refusedStream { return .unprocessed }
            if code == .http11Required { return .http11Required }
        }
        guard stream.resetCode != nil else {
            // A GOAWAY has left it out, though its answer had begun.
            if code == .refusedStream {
                let reason = goAwayCode.map { ": \($0)" } ?? ""
                return .failed(
                    NetworkClientError(.connectionLost, "the server ended the connection with its streams\(reason)"))
            }
            return .failed(
                NetworkClientError(.protocolViolation, "the response is malformed (RFC 9113 §8.1.1): \(code)"))
        }
        return .failed(NetworkClientError(.connectionLost, "the server reset the stream: \(code)"))
    }

    // MARK: - What goes out

    private func frameSent(_ frame: UnsafePointer<nghttp2_frame>) {
        let header = frame.pointee.hd
        switch UInt32(header.type) {
        case NGHTTP2_HEADERS.rawValue:
            guard let stream = stream(header.stream_id) else { return }
            // The second are trailers.
            if stream.isSent { stream.isOutputOver = true }
            stream.isSent = true
            if stream.isOutputOver { touch(stream) }
        case NGHTTP2_DATA.rawValue:
            // What a peer grants byte by byte pays for itself not; a small message does, for which it opens both windows.
            if header.length >= 128 || stream(header.stream_id)?.output.isEmpty == true { flood.earn(2) }
        case NGHTTP2_GOAWAY.rawValue:
            let code = HTTP2Code(rawValue: frame.pointee.goaway.error_code)
            isGoingAway = true
            if code != .noError, failure == nil { failure = .broken("\(code)") }
        default: break
        }
    }

    /// A request that could not be sent.
    private func frameNotSent(_ header: nghttp2_frame_hd) {
        guard UInt32(header.type) == NGHTTP2_HEADERS.rawValue, let stream = stream(header.stream_id), !stream.isSent
        else { return }
        close(stream, .unprocessed)
    }

    static let readOutput: nghttp2_data_source_read_callback = { _, id, _, length, flags, _, own in
        guard let session = session(own), let flags, let stream = session.stream(id), stream.receiver != nil else {
            return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)
        }
        let count = min(stream.output.count, length)
        let isLast = stream.isOutputEnded && count == stream.output.count
        if count == 0, !isLast {
            stream.isDeferred = true
            return Int(NGHTTP2_ERR_DEFERRED.rawValue)
        }
        var bits = NGHTTP2_DATA_FLAG_NO_COPY.rawValue
        if isLast {
            bits |= NGHTTP2_DATA_FLAG_EOF.rawValue
            if session.submitTrailers(of: stream) { bits |= NGHTTP2_DATA_FLAG_NO_END_STREAM.rawValue }
        }
        flags.pointee |= bits
        return count
    }

    private func sendOutput(_ id: Int32, header: UnsafeRawBufferPointer, _ count: Int) -> Int32 {
        if outgoing.count >= room { return NGHTTP2_ERR_WOULDBLOCK.rawValue }
        // It may have been left since its output was looked at.
        guard let stream = stream(id), stream.output.count >= count else { return endsStream }
        append(header)
        var left = count
        while left > 0 {
            var taken = 0
            stream.output.withFirst { first in
                guard case .bytes(let bytes) = first else { return 0 }
                taken = min(left, bytes.count)
                append(UnsafeRawBufferPointer(rebasing: bytes[..<taken]))
                return taken
            }
            guard taken > 0 else { return endsConnection }
            left -= taken
        }
        if header[4] & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0 { stream.isOutputOver = true }
        touch(stream)
        return goesOn
    }
}
