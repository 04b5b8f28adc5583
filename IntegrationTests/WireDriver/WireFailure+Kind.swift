// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataAuthentication
import StrataCore
import StrataMiddleware

extension WireFailure {
    /// An error in the vocabulary of the vectors.
    init(_ error: any Error) {
        kind = Self.kind(of: error)
        message = String("\(error)".prefix(300))
        body = (error as? NetworkClientError)?.body.map { String(decoding: $0, as: UTF8.self) }
    }

    private static func kind(of error: any Error) -> String {
        if error is CancellationError { return "cancelled" }
        if error is OAuthError { return "auth" }
        guard let error = error as? NetworkClientError else { return "other" }
        switch error.code {
        case .dnsFailed, .cannotConnect: return "connection"
        // Cut off inside the body, reset, or closed before there was a response.
        case .connectionLost:
            return error.response != nil ? "truncated" : error.message.contains("reset") ? "connection" : "closed"
        case .protocolViolation: return "protocol"
        case .timedOut: return "timeout"
        case .tlsFailed: return "tls"
        case .proxyFailed: return "proxy"
        case .bodyTooLarge: return "limit"
        case .contentEncodingFailed: return "decode"
        case .malformedURL, .invalidRequest, .unsupportedByTransport, .encodingFailed, .uploadFailed:
            return "invalid-request"
        case .tooManyRedirects, .invalidRedirect, .bodyNotReplayable: return "redirect"
        case .unacceptableStatus, .unacceptableContentType: return "http-status"
        default: return "other"
        }
    }
}
