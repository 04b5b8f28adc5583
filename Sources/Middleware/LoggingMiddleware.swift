// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import Logging
public import StrataCore

/// Writes a line about each call to a swift-log logger, when its body has been read to the end or given up.
///
///     GET https://api.example/users?page=2 -> 200 in 83 ms, 5120 bytes, 2 attempts
///
/// The level of the line tells the outcome; ``details`` adds lines at ``detailLevel``. Secrets are redacted everywhere.
/// Bodies are copied as they pass, up to ``bodyLimit``, and nothing is held back. The events of an event stream are
/// counted. A request's body that is sent more than once is written as it was sent last. The request id of
/// ``RequestIDMiddleware``, or of the caller, is in the metadata as `request-id`.
///
/// Place: outermost. With the scope ``ObservationScope/attempt``: at the place in the stack that is to be observed.
public struct LoggingMiddleware: NetworkMiddleware {
    public var logger: Logger
    public var levels = Levels()
    /// What is written beside the line. Default: nothing.
    public var details: Details
    /// The level of the details. Default: debug.
    public var detailLevel = Logger.Level.debug
    /// How many bytes of a body are written. Default: 4096.
    public var bodyLimit = 4096
    /// Which secrets are not written down. Default: ``StrataCore/Redaction/standard``.
    public var redaction = Redaction.standard
    public var scope: ObservationScope
    /// The field that holds the request's id, for the metadata. Default: `X-Request-ID`.
    public var requestIDField = HTTPField.Name.requestID

    public init(_ logger: Logger, details: Details = [], scope: ObservationScope = .call) {
        self.logger = logger
        self.details = details
        self.scope = scope
    }

    public init(label: String = "strata", details: Details = [], scope: ObservationScope = .call) {
        self.init(Logger(label: label), details: details, scope: scope)
    }

    @_documentation(visibility: internal)
    public var placement: MiddlewarePlacement { scope.placement(.logging) }

    @_documentation(visibility: internal)
    public func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        let log = CallLog(self, request)
        let request = log.begin()
        do {
            var response = try await next(request)
            log.watch(&response)
            return response
        } catch {
            log.fail(error)
            throw error
        }
    }

    /// The level of the line, by outcome.
    public struct Levels: Hashable, Sendable {
        /// Status up to 399. Default: info.
        public var success = Logger.Level.info
        /// 400 to 499. Default: warning.
        public var clientError = Logger.Level.warning
        /// 500 and above. Default: error.
        public var serverError = Logger.Level.error
        /// No response, or a body that broke. Default: error.
        public var failure = Logger.Level.error
        /// Cancelled, or its body given up by the reader when the status was up to 399. Default: info.
        public var cancelled = Logger.Level.info

        public init() {}
    }

    /// What is written beside the line of a call.
    public struct Details: OptionSet, Hashable, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// That the request begins, and its fields.
        public static let requestFields = Details(rawValue: 1 << 0)
        public static let requestBody = Details(rawValue: 1 << 1)
        public static let responseFields = Details(rawValue: 1 << 2)
        public static let responseBody = Details(rawValue: 1 << 3)
        /// Each attempt, with the reason for it.
        public static let attempts = Details(rawValue: 1 << 4)
        /// The request as a curl command.
        public static let curl = Details(rawValue: 1 << 5)

        public static let fields: Details = [.requestFields, .responseFields]
        public static let bodies: Details = [.requestBody, .responseBody]
        public static let everything: Details = [.fields, .bodies, .attempts, .curl]
    }
}
