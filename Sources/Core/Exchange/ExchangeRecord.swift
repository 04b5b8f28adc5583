// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// What happened in a call: every attempt, why it was made, and how it ended.
///
/// It rides on every response and error. It shows no field value, no query and no body.
public struct ExchangeRecord: Sendable {
    public internal(set) var attempts: [Attempt] = []
    /// Since the call began.
    public internal(set) var total: Duration = .zero

    public init() {}

    /// One exchange with a server.
    public struct Attempt: Sendable {
        public let reason: Reason
        let head: HTTPRequest
        /// When it began, measured from the beginning of the call.
        public let started: Duration
        public internal(set) var status: HTTPResponse.Status?
        /// The code of the error that ended it; also when it ended while the body was read.
        public internal(set) var error: NetworkClientError.Code?
        public internal(set) var isCancelled = false
        /// The server has certainly not acted on the request: ``NetworkClientError/isUnprocessed``.
        package internal(set) var isUnprocessed = false
        /// Decoded bytes of the body that were read so far.
        public internal(set) var bytesReceived: Int64 = 0
        /// Up to the head, or up to the failure.
        public internal(set) var duration: Duration?
        /// What the transport knew when the head arrived. Completed when the body has ended, by transports that report
        /// it.
        public internal(set) var metrics: TransportMetrics?
        /// The transport that carried it, with its version.
        public let transport: String

        /// Changes the attempt in place, because copying it costs more.
        mutating func apply(_ change: (inout Self) -> Void) { change(&self) }

        public var method: HTTPMethod { head.method }

        /// Scheme, host, port and path; without user information and query.
        public var url: String { head.urlWithoutQuery }
    }

    /// Why an attempt was made.
    public enum Reason: Hashable, Sendable, CustomStringConvertible {
        case first
        /// Again after `cause` (a status or an error's code), `waited` later.
        case retry(cause: String, waited: Duration)
        /// A redirect was followed; the named fields were left behind.
        case redirect(status: Int, dropped: [String])
        /// Again with fresh credentials.
        case refresh
        /// Again because a middleware of your own wanted it.
        case other(String)

        public var description: String {
            switch self {
            case .first: "first"
            case .retry(let cause, let waited): "retry(\(cause), waited \(waited.brief))"
            case .redirect(let status, let dropped):
                dropped.isEmpty
                    ? "redirect(\(status))" : "redirect(\(status), dropped: \(dropped.joined(separator: ", ")))"
            case .refresh: "refresh"
            case .other(let text): text
            }
        }
    }

    /// One line for errors and logs; `nil` when nothing was sent.
    public var summary: String? {
        guard let last = attempts.last else { return nil }
        return attempts.count == 1
            ? "\(last.method.rawValue) \(last.url)" : "\(last.method.rawValue) \(last.url), \(attempts.count) attempts"
    }
}

extension ExchangeRecord: CustomStringConvertible {
    /// One line an attempt.
    public var description: String {
        attempts.enumerated().map { "#\($0.offset + 1) \($0.element)" }.joined(separator: "\n")
    }
}

extension ExchangeRecord.Attempt: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// One line.
    public var description: String {
        var line = "\(reason): \(method.rawValue) \(url)"
        if let status { line += " -> \(status.code)" }
        if let error { line += " -> \(error)" }
        if isCancelled { line += " -> cancelled" }
        if let metrics {
            if let version = metrics.httpVersion { line += " \(version)" }
            if metrics.isConnectionReused == true { line += " reused" }
            if let count = metrics.skippedFieldLines { line += " without \(count) invalid field lines" }
        }
        if let duration { line += " in \(duration.milliseconds) ms" }
        return line
    }

    public var debugDescription: String { description }

    /// What ``description`` leaves out, except for the head.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "started": started, "bytesReceived": bytesReceived, "metrics": metrics as Any, "transport": transport,
            ], displayStyle: .struct)
    }
}
