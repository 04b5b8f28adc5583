// SPDX-License-Identifier: Apache-2.0

import CStrataCurl
import StrataCore
import StrataTransportSupport

/// Requests that the server has refused without acting on them, and sends again, and tunnels that a proxy has refused.
extension Transfer {
    /// How often a request is sent that the server refuses unprocessed, at most.
    private static let maximumRefusals = 6

    /// Whether the server has certainly not acted on the request: it named HTTP/1.1 as the way, or refused the stream, or named it
    /// as one beyond the last (RFC 9113 §8.7, §6.8). libcurl fails without a message then, and only then.
    ///
    /// - Parameter code: libcurl's; `nil` where it sends the request once more by itself.
    func isRefusedUnprocessed(_ code: CURLcode? = nil) -> Bool {
        guard connection.version == .http2, head.size == 0, receiving.count == 0, failure == nil else { return false }
        let text = String(cString: detail)
        if ["HTTP_1_1_REQUIRED", "REFUSED_STREAM", "Connection died, tried"].contains(where: { text.contains($0) }) {
            return true
        }
        // With this it goes over to HTTP/1.1, and with no other reason to send again.
        guard let code else { return text.isEmpty || text == "Empty reply from server" }
        return text.isEmpty && [CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_HTTP2].contains(code)
    }

    func noteRefusal() { repeats.refusals += 1 }

    /// The exchange begins once more after a refusal that libcurl takes for a failure.
    func restart() {
        _ = rewind()
        noteRefusal()
        repeats.restarts += 1
        startAfresh()
        connection = ConnectionUse()
    }

    /// How often the request went out.
    var uses: Int { connection.count + repeats.restarts }

    /// Whether the request may be sent once more.
    ///
    /// - Parameter uses: how often it went out before.
    func mayBeRepeated(isUnprocessed: Bool, after uses: Int) -> Bool {
        guard let exchange, exchange.isWaiting else { return false }
        let isAllowed =
            isUnprocessed
            ? repeats.refusals < Self.maximumRefusals : exchange.plan.isIdempotent && uses - repeats.refusals <= 1
        return isAllowed && (exchange.plan.isReplayable || sending.taken == 0)
    }

    /// Whether the connection was reused, and has ended before an answer began. libcurl sends the request again by itself, but not
    /// when it has failed to write the body.
    var isUnansweredOnReuse: Bool {
        connection.version == .http1 && head.size == 0 && receiving.count == 0 && failure == nil
            && number(CURLINFO_NUM_CONNECTS) == 0
    }

    // MARK: - Tunnels

    /// How long the body is waited for with which a proxy asks for credentials in place of a tunnel, in nanoseconds. Nobody gets to see it,
    /// and libcurl reads it to its end, as if there were others to ask with on the same connection.
    private static let refusalLimit: UInt64 = 1_000_000_000

    /// libcurl tells of the refusal only when it is asked.
    func nextTunnelCheck(now: UInt64) -> UInt64 {
        guard connection.count == 0, settings.proxy.isHTTP else { return .max }
        return (connection.tunnelRefused ?? now).saturatingAdd(Self.refusalLimit)
    }

    /// The error when a proxy has refused the tunnel some time ago and its body still has not ended.
    func refusalOfTunnel(now: UInt64) -> NetworkClientError? {
        guard connection.count == 0, settings.proxy.isHTTP, let status = number(CURLINFO_HTTP_CONNECTCODE),
            status >= 300
        else { return nil }
        guard let refused = connection.tunnelRefused else {
            connection.tunnelRefused = now
            return nil
        }
        guard refused.saturatingAdd(Self.refusalLimit) <= now else { return nil }
        return NetworkClientError(
            .proxyFailed, "the proxy opened no tunnel (status \(status)), and what it sent behind that did not end")
    }

    /// The error of a request that the server may have acted on.
    static var notSentAgain: NetworkClientError {
        NetworkClientError(
            .connectionLost, "the connection ended before an answer came, and the request is not sent again")
    }

    /// The error of a request that the server has not processed.
    static func refusal(cause: (any Error)? = nil) -> NetworkClientError {
        var error = NetworkClientError(
            .connectionLost, "the server refused the request without acting on it (RFC 9113 §8.7)", cause: cause)
        error.isUnprocessed = true
        return error
    }
}
