// SPDX-License-Identifier: Apache-2.0

import CStrataNGHTTP2
import StrataCore

/// Signs of life, and how a connection ends.
extension HTTP2Session {
    /// Asks for a sign of life.
    func ping() {
        isPingAnswered = false
        nghttp2_submit_ping(codec, 0, nil)
    }

    /// Says that nothing more begins. What is under way goes on.
    func goAway(_ code: HTTP2Code = .noError) {
        isGoingAway = true
        nghttp2_submit_goaway(codec, 0, 0, code.rawValue, nil, 0)
    }

    func fail(flood kind: HTTP2FloodGuard.Kind) {
        guard failure == nil else { return }
        failure = NetworkClientError(
            .protocolViolation, "the server floods the connection with \(kind.name) frames (RFC 9113 §10.5)")
        goAway(.enhanceYourCalm)
    }

    func fail(_ code: Int) {
        guard failure == nil else { return }
        if code == Int(NGHTTP2_ERR_FLOODED.rawValue) { return fail(flood: .ping) }
        if code == STRATA_NGHTTP2_ERR_TOO_MANY_CONTINUATIONS { return fail(flood: .continuation) }
        failure = .broken(Self.text(of: Int32(clamping: code)))
        isGoingAway = true
    }

    /// nghttp2's words, which quote nothing of what was sent.
    static func text(of code: Int32) -> String { nghttp2_strerror(code).map { String(cString: $0) } ?? "" }
}
