// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Logging
import StrataCore

/// What is written about one pass through a ``LoggingMiddleware``.
struct CallLog: Sendable {
    private let options: LoggingMiddleware
    private let request: TransportRequest
    private let clock: any NetworkClock
    private let started: Duration
    private let details: LoggingMiddleware.Details
    /// Why the attempt is made; `nil` for a call's first, and for whole calls.
    private let reason: ExchangeRecord.Reason?
    private let sentBody: BodySample

    init(_ options: LoggingMiddleware, _ request: TransportRequest) {
        self.options = options
        self.request = request
        clock = request.call?.clock ?? SystemClock()
        started = clock.now
        details = options.logger.logLevel <= options.detailLevel ? options.details : []
        let reason = options.scope == .attempt ? request.call?.nextReason : nil
        self.reason = reason == .first ? nil : reason
        sentBody = BodySample(limit: options.bodyLimit)
    }

    /// Writes what is known before the request is sent.
    ///
    /// - Returns: the request to send. Its body is watched if it is to be written and is not in memory.
    func begin() -> TransportRequest {
        if details.contains(.curl) {
            var request = request
            request.options = requestOptions
            detail(request.curlCommand(redaction: options.redaction, bodyLimit: options.bodyLimit))
        }
        if details.contains(.requestFields) {
            detail("-> \(line)\n\(fields(request.head.headerFields))")
        }
        guard details.contains(.requestBody), !request.body.isEmpty else { return request }
        if let data = request.body.data {
            sentBody.add(data)
            writeSentBody()
            return request
        }
        var request = request
        request.body = request.body.observed(
            onStart: { [sentBody] in sentBody.reset() }, onPiece: { [sentBody] in sentBody.add($0) })
        return request
    }

    func watch(_ response: inout TransportResponse) {
        finishRequest()
        let head = response.head
        if details.contains(.responseFields) {
            detail("<- \(head.status.code) \(line)\n\(fields(head.headerFields))")
        }
        let isEventStream = HTTPFields.essence(of: head.headerFields[.contentType]) == "text/event-stream"
        let keepsBody = details.contains(.responseBody) && !isEventStream
        let sample = BodySample(limit: keepsBody ? options.bodyLimit : 0)
        response.observeBody(onPiece: { sample.add($0) }) { end in
            if keepsBody, sample.count > 0 {
                detail("<- body: \(text(of: sample, contentType: head.headerFields[.contentType]))")
            }
            finish(head, sample, end)
        }
    }

    func fail(_ error: any Error) {
        finishRequest()
        writeAttempts()
        if error is CancellationError {
            write(options.levels.cancelled, "\(line) cancelled after \(elapsed)\(attempts)")
        } else if let status = Self.refusedStatus(error) {
            write(
                level(of: status),
                "\(line) -> \(status.code), refused after \(elapsed): \(Self.reason(error))\(attempts)")
        } else {
            write(options.levels.failure, "\(line) failed after \(elapsed): \(Self.reason(error))\(attempts)")
        }
    }

    private func finish(_ head: HTTPResponse, _ sample: BodySample, _ end: BodyEnd) {
        writeAttempts()
        let size = "\(sample.count) bytes"
        let status = "\(line) -> \(head.status.code)"
        switch end {
        case .complete: write(level(of: head.status), "\(status) in \(elapsed), \(size)\(attempts)\(origin)")
        case .abandoned:
            write(
                head.status.code < 400 ? options.levels.cancelled : level(of: head.status),
                "\(status), body given up after \(elapsed), \(size)\(attempts)\(origin)")
        case .failed(let error):
            write(
                options.levels.failure,
                "\(status), body failed after \(elapsed), \(size): \(Self.reason(error))\(attempts)")
        }
    }

    private func level(of status: HTTPResponse.Status) -> Logger.Level {
        switch status.code {
        case ..<400: options.levels.success
        case ..<500: options.levels.clientError
        default: options.levels.serverError
        }
    }

    /// The status of a response that an inner layer has turned into an error.
    private static func refusedStatus(_ error: any Error) -> HTTPResponse.Status? {
        if let error = error as? RetryAfterError { return error.status }
        guard let error = error as? NetworkClientError, error.code == .unacceptableStatus else { return nil }
        return error.response?.status
    }

    /// What an error says. Only the messages of `NetworkClientError` are known to be free of secrets, so other errors
    /// are written by their type.
    private static func reason(_ error: any Error) -> String {
        guard let error = error as? NetworkClientError else { return String(describing: type(of: error)) }
        return "\(error.code): \(error.message)"
    }

    // MARK: Pieces of lines

    private var line: String {
        let url = options.redaction.wholeURL(
            request.head.withoutUserInformation.absoluteURL, options: requestOptions)
        let line = "\(request.head.method.rawValue) \(url)"
        return reason.map { "\(line) [\($0)]" } ?? line
    }

    /// With the names of secrets that layers further in have marked.
    private var requestOptions: RequestOptions {
        request.call?.options(with: request.options) ?? request.options
    }

    private var elapsed: String { "\((clock.now - started).milliseconds) ms" }

    private var attempts: String {
        guard options.scope == .call, let record = request.call?.record else { return "" }
        let count = record.attempts.count
        return (count > 1 ? ", \(count) attempts" : "") + (record.noRetry.map { ", no retry: \($0)" } ?? "")
            + (record.attempts.contains(where: \.hasCredentialsInClear) ? ", credentials in clear" : "")
    }

    /// That a cache has answered, and how.
    private var origin: String {
        guard case .cache(let answer)? = request.call?.served else { return "" }
        return ", from the cache (\(answer))"
    }

    private func fields(_ fields: HTTPFields) -> String {
        let requestOptions = requestOptions
        return fields.map { "  \($0.name): \(options.redaction.value(of: $0, options: requestOptions))" }
            .joined(separator: "\n")
    }

    private func text(of sample: BodySample, contentType: String?) -> String {
        let rest = sample.count - Int64(sample.start.count)
        return options.redaction.body(sample.start, contentType: contentType, options: requestOptions)
            + (rest > 0 ? " … and \(rest) bytes" : "")
    }

    // MARK: Writing

    private func finishRequest() {
        if details.contains(.requestBody), request.body.data == nil, sentBody.count > 0 { writeSentBody() }
    }

    private func writeSentBody() {
        detail("-> body: \(text(of: sentBody, contentType: request.head.headerFields[.contentType]))")
    }

    private func writeAttempts() {
        guard details.contains(.attempts), let record = request.call?.record, !record.attempts.isEmpty else { return }
        detail(options.redaction.url("\(record)", options: requestOptions))
    }

    private func detail(_ text: String) { log(options.detailLevel, Self.printable(text, keepsLines: true)) }

    private func write(_ level: Logger.Level, _ text: String) { log(level, Self.printable(text)) }

    private func log(_ level: Logger.Level, _ text: String) {
        var metadata: Logger.Metadata?
        if let id = request.call?.requestID ?? request.head.headerFields[options.requestIDField] {
            metadata = ["request-id": .string(Self.printable(id))]
        }
        options.logger.log(level: level, "\(text)", metadata: metadata, source: "Strata")
    }

    /// The text without control characters, with which a server or a caller could forge another line or control a
    /// terminal.
    private static func printable(_ text: String, keepsLines: Bool = false) -> String {
        func isControl(_ scalar: Unicode.Scalar) -> Bool {
            if keepsLines, scalar == "\n" || scalar == "\t" { return false }
            return scalar.isControl
        }
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { isControl($0) ? "\u{fffd}" : $0 }))
    }
}
