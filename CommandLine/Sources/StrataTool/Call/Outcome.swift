// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// How the tool ends, by the class of what happened. CommandLine.md lists them for users.
package enum Outcome: Int32 {
    case success = 0
    case failure = 1
    case timedOut = 2
    /// With `--check-status`, and for downloads.
    case redirection = 3
    case clientError = 4
    case serverError = 5
    case tooManyRedirects = 6
    case notConnected = 7
    case tlsFailed = 8
    /// The response is incomplete or breaks the protocol.
    case brokenResponse = 9
    case fileFailed = 10
    /// As `EX_USAGE` of sysexits.h.
    case usage = 64
    case interrupted = 130
    case outputClosed = 141

    package init(status: Int) {
        switch status {
        case 300..<400: self = .redirection
        case 400..<500: self = .clientError
        case 500...: self = .serverError
        default: self = .success
        }
    }

    package init(_ error: any Error) {
        switch error {
        case is UsageError: self = .usage
        case is OutputClosed: self = .outputClosed
        case is CancellationError: self = .interrupted
        case let error as NetworkClientError: self.init(error)
        default: self = .failure
        }
    }

    private init(_ error: NetworkClientError) {
        switch error.code {
        case .timedOut: self = .timedOut
        case .tooManyRedirects: self = .tooManyRedirects
        case .cannotConnect, .dnsFailed, .proxyFailed: self = .notConnected
        case .tlsFailed: self = .tlsFailed
        case .connectionLost, .protocolViolation, .contentEncodingFailed, .bodyTooLarge: self = .brokenResponse
        case .fileFailed: self = .fileFailed
        case .malformedURL, .invalidRequest, .unsupportedByTransport: self = .usage
        case .cancelled: self = .interrupted
        case .unacceptableStatus:
            let outcome = error.response.map { Outcome(status: $0.status.code) } ?? .failure
            self = outcome == .success ? .failure : outcome
        default: self = .failure
        }
    }
}
