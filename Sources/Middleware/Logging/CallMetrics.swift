// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StrataCore

/// What ``MetricsMiddleware`` measured.
public struct CallMetrics: Sendable {
    public let method: HTTPMethod
    /// Scheme, host and port; `nil` when the request was malformed.
    public let origin: Origin?
    /// Without its query.
    public let path: String
    /// What the paths of such requests have in common; `nil` where that is not known. In place of ``path`` where each value costs
    /// memory, as labels of metrics do. See `RequestOptions.urlTemplate`.
    public let urlTemplate: String?
    /// The size of the request's body, when it was known beforehand.
    public let requestBodySize: Int64?
    public internal(set) var status: HTTPResponse.Status?
    /// The code of the error that ended the call. It is `unacceptableStatus` for a ``RetryAfterError`` and
    /// `internalFailure` for errors of other types.
    public internal(set) var error: NetworkClientError.Code?
    /// By ``errorType(of:status:)``.
    package private(set) var errorType: String?
    /// Cancelled, or the body given up by its reader.
    public internal(set) var isCancelled = false
    /// Decoded bytes of the response's body that were read.
    public internal(set) var bytesReceived: Int64 = 0
    /// Until the response's head; `nil` when there was none.
    public internal(set) var timeToHead: Duration?
    /// Until the end of the body.
    public internal(set) var duration: Duration = .zero
    /// All attempts of the call so far.
    public internal(set) var exchange = ExchangeRecord()

    init(_ request: TransportRequest) {
        method = request.head.method
        origin = request.origin
        path = String((request.head.path ?? "/").prefix { $0 != "?" })
        urlTemplate = request.options.urlTemplate
        requestBodySize = request.body.length
    }

    mutating func fail(_ error: any Error) {
        switch error {
        case is CancellationError: isCancelled = true
        case let error as RetryAfterError:
            self.error = .unacceptableStatus
            status = error.status
        case let error as NetworkClientError:
            self.error = error.code
            status = status ?? error.response?.status
        default: self.error = .internalFailure
        }
        errorType = Self.errorType(of: error, status: status)
    }

    /// Why it failed, as one of few values that stay the same and without any text of the error's own: the status of a response
    /// that was refused, a code, or the bare name of a type. A name with its module has addresses for types that are private.
    ///
    /// - Parameter status: of a response that came before the error.
    package static func errorType(of error: any Error, status: HTTPResponse.Status?) -> String {
        if error is CancellationError { return NetworkClientError.Code.cancelled.description }
        if let error = error as? RetryAfterError { return String(error.status.code) }
        let known = error as? NetworkClientError
        if let status = status ?? known?.response?.status, status.code >= 400 || known?.code == .unacceptableStatus {
            return String(status.code)
        }
        return known?.code.description ?? String(describing: type(of: error))
    }

    mutating func finish(_ call: CallContext?, started: Duration, ended: Duration) {
        duration = ended - started
        guard let call else { return }
        exchange = call.record
        // The head came, and a layer further in threw it away.
        if status != nil, timeToHead == nil, let last = exchange.attempts.last, let elapsed = last.duration {
            timeToHead = call.started + last.started + elapsed - started
        }
    }
}
