// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import StrataMiddleware
import Synchronization
import Tracing

/// The span of a call or of an exchange, from its request to the end of its body.
final class ClientSpan: Sendable {
    private typealias Attribute = SemanticConventions.Attribute

    private let span: any Span
    private let scope: ObservationScope
    private let request: TransportRequest
    private let hasEnded = Atomic(false)

    var context: InstrumentationContext { span.context }

    init(of request: TransportRequest, in scope: ObservationScope, by tracer: any Tracer) {
        self.scope = scope
        // Its body is not kept for as long as the response is read.
        var request = request
        request.body = .empty
        self.request = request
        span = tracer.startSpan(Self.name(of: request), ofKind: scope == .call ? .internal : .client)
        guard span.isRecording else { return }
        describe()
    }

    // A span that nobody has ended would never be reported.
    deinit { finish() }

    /// `GET /users/{id}`, and where nobody has told the template, `GET`: few names for many requests.
    private static func name(of request: TransportRequest) -> String {
        let method = SemanticConventions.method(request.head.method)
        return [method == "_OTHER" ? "HTTP" : method, request.options.urlTemplate].compactMap { $0 }
            .joined(separator: " ")
    }

    private func describe() {
        let method = SemanticConventions.method(request.head.method)
        span.attributes[Attribute.requestMethod] = method
        if method == "_OTHER" { span.attributes[Attribute.requestMethodOriginal] = request.head.method.rawValue }
        if let origin = request.origin {
            span.attributes[Attribute.serverAddress] = origin.hostWithoutBrackets
            span.attributes[Attribute.serverPort] = origin.port
        }
        span.attributes[Attribute.urlFull] = url
        if let template = request.options.urlTemplate { span.attributes[Attribute.urlTemplate] = template }
        if scope == .attempt, let count = request.call?.attemptCount, count > 0 {
            span.attributes[Attribute.resendCount] = count
        }
    }

    /// Without user information and secrets, also those that layers further in have marked until now.
    private var url: String {
        let options = request.call?.options(with: request.options) ?? request.options
        return Redaction.standard.wholeURL(request.head.withoutUserInformation.absoluteURL, options: options)
    }

    func note(_ response: TransportResponse) {
        guard span.isRecording else { return }
        note(response.head.status)
        guard scope == .attempt, let metrics = response.metrics else { return }
        note(metrics)
    }

    private func note(_ metrics: TransportMetrics) {
        if let version = SemanticConventions.protocolVersion(metrics.httpVersion) {
            span.attributes[Attribute.protocolVersion] = version
        }
        if let address = metrics.remoteAddress { span.attributes[Attribute.peerAddress] = address }
    }

    private func note(_ status: HTTPResponse.Status) {
        span.attributes[Attribute.statusCode] = status.code
        // To a client, a 4xx is a failure too.
        if status.code >= 400 { fail(String(status.code)) }
    }

    private func fail(_ type: String) {
        span.attributes[Attribute.errorType] = type
        span.setStatus(SpanStatus(code: .error))
    }

    /// The body is over.
    func end(_ end: BodyEnd, _ status: HTTPResponse.Status) {
        if case .failed(let error) = end { return self.end(with: error, status) }
        finish()
    }

    /// - Parameter status: when the head was there.
    func end(with error: any Error, _ status: HTTPResponse.Status? = nil) {
        if span.isRecording {
            if let status = (error as? NetworkClientError)?.response?.status ?? (error as? RetryAfterError)?.status {
                span.attributes[Attribute.statusCode] = status.code
            }
            let type = CallMetrics.errorType(of: error, status: status)
            if error is CancellationError {
                // The caller wanted it so.
                span.attributes[Attribute.errorType] = type
            } else {
                fail(type)
            }
        }
        finish()
    }

    private func finish() {
        guard !hasEnded.exchange(true, ordering: .acquiringAndReleasing) else { return }
        if span.isRecording { span.attributes[Attribute.urlFull] = url }
        span.end()
    }
}

extension Origin {
    /// `::1` of `[::1]`.
    var hostWithoutBrackets: String { host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host }
}
