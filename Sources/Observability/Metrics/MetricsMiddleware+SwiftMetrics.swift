// SPDX-License-Identifier: Apache-2.0

public import CoreMetrics
import HTTPTypes
import StrataCore
public import StrataMiddleware

extension MetricsMiddleware {
    /// Reports calls by swift-metrics, as OpenTelemetry's conventions for HTTP clients name them:
    ///
    ///     configuration.middleware = [MetricsMiddleware.swiftMetrics(), RetryMiddleware()]
    ///
    /// | name | kind | what |
    /// | --- | --- | --- |
    /// | `http.client.request.duration` | timer, in seconds | until the end of the body |
    /// | `http.client.active_requests` | meter | what is under way |
    /// | `http.client.request.body.size`, `http.client.response.body.size` | recorder, in bytes | where it is known; of the response, what was read, decoded |
    /// | `strata.client.attempts` | recorder | exchanges in a call |
    /// | `strata.client.retries` | counter | by `strata.retry.reason`: a status, a code, `redirect`, `refresh`, `other` |
    /// | `strata.client.cache.answers` | counter | by `strata.cache.answer`: `hit`, `revalidated` … |
    ///
    /// Their labels are `http.request.method`, `server.address`, `server.port`, and for what is over `url.template`,
    /// `http.response.status_code`, `error.type` and `network.protocol.version`: never a path, a query or a text of an error. The
    /// conventions' boundaries for the duration are ``durationBuckets``, to be given to the backend.
    ///
    /// Place: outermost. With the scope ``ObservationScope/attempt`` each exchange is measured; then there are none of the last three.
    ///
    /// - `factory`: Default: that of `MetricsSystem`.
    public static func swiftMetrics(
        scope: ObservationScope = .call, factory: (any MetricsFactory)? = nil
    ) -> MetricsMiddleware {
        let reporter = CallReporter(scope: scope, factory: factory)
        return MetricsMiddleware(scope: scope, begin: { reporter.begin($0) }, collect: { reporter.end($0) })
    }

    /// The boundaries of the histogram of `http.client.request.duration`, in seconds. swift-metrics has no place for them: give
    /// them to the backend.
    public static let durationBuckets: [Double] = [
        0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
    ]
}

/// Turns what was measured into metrics.
private struct CallReporter: Sendable {
    private typealias Attribute = SemanticConventions.Attribute
    private typealias Name = SemanticConventions.Metric

    let scope: ObservationScope
    let factory: (any MetricsFactory)?

    private var currentFactory: any MetricsFactory { factory ?? MetricsSystem.factory }

    func begin(_ metrics: CallMetrics) { active(metrics).increment(by: 1) }

    private func active(_ metrics: CallMetrics) -> Meter {
        Meter(label: Name.activeRequests, dimensions: Self.server(of: metrics), factory: currentFactory)
    }

    func end(_ metrics: CallMetrics) {
        let factory = currentFactory
        active(metrics).decrement(by: 1)
        let dimensions = Self.dimensions(of: metrics)
        Timer(label: Name.requestDuration, dimensions: dimensions, preferredDisplayUnit: .seconds, factory: factory)
            .recordNanoseconds(metrics.duration.nanoseconds)
        if let size = metrics.requestBodySize, size > 0 {
            Recorder(label: Name.requestBodySize, dimensions: dimensions, aggregate: true, factory: factory).record(
                size)
        }
        if metrics.status != nil {
            Recorder(label: Name.responseBodySize, dimensions: dimensions, aggregate: true, factory: factory)
                .record(metrics.bytesReceived)
        }
        if scope == .call { reportCourse(of: metrics, factory) }
    }

    /// What only a whole call has.
    private func reportCourse(of metrics: CallMetrics, _ factory: any MetricsFactory) {
        let server = Self.server(of: metrics)
        let attempts = metrics.exchange.attempts
        Recorder(label: Name.attempts, dimensions: server, aggregate: true, factory: factory).record(attempts.count)
        for attempt in attempts.dropFirst() {
            let reason = [(Attribute.retryReason, Self.label(of: attempt.reason))]
            Counter(label: Name.retries, dimensions: server + reason, factory: factory).increment()
        }
        if case .cache(let answer) = metrics.exchange.served {
            let dimensions = server + [(Attribute.cacheAnswer, answer.description)]
            Counter(label: Name.cacheAnswers, dimensions: dimensions, factory: factory).increment()
        }
    }

    /// One of few values: an app's own reasons may have any text.
    private static func label(of reason: ExchangeRecord.Reason) -> String {
        switch reason {
        case .retry(let cause, _) where isStatus(cause) || NetworkClientError.Code(name: cause) != nil: cause
        case .redirect: "redirect"
        case .refresh: "refresh"
        default: "other"
        }
    }

    private static func isStatus(_ text: String) -> Bool {
        text.utf8.count == 3 && text.utf8.allSatisfy(\.isDigit)
    }

    private static func server(of metrics: CallMetrics) -> [(String, String)] {
        var dimensions = [(Attribute.requestMethod, SemanticConventions.method(metrics.method))]
        if let origin = metrics.origin {
            dimensions.append((Attribute.serverAddress, origin.hostWithoutBrackets))
            dimensions.append((Attribute.serverPort, String(origin.port)))
        }
        return dimensions
    }

    private static func dimensions(of metrics: CallMetrics) -> [(String, String)] {
        var dimensions = server(of: metrics)
        func add(_ name: String, _ value: String?) { if let value { dimensions.append((name, value)) } }
        add(Attribute.urlTemplate, metrics.urlTemplate)
        add(Attribute.statusCode, metrics.status.map { String($0.code) })
        add(Attribute.errorType, errorType(of: metrics))
        let version = metrics.exchange.attempts.last?.metrics?.httpVersion
        add(Attribute.protocolVersion, SemanticConventions.protocolVersion(version))
        return dimensions
    }

    private static func errorType(of metrics: CallMetrics) -> String? {
        if let type = metrics.errorType { return type }
        return metrics.status.flatMap { $0.code >= 400 ? String($0.code) : nil }
    }
}

extension Duration {
    /// Whole nanoseconds; the longest time for what is longer.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflows ? .max : whole + attoseconds / 1_000_000_000
    }
}
