// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Logging
import MiddlewareSupport
import StrataCore
import StrataTesting
import Testing

@testable import StrataMiddleware

/// What is remembered of bodies, and said of how calls ended.
struct BodySampleTests {
    @Test(arguments: [
        (-1, ""), (0, ""), (1, "a"), (2, "ab"), (3, "abc"), (4, "abcd"), (5, "abcde"), (6, "abcde"),
    ])
    func aSampleIsTheStartOfTheBody(_ limit: Int, _ start: String) {
        let sample = BodySample(limit: limit)
        for piece in ["ab", "", "cd", "e"] { sample.add(Data(piece.utf8)) }
        #expect(sample.start == Data(start.utf8) && sample.count == 5)
        sample.reset()
        #expect(sample.start.isEmpty && sample.count == 0)
        sample.add(Data("x".utf8))
        #expect(sample.start == Data("x".utf8.prefix(max(limit, 0))) && sample.count == 1)
    }

    @Test(arguments: [
        (3, " … and 2 bytes"), (4, " … and 1 bytes"), (5, ""), (6, ""),
    ])
    func whatIsNotWrittenOfABodyIsCounted(_ limit: Int, _ rest: String) async throws {
        let log = LogCollector()
        var middleware = LoggingMiddleware(log.logger(), details: .bodies)
        middleware.bodyLimit = limit
        let text = String("abcde".prefix(limit))
        let client = makeClient(ScriptedTransport(.text("abcde")), middleware)
        _ = try await client.call(.post, fields: [.contentType: "text/plain"], body: .data(Data("abcde".utf8)))
        #expect(log.messages.dropLast() == ["-> body: \(text)\(rest)", "<- body: \(text)\(rest)"])
    }

    /// The status decides by its class, up to the last of each.
    @Test(arguments: [
        (200, Logger.Level.notice), (299, .notice), (399, .notice), (400, .warning), (499, .warning), (500, .critical),
        (599, .critical),
    ])
    func theLevelIsThatOfTheClassOfTheStatus(_ status: Int, _ level: Logger.Level) async throws {
        let log = LogCollector()
        var middleware = LoggingMiddleware(log.logger())
        middleware.levels.success = .notice
        middleware.levels.clientError = .warning
        middleware.levels.serverError = .critical
        middleware.levels.cancelled = .debug
        middleware.levels.failure = .error
        _ = try await makeClient(ScriptedTransport(.status(status)), middleware).call()
        _ = try await makeClient(ScriptedTransport(.pieces([Data("a".utf8)], status: status)), middleware).call()
        let broken = ScriptedReply.pieces(
            [Data("a".utf8)], status: status, failure: NetworkClientError(.connectionLost, "lost"))
        _ = try? await makeClient(ScriptedTransport(broken), middleware).call().body.collect()
        // Read, given up, broken off.
        #expect(log.lines.map(\.level) == [level, status < 400 ? .debug : level, .error])
    }

    @Test func aLoggerMayBeNamedByItsLabelAlone() {
        let middleware = LoggingMiddleware(label: "calls", details: .fields, scope: .attempt)
        #expect(middleware.logger.label == "calls" && middleware.details == .fields && middleware.scope == .attempt)
        let plain = LoggingMiddleware()
        #expect(plain.logger.label == "strata" && plain.details.isEmpty && plain.scope == .call)
        #expect(plain.bodyLimit == 4096 && plain.detailLevel == .debug)
    }

    @Test func detailsAreWrittenFromTheirLevelOn() async throws {
        for (level, detailLevel, isWritten) in [
            (Logger.Level.info, Logger.Level.debug, false), (.debug, .debug, true), (.trace, .debug, true),
            (.info, .notice, true),
        ] {
            let log = LogCollector()
            var middleware = LoggingMiddleware(log.logger(level), details: .requestFields)
            middleware.detailLevel = detailLevel
            _ = try await makeClient(ScriptedTransport(), middleware).call(fields: [.accept: "a/b"])
            #expect(log.messages.contains("-> GET https://api.example/\n  Accept: a/b") == isWritten)
            #expect(log.lines.filter { $0.message.hasPrefix("->") }.allSatisfy { $0.level == detailLevel })
        }
    }

    @Test func eachDetailIsOneOfItsOwn() {
        let all: [LoggingMiddleware.Details] = [
            .requestFields, .requestBody, .responseFields, .responseBody, .attempts, .curl,
        ]
        #expect(all.map(\.rawValue) == [1, 2, 4, 8, 16, 32])
        #expect(LoggingMiddleware.Details(all) == .everything)
        #expect(LoggingMiddleware.Details.fields.rawValue == 5 && LoggingMiddleware.Details.bodies.rawValue == 10)
    }

    // MARK: Measurements

    @Test(arguments: [
        ("https://a.example/x?y=1", "/x"), ("https://a.example/", "/"), ("https://a.example?y", "/"),
        ("https://a.example/x/y", "/x/y"),
    ])
    func aMeasurementHasThePathWithoutItsQuery(_ url: String, _ path: String) throws {
        var request = try TransportRequest(url: url)
        request.options.urlTemplate = "/{x}"
        let metrics = CallMetrics(request)
        #expect(metrics.path == path && metrics.urlTemplate == "/{x}")
        #expect(metrics.method == .get && metrics.origin == Origin(scheme: "https", host: "a.example"))
        #expect(metrics.requestBodySize == 0 && metrics.bytesReceived == 0 && !metrics.isCancelled)
    }

    @Test func aBodyThatIsGivenUpCountsAsCancelled() async throws {
        let rows: [(read: Bool, expected: Bool)] = [(true, false), (false, true)]
        for row in rows {
            let (seen, continuation) = AsyncStream.makeStream(of: CallMetrics.self)
            let client = makeClient(
                ScriptedTransport(.pieces([Data("ab".utf8), Data("c".utf8)])),
                MetricsMiddleware { continuation.yield($0) })
            let body = try await client.call().body
            if row.read { _ = try await body.collect() } else { body.cancel() }
            let metrics = await seen.first { _ in true }
            #expect(metrics?.isCancelled == row.expected && metrics?.bytesReceived == (row.read ? 3 : 0))
            #expect(metrics?.status == .ok && metrics?.error == nil)
        }
    }
}
