// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// What happened in a call: every attempt, why it was made, and how it ended.
///
/// It rides on every response and error. It shows no field value, no query and no body.
public struct ExchangeRecord: Sendable {
    public internal(set) var attempts: [Attempt] = []
    /// The waits in layers of the client's own, such as limits, in order. Those between attempts are in their ``Reason``.
    public internal(set) var waits: [Wait] = []
    /// Since the call began.
    public internal(set) var total: Duration = .zero
    /// Why there was no further attempt, after a failure that a retry layer has judged.
    public package(set) var noRetry: NoRetry?
    /// Where the response came from that was handed up last.
    public internal(set) var served = Served.network

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
        /// The same, and for an answer that only asks for credentials. A redirect was acted on.
        package var isCertainlyUnprocessed: Bool { status == nil && isUnprocessed || status == .unauthorized }
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

        /// Whether credentials went over plain `http` to another machine, where anybody on the way can read them.
        /// Those of a digest cannot be read.
        public var hasCredentialsInClear: Bool {
            guard let credentials = head.headerFields[.authorization],
                !credentials.prefix(7).asciiLowercased.hasPrefix("digest ")
            else { return false }
            return Origin(scheme: head.scheme, authority: head.authority)?.isInClear == true
        }
    }

    /// Why an attempt was made.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
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

    /// Where a response came from.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Served: Hashable, Sendable, CustomStringConvertible {
        /// The server, by the last of the attempts.
        case network
        /// A cache of the client's own.
        case cache(CacheAnswer)

        public var description: String {
            switch self {
            case .network: "network"
            case .cache(let answer): "cache(\(answer))"
            }
        }
    }

    /// How a cache has answered. More may come: a `switch` needs a `default`.
    public struct CacheAnswer: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// With a response that was fresh.
        public static let hit = CacheAnswer(description: "hit")
        /// With a stored response of which the server has confirmed that it is still valid.
        public static let revalidated = CacheAnswer(description: "revalidated")
        /// With a stored response whose time had passed, as the server or the request allowed.
        public static let stale = CacheAnswer(description: "stale")
        /// With the response to the same request, which another call had sent already.
        public static let collapsed = CacheAnswer(description: "collapsed")
        /// With a 504, because the request wanted a stored response alone and there was none.
        public static let unsatisfied = CacheAnswer(description: "unsatisfied")
    }

    /// One line for errors and logs; `nil` when nothing was sent.
    public var summary: String? {
        guard let last = attempts.last else { return nil }
        let line = "\(last.method.rawValue) \(last.url)"
        let ending = noRetry.map { ["no retry: \($0)"] } ?? []
        return ([line] + (attempts.count == 1 ? [] : ["\(attempts.count) attempts"]) + ending)
            .joined(separator: ", ")
    }
}

extension ExchangeRecord: CustomStringConvertible {
    /// One line an attempt, one for ``waits``, one for ``noRetry`` and one for a cache that has answered.
    public var description: String {
        var lines = attempts.enumerated().map { "#\($0.offset + 1) \($0.element)" }
        if !waits.isEmpty { lines.append("waited: \(waits.map(\.description).joined(separator: ", "))") }
        if let noRetry { lines.append("no retry: \(noRetry)") }
        if served != .network { lines.append("served: \(served)") }
        return lines.joined(separator: "\n")
    }
}

extension ExchangeRecord.Attempt: CustomStringConvertible, CustomReflectable {
    /// One line.
    public var description: String {
        var line = "\(reason): \(method.rawValue) \(url)"
        if hasCredentialsInClear { line += " with credentials in clear" }
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

    /// What ``description`` leaves out, except for the head.
    @_documentation(visibility: internal)
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "started": started, "bytesReceived": bytesReceived, "metrics": metrics as Any, "transport": transport,
            ], displayStyle: .struct)
    }
}
