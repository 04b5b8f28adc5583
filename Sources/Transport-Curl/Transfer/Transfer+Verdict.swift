// SPDX-License-Identifier: Apache-2.0

import CStrataCurl
import HTTPTypes
import StrataCore
import StrataTransportSupport

/// Decisions that are not left to libcurl.
extension Transfer {
    /// Whether the request may be written to the connection that libcurl has for it. Asked again when a reused
    /// connection has ended without an answer, because libcurl then writes the request to another one.
    ///
    /// - Parameters:
    ///   - nameless: the authorities whose certificates have been refused for having no names.
    ///   - isUnprocessed: whether the server has refused the request without acting on it.
    func mayBeSent(_ nameless: inout Set<String>, isUnprocessed: Bool) -> Bool {
        guard let exchange else { return true }
        if failure != nil { return false }
        if lacksHostNames(exchange.request.head, &nameless) {
            // Otherwise libcurl keeps an HTTP/2 connection for the next exchange, for which no certificate is reported.
            settings.forbidReuse(easy)
            failure = NetworkClientError(
                .tlsFailed, "the server's certificate has no subject alternative name (RFC 9525)")
            return false
        }
        guard connection.count > 1 else { return true }
        // After a 417 libcurl sends the request again without `Expect`, and does not hand out the response's body.
        if head.isComplete {
            if head.code != 417 {
                failure = NetworkClientError(.connectionLost, "the connection ended before the response was complete")
            } else if head.contentLength != 0 {
                failure = NetworkClientError(.internalFailure, "libcurl does not hand out the body of a 417")
            }
            return false
        }
        // Once, and only where being acted on twice does no harm (RFC 9110 §9.2.2); some more times after a refusal.
        guard mayBeRepeated(isUnprocessed: isUnprocessed, after: uses - 1), rewind() else {
            failure = isUnprocessed ? Self.refusal() : Self.notSentAgain
            return false
        }
        startOver()
        return true
    }

    /// Whether the server's certificate names its host in the common name alone, which libcurl with OpenSSL still
    /// accepts and RFC 9110 §4.3.4 does not. A reused connection was checked when it was made. A new connection without
    /// a certificate resumes the TLS session of one that was refused. Without TLS to the server, the only certificate
    /// is that of a proxy.
    private func lacksHostNames(_ head: HTTPRequest, _ nameless: inout Set<String>) -> Bool {
        guard head.scheme == "https", CurlVersion.current.showsExtensions else { return false }
        switch strata_leaf_has_alternative_names(easy) {
        case 0:
            nameless.insert(head.authority ?? "")
            return true
        case 1:
            if !nameless.isEmpty { nameless.remove(head.authority ?? "") }
            return false
        default:
            return !nameless.isEmpty && nameless.contains(head.authority ?? "")
                && number(CURLINFO_NUM_CONNECTS).map { $0 > 0 } == true
        }
    }

    /// What libcurl's result means, since it takes some broken responses for complete, and some complete ones for
    /// broken.
    ///
    /// - Returns: what ended the exchange early.
    func verdict(_ code: CURLcode) -> (any Error)? {
        if let failure { return failure }
        if code == CURLE_OK {
            // The source had more bytes than announced, which was noticed when all announced bytes had been sent.
            if !isRefused, let failure = exchange?.upload?.failure { return failure }
            // libcurl reports success even if the connection ends within the head.
            guard head.isComplete else {
                return NetworkClientError(
                    .connectionLost, "the connection ended before the response's head was complete")
            }
            if receiving.end.isReset {
                return NetworkClientError(
                    .connectionLost, "the connection was reset: the body may have been cut short")
            }
            guard needsCloseNotify, receiving.end.hasCloseNotify == false else { return nil }
            return NetworkClientError(
                .connectionLost, "the connection ended without close_notify: the body may have been cut short")
        }
        // The server answered in full and closed while the request's body was still going out (RFC 9112 §9.5), or libcurl
        // was kept from sending an answered request again.
        return isAnsweredInFull || receiving.end.isSalvagedInFull || isEndedByServer(code) ? nil : error(for: code)
    }

    /// Whether a stream of HTTP/2 had its whole answer, although libcurl reports a failure: the server did not want the
    /// rest of the request (RFC 9113 §8.1), or had taken all of it. libcurl then fails to send and gives no message;
    /// for a connection that breaks it gives another code. Bytes that libcurl kept for a slow reader are lost.
    private func isEndedByServer(_ code: CURLcode) -> Bool {
        (code == CURLE_HTTP2_STREAM || code == CURLE_SEND_ERROR && !head.isHTTP1) && isUploading && head.isComplete
            && bodyLength == nil && !hasDetail && !receiving.isPaused
    }
}
