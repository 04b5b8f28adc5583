// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import TestSupport
import Testing

@testable import StrataStreaming

extension DownloadResumptionTests {
    @Test func startsOverWhenTheResourceHasChanged() async throws {
        let (file, requests) = try await downloadTwice(Self.brokenOff(), Self.whole("\"v2\"", text: "another"))
        #expect(try folder.text("a.txt") == "another")
        #expect(file.resumedFrom == 0)
        #expect(requests.count == 2)
    }

    @Test func startsOverWhenTheServerIgnoresRanges() async throws {
        let (file, _) = try await downloadTwice(Self.brokenOff(), Self.whole())
        #expect(try folder.text("a.txt") == Self.whole)
        #expect(file.resumedFrom == 0)
    }

    private static let unfitting: [ScriptedReply] = [
        part("3456789", "3-9/10"), part("56789", "5-9/10"), part("456789", "4-9/10", tag: "\"v2\""),
        part("456789a", "4-10/11"), part("456789a", "4-10/*"), part("456789", "nonsense"),
        .pieces([Data("456789".utf8)], status: 206, fields: [.contentRange: "bytes 4-9/10", .contentEncoding: "gzip"]),
        .status(416, fields: [.contentRange: "bytes */3"]), .status(416),
        .status(416, fields: [.contentRange: "bytes */4"]),
    ]

    @Test(arguments: unfitting.indices) func startsOverWhenThePartDoesNotFit(_ index: Int) async throws {
        let (file, requests) = try await downloadTwice(Self.brokenOff(), Self.unfitting[index], Self.whole())
        #expect(try folder.text("a.txt") == Self.whole)
        #expect(file.resumedFrom == 0)
        #expect(requests.map { $0["range"] } == [nil, "bytes=4-", nil])
    }

    @Test func startsOverWhenALayerThrowsAPart() async throws {
        let transport = ScriptedTransport(Self.brokenOff(), Self.part("456789", "4-9/10"), Self.whole())
        let client = NetworkClient(transport, middleware: [StrictStatus(policy: .codes(200))])
        await expectFailure(client)
        let file = try await client.download(request, to: folder["a.txt"], options: .resuming)
        #expect(file.resumedFrom == 0)
        #expect(transport.requests.map { $0["range"] } == [nil, "bytes=4-", nil])
        #expect(try folder.text("a.txt") == Self.whole)
    }

    private static let unresumable: [HTTPFields] = [
        [:], [.eTag: "W/\"v1\""], [.eTag: "\"v1\"", .acceptRanges: "none"],
        [.eTag: "\"v1\"", .contentEncoding: "gzip"],
        [.lastModified: "Sun, 06 Nov 1994 08:49:37 GMT"],
        [.lastModified: "Sun, 06 Nov 1994 08:49:37 GMT", .date: "Sun, 06 Nov 1994 08:49:37 GMT"],
        [.lastModified: "yesterday", .date: "Sun, 06 Nov 1994 08:49:37 GMT"],
    ]

    @Test(arguments: unresumable) func keepsNothingWithoutAStrongValidator(_ fields: HTTPFields) async throws {
        let client = NetworkClient(ScriptedTransport(Self.brokenOff(fields)))
        await expectFailure(client)
        #expect(try folder.names == [])
    }

    /// As a transport does that decodes.
    private struct Decoded: NetworkMiddleware {
        func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
            var response = try await next(request)
            var metrics = TransportMetrics()
            metrics.contentEncoding = "gzip"
            response.metrics = metrics
            return response
        }
    }

    @Test func keepsNothingOfABodyThatWasDecoded() async throws {
        let client = NetworkClient(ScriptedTransport(Self.brokenOff()), middleware: [Decoded()])
        await expectFailure(client)
        #expect(try folder.names == [])
    }

    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    private static let brokenOffWithDate = brokenOff([.lastModified: date, .date: "Sun, 06 Nov 1994 08:49:38 GMT"])

    @Test func takesADateForAValidator() async throws {
        let (_, requests) = try await downloadTwice(Self.brokenOffWithDate, Self.part("456789", "4-9/10", tag: nil))
        #expect(requests[1]["if-range"] == Self.date)
        #expect(try folder.text("a.txt") == Self.whole)
    }

    @Test func startsOverWhenTheDateOfThePartIsAnother() async throws {
        let newer = ScriptedReply.pieces(
            [Data("456789".utf8)], status: 206,
            fields: [.contentRange: "bytes 4-9/10", .lastModified: "Sun, 06 Nov 1994 09:00:00 GMT"])
        let (file, _) = try await downloadTwice(Self.brokenOffWithDate, newer, Self.whole())
        #expect(file.resumedFrom == 0)
        #expect(try folder.text("a.txt") == Self.whole)
    }
}
