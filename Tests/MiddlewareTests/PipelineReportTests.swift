// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import MiddlewareSupport
import StrataCore
import StrataEncoding
import StrataMiddleware
import StrataTesting
import TestSupport
import Testing

/// What the middleware of this module say about their places.
struct PipelineReportTests {
    private let logging = LoggingMiddleware(LogCollector().logger())
    private let metrics = MetricsMiddleware { _ in }
    private let retry = RetryMiddleware()
    private let bearer = BearerAuthMiddleware(token: Secret.token)
    private let basic = BasicAuthMiddleware(username: "me", password: Secret.password)
    private let apiKey = APIKeyMiddleware(Secret.apiKey)
    private let query = QueryItemsMiddleware([])

    private func report(_ middleware: any NetworkMiddleware...) -> PipelineReport {
        let configuration = NetworkConfiguration(
            baseURL: URL(string: "https://api.example"), transport: ScriptedTransport(), middleware: middleware)
        let report = NetworkClient(configuration: configuration).pipelineReport
        Leaks.check(report.description, "a pipeline report")
        return report
    }

    @Test func theRecommendedOrderHasNoContradiction() {
        let report = report(
            logging, metrics, StatusValidationMiddleware(), RetryAfterMiddleware(), RedirectMiddleware(),
            CacheControlMiddleware(.noCache), query, apiKey, retry, bearer, RequestIDMiddleware(),
            UserAgentMiddleware("x"),
            AcceptMiddleware(), ContentTypeMiddleware(), TimeoutMiddleware(.seconds(1)), DefaultFieldsMiddleware([:]),
            TraceparentMiddleware(), LoggingMiddleware(LogCollector().logger(), scope: .attempt),
            MetricsMiddleware(scope: .attempt) { _ in }, InterceptorMiddleware { try await $1($0) })
        #expect(report.findings.isEmpty, "\(report)")
    }

    @Test func redirectsAreFollowedInsideOfTheLayersThatWatchCalls() {
        let report = report(logging, metrics, retry, bearer)
        #expect(report.findings.isEmpty, "\(report)")
        #expect(
            report.layers == [
                "LoggingMiddleware", "MetricsMiddleware", "RedirectMiddleware", "RetryMiddleware",
                "BearerAuthMiddleware",
                "scripted",
            ])
    }

    /// Each pair in the wrong order, with the layers that the finding names.
    @Test func findsEachContradictionWithItsFix() {
        let redirects = RedirectMiddleware()
        let pairs: [(outer: any NetworkMiddleware, inner: any NetworkMiddleware, move: String, where: String)] = [
            (retry, redirects, "RetryMiddleware", "behind RedirectMiddleware"),
            (bearer, redirects, "BearerAuthMiddleware", "behind RedirectMiddleware"),
            (basic, redirects, "BasicAuthMiddleware", "behind RedirectMiddleware"),
            (apiKey, redirects, "APIKeyMiddleware", "behind RedirectMiddleware"),
            (
                APIKeyMiddleware(Secret.apiKey, in: .query("k")), redirects, "APIKeyMiddleware",
                "behind RedirectMiddleware"
            ),
            (bearer, retry, "BearerAuthMiddleware", "behind RetryMiddleware"),
            (basic, retry, "BasicAuthMiddleware", "behind RetryMiddleware"),
            (retry, logging, "LoggingMiddleware", "before RetryMiddleware"),
            (redirects, logging, "LoggingMiddleware", "before RedirectMiddleware"),
            (bearer, logging, "LoggingMiddleware", "before BearerAuthMiddleware"),
            (retry, metrics, "MetricsMiddleware", "before RetryMiddleware"),
            (retry, StatusValidationMiddleware(), "StatusValidationMiddleware", "before RetryMiddleware"),
            (bearer, StatusValidationMiddleware(), "StatusValidationMiddleware", "before BearerAuthMiddleware"),
            (retry, RetryAfterMiddleware(), "RetryAfterMiddleware", "before RetryMiddleware"),
            (
                RetryAfterMiddleware(), StatusValidationMiddleware(), "RetryAfterMiddleware",
                "behind StatusValidationMiddleware"
            ),
            (TraceparentMiddleware(), retry, "TraceparentMiddleware", "behind RetryMiddleware"),
            (TraceparentMiddleware(), redirects, "TraceparentMiddleware", "behind RedirectMiddleware"),
        ]
        for pair in pairs {
            let report = report(pair.outer, pair.inner)
            #expect(
                report.findings.contains { $0.fix == "Move \(pair.move) \(pair.where) in the list." },
                "\(pair.move): \(report)")
        }
    }

    @Test func findsLayersThatStandTwice() {
        #expect(report(retry, RetryMiddleware(maxAttempts: 2)).findings.map(\.fix) == ["Keep one of them."])
        #expect(report(bearer, basic).findings.map(\.fix) == ["Keep one of them."])
        #expect(report(bearer, apiKey, apiKey).findings.isEmpty)
        let keyInAuthorization = APIKeyMiddleware(Secret.apiKey, in: .field(.authorization))
        #expect(report(bearer, keyInAuthorization).findings.map(\.fix) == ["Keep one of them."])
        #expect(report(RedirectMiddleware(), RedirectMiddleware()).findings.map(\.fix) == ["Keep one of them."])
        let codes = StatusValidationMiddleware(codes: [200, 304])
        #expect(report(StatusValidationMiddleware(), codes).findings.map(\.fix) == ["Keep one of them."])
        #expect(
            report(RetryAfterMiddleware(statuses: [429]), RetryAfterMiddleware(statuses: [503])).findings.isEmpty)
    }

    @Test func findsNothingAboutLayersThatNeverSendAgain() throws {
        let keyInAuthorization = APIKeyMiddleware(Secret.apiKey, in: .field(.authorization))
        for layer in [basic, bearer, keyInAuthorization, apiKey] as [any NetworkMiddleware] {
            #expect(try findings(of: [layer], for: oneShotBody()).isEmpty, "\(layer)")
            #expect(report(TraceparentMiddleware(), layer).findings.isEmpty, "\(layer)")
        }
        let renewed = BearerAuthMiddleware { Secret.token }
        for layer in [retry, renewed] as [any NetworkMiddleware] {
            #expect(try findings(of: [layer], for: oneShotBody()).count == 1, "\(layer)")
            #expect(try findings(of: [layer], for: .data(Data())).isEmpty, "\(layer)")
        }
    }

    private func findings(
        of middleware: [any NetworkMiddleware], for body: RequestBody
    ) throws -> [PipelineReport.Finding] {
        let configuration = NetworkConfiguration(
            baseURL: URL(string: "https://api.example"), transport: ScriptedTransport(), middleware: middleware)
        let request = try TransportRequest(method: .put, url: "https://api.example/", body: body)
        return NetworkClient(configuration: configuration).pipelineReport(for: request).findings
    }
}
