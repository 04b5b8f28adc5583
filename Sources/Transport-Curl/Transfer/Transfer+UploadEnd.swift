// SPDX-License-Identifier: Apache-2.0

import CStrataCurl
import CStrataSupport
import StrataCore
import StrataTransportSupport

/// How an upload ends, and what is known of its connection by then.
extension Transfer {
    /// Whether the server has gone, when that does not also end the response.
    var isAbandoned: Bool {
        // Unknown while receiving is paused: libcurl may have read bytes that it has not handed out.
        guard !receiving.isHeldBack, !head.isComplete || bodyLength != nil, connection.socket >= 0
        else { return false }
        return StrataCurl.localPort(connection.socket) == connection.localPort && hasEnded(connection.socket)
    }

    /// Whether the last byte of the body is held from now on.
    func holdsLastByte(now: UInt64) -> Bool {
        exchange?.upload?.isHoldingLastByte == true && sending.holdLastByte(now: now)
    }

    /// Whether the last byte goes out now.
    func releasesLastByte(now: UInt64) -> Bool {
        guard sending.releasesLastByte(now: now), let upload = exchange?.upload, upload.isHoldingLastByte else {
            return false
        }
        upload.releaseLastByte()
        return true
    }

    /// Whether the body is at its beginning, over TLS on a connection of its own, where refusals are most likely to get lost.
    var isWarilySent: Bool {
        isUploading && sending.taken < 1 << 20 && exchange?.request.head.scheme == "https"
            && connection.version != .http2
    }

    /// Whether the request has a body that libcurl asks for piece by piece.
    var isUploading: Bool { exchange?.plan.sending.isPiecewise == true }

    /// Whether the answer is there in full while the request's body is on its way; true once.
    func isAnsweredEarly(now: UInt64) -> Bool {
        guard isUploading, isAnsweredInFull, sending.answerCame(now: now) else { return false }
        _ = hasWrittenMore()
        return true
    }

    /// Whether such an answer ends the exchange: the server has taken nothing for a while, though there was something
    /// to send.
    func isLeftWithItsAnswer(now: UInt64) -> Bool {
        guard sending.answerIsDue(now: now) else { return false }
        // Sending goes on for a moment now and then though the producer has nothing.
        let isStarving = sending.isPaused || exchange?.upload?.isEmpty == true
        if !isStarving, !receiving.isPaused, !hasWrittenMore() { return true }
        sending.putOffAnswer(now: now)
        return false
    }

    /// The server has answered. If the body waited for the server's consent and was not sent, the connection must not
    /// be used again, although libcurl would do so after a success: the server would read the next request as that body
    /// (RFC 9112 §6.3). The same holds when it is in doubt where the answer ends.
    func forbidUnsafeReuse() {
        guard head.isHTTP1 else { return }
        let isBodyLeft = exchange?.plan.expectsContinue == true && size(CURLINFO_SIZE_UPLOAD_T) == 0
        if isBodyLeft || head.isDoubtful { settings.forbidReuse(easy) }
    }

    /// Whether libcurl can drop what comes behind the answer, and say so in its log alone: where it reads on to see the
    /// body's end, and where there is no body.
    var mayDropWhatComesBehind: Bool { head.isHTTP1 && (bodyLength ?? 0) == 0 }

    /// libcurl says that it has dropped what came behind the answer, in one read with it. Nobody has asked for that, and
    /// the rest of it may come (RFC 9112 §9.2).
    func noteLog(_ text: UnsafeRawBufferPointer) {
        if text.starts(with: "Excess found".utf8) || text.starts(with: "Leftovers after chunking".utf8) {
            settings.forbidReuse(easy)
        }
    }

    /// Whether TLS has decrypted something of the connection that libcurl has not read.
    var hasDecrypted: Bool { strata_tls_pending(easy, TLSLibrary.pending) > 0 }

    /// How the connection was settled to speak, before its first request.
    func settledVersion() -> Connection.Version? {
        guard let plan = exchange?.plan else { return nil }
        // As HTTP/2 in what counts here: one connection carries many.
        if plan.version == .http3 { return .http2 }
        let hasPriorKnowledge = plan.version == .http2PriorKnowledge
        guard exchange?.request.head.scheme == "https" else { return hasPriorKnowledge ? .http2 : .http1 }
        switch strata_tls_protocol(easy, TLSLibrary.selectedProtocol) {
        case 2: return .http2
        case 1: return .http1
        // Without ALPN libcurl goes by the knowledge of the caller.
        case 0: return hasPriorKnowledge ? .http2 : .http1
        default: return nil
        }
    }
}
