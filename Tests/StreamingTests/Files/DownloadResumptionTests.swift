// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import TestSupport
import Testing

@testable import StrataStreaming

/// `download(_:to:options:progress:)` with ``DownloadOptions/resumes``.
struct DownloadResumptionTests {
    let folder: TemporaryFolder
    let request = PlainRequest(path: "file?signature=hunter2", method: .get)
    static let whole = "0123456789"

    init() throws { folder = try TemporaryFolder() }

    /// The whole, broken off after four bytes.
    static func brokenOff(_ fields: HTTPFields = [.eTag: "\"v1\""]) -> ScriptedReply {
        .pieces(
            [Data("0123".utf8)], fields: fields, length: 10,
            failure: NetworkClientError(.connectionLost, "scripted"))
    }

    static func whole(_ tag: String = "\"v1\"", text: String = whole) -> ScriptedReply {
        .pieces([Data(text.utf8)], fields: [.eTag: tag], length: Int64(text.utf8.count))
    }

    static func part(_ text: String, _ range: String, tag: String? = "\"v1\"") -> ScriptedReply {
        var fields: HTTPFields = [.contentRange: "bytes \(range)"]
        fields[.eTag] = tag
        return .pieces([Data(text.utf8)], status: 206, fields: fields, length: Int64(text.utf8.count))
    }

    func expectFailure(
        _ client: NetworkClient, _ request: PlainRequest? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        await #expect(throws: NetworkClientError.self, sourceLocation: sourceLocation) {
            try await client.download(request ?? self.request, to: folder["a.txt"], options: .resuming)
        }
    }

    /// Downloads twice: the first call is broken off, the second has to end well.
    func downloadTwice(
        _ replies: ScriptedReply..., sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> (DownloadedFile, [RecordedRequest]) {
        let transport = ScriptedTransport(replies)
        let client = NetworkClient(transport)
        await expectFailure(client, sourceLocation: sourceLocation)
        #expect(!FileManager.default.fileExists(atPath: folder["a.txt"].path), sourceLocation: sourceLocation)
        let file = try await client.download(request, to: folder["a.txt"], options: .resuming)
        #expect(try folder.names == ["a.txt"], sourceLocation: sourceLocation)
        return (file, transport.requests)
    }

    /// The process was killed when the file had its name, and still the other one.
    @Test func leavesACompleteFileWithTwoNamesAlone() async throws {
        await expectFailure(NetworkClient(ScriptedTransport(Self.brokenOff())))
        for name in ["a.txt", "b.txt"] {
            try FileManager.default.linkItem(at: folder["a.txt.strata-part"], to: folder[name])
        }
        let transport = ScriptedTransport(Self.whole("\"v2\"", text: "new"))
        _ = try await NetworkClient(transport).download(request, to: folder["a.txt"], options: .resuming)
        #expect(transport.requests.map { $0["range"] } == [nil])
        #expect(try folder.names == ["a.txt", "b.txt"])
        #expect(try folder.text("a.txt") == "new")
        #expect(try folder.text("b.txt") == "0123")
    }

    @Test func leavesAForeignFileWithTwoNamesAlone() async throws {
        try Data("mine".utf8).write(to: folder["a.txt.strata-part"])
        try FileManager.default.linkItem(at: folder["a.txt.strata-part"], to: folder["b.txt"])
        await expectFailure(NetworkClient(ScriptedTransport(Self.whole())))
        #expect(try folder.names == ["a.txt.strata-part", "b.txt"])
    }

    @Test func goesOnWhereItEnded() async throws {
        let (file, requests) = try await downloadTwice(Self.brokenOff(), Self.part("456789", "4-9/10"))
        #expect(try folder.text("a.txt") == Self.whole)
        #expect(file.resumedFrom == 4)
        #expect(file.byteCount == 10)
        #expect(file.response.status.code == 206)
        #expect(requests.map { $0["range"] } == [nil, "bytes=4-"])
        #expect(requests.map { $0["if-range"] } == [nil, "\"v1\""])
        #expect(requests.allSatisfy { $0["accept-encoding"] == "identity" })
    }

    @Test func goesOnWhateverTheCallerTakesForSuccess() async throws {
        var request = request
        request.options = { $0.acceptableStatus = .codes(200) }
        let transport = ScriptedTransport(Self.brokenOff(), Self.part("456789", "4-9/10"))
        let client = NetworkClient(transport)
        await expectFailure(client, request)
        let file = try await client.download(request, to: folder["a.txt"], options: .resuming)
        #expect(file.resumedFrom == 4)
        #expect(try folder.text("a.txt") == Self.whole)
    }

    @Test func takesIdentityForNoContentCoding() async throws {
        let (file, _) = try await downloadTwice(
            Self.brokenOff([.eTag: "\"v1\"", .contentEncoding: "Identity"]), Self.part("456789", "4-9/10"))
        #expect(file.resumedFrom == 4)
        #expect(try folder.text("a.txt") == Self.whole)
    }

    @Test func keepsWhatItNeedsAndNoSecret() async throws {
        let client = NetworkClient(ScriptedTransport(Self.brokenOff()))
        await expectFailure(client)
        #expect(try folder.names == ["a.txt.strata-part", "a.txt.strata-part.info"])
        #expect(try folder.text("a.txt.strata-part") == "0123")
        #expect(try !folder.text("a.txt.strata-part.info").contains("hunter2"))
    }

    @Test func leavesAFileAloneThatIsNoPartOfADownload() async throws {
        try Data("theirs".utf8).write(to: folder["a.txt.strata-part"])
        let transport = ScriptedTransport(Self.whole())
        let error = await #expect(throws: NetworkClientError.self) {
            try await NetworkClient(transport).download(request, to: folder["a.txt"], options: .resuming)
        }
        #expect(error?.code == .fileFailed)
        #expect(transport.requests.isEmpty)
        #expect(try folder.names == ["a.txt.strata-part"])
        #expect(try folder.text("a.txt.strata-part") == "theirs")
    }

    /// A process that was killed left it, or a disk that was full.
    @Test func startsOverWhenTheInfoIsOfNoUse() async throws {
        try Data("01".utf8).write(to: folder["a.txt.strata-part"])
        try Data().write(to: folder["a.txt.strata-part.info"])
        let transport = ScriptedTransport(Self.whole())
        let file = try await NetworkClient(transport).download(request, to: folder["a.txt"], options: .resuming)
        #expect(file.resumedFrom == 0)
        #expect(try folder.text("a.txt") == Self.whole)
        #expect(try folder.names == ["a.txt"])
    }

    @Test(arguments: [nil, 2] as [Int64?])
    func keepsNothingOfAPartThatIsLongerThanItsRange(_ length: Int64?) async throws {
        let part = ScriptedReply.pieces(
            [Data("4".utf8), Data("5XY".utf8), Data("Z".utf8)], status: 206, fields: [.contentRange: "bytes 4-5/10"],
            length: length)
        let client = NetworkClient(ScriptedTransport(Self.brokenOff(), part))
        await expectFailure(client)
        let error = await #expect(throws: NetworkClientError.self) {
            try await client.download(request, to: folder["a.txt"], options: .resuming)
        }
        #expect(error?.code == .protocolViolation)
        #expect(try folder.names == [])
    }

    @Test func goesOnOverSeveralCalls() async throws {
        let broken = ScriptedReply.pieces(
            [Data("45".utf8)], status: 206, fields: [.contentRange: "bytes 4-9/10"], length: 6,
            failure: NetworkClientError(.connectionLost, "scripted"))
        let transport = ScriptedTransport(Self.brokenOff(), broken, Self.part("6789", "6-9/10"))
        for _ in 0..<2 { await expectFailure(NetworkClient(transport)) }
        try await NetworkClient(transport).download(request, to: folder["a.txt"], options: .resuming)
        #expect(try folder.text("a.txt") == Self.whole)
        #expect(transport.requests.map { $0["range"] } == [nil, "bytes=4-", "bytes=6-"])
    }

    @Test func asksAgainWhenTheServerSendsLessThanAskedFor() async throws {
        let (file, requests) = try await downloadTwice(
            Self.brokenOff(), Self.part("45", "4-5/10"), Self.part("6789", "6-9/10"))
        #expect(try folder.text("a.txt") == Self.whole)
        #expect(file.resumedFrom == 4)
        #expect(requests.map { $0["range"] } == [nil, "bytes=4-", "bytes=6-"])
    }

    /// The length that the first response named holds when a part names none.
    @Test func aPartWithoutATotalIsNotTheEnd() async throws {
        let transport = ScriptedTransport(Self.brokenOff(), Self.part("45", "4-5/*"), Self.part("6789", "6-9/*"))
        let client = NetworkClient(transport)
        await expectFailure(client)
        let updates = ProgressUpdates(clock: VirtualClock())
        try await client.download(request, to: folder["a.txt"], options: .resuming, progress: updates)
        #expect(try folder.text("a.txt") == Self.whole)
        #expect(transport.requests.map { $0["range"] } == [nil, "bytes=4-", "bytes=6-"])
        #expect(updates.current.total == 10)
    }

    @Test func asksOnWhereNobodyKnowsTheTotal() async throws {
        let (file, requests) = try await downloadTwice(
            Self.brokenOffAtItsEnd, Self.part("45", "4-5/*"), Self.part("6789", "6-9/*"),
            .status(416, fields: [.contentRange: "bytes */10"]))
        #expect(try folder.text("a.txt") == Self.whole)
        #expect(file.resumedFrom == 4)
        #expect(file.byteCount == 10)
        #expect(requests.map { $0["range"] } == [nil, "bytes=4-", "bytes=6-", "bytes=10-"])
    }

    /// Takes its time before each request.
    private struct Slow: NetworkMiddleware {
        let clock: VirtualClock

        func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
            clock.advance(by: .seconds(4))
            return try await next(request)
        }
    }

    @Test func theDeadlineIsThatOfAllRequests() async throws {
        let clock = VirtualClock()
        let transport = ScriptedTransport(
            Self.brokenOff(), Self.part("4", "4-4/10"), Self.part("5", "5-5/10"), Self.part("6789", "6-9/10"))
        let client = NetworkClient(transport, clock: clock, middleware: [Slow(clock: clock)])
        await expectFailure(client)
        var request = request
        request.options = { $0.timeouts.deadline = .seconds(10) }
        let error = await #expect(throws: NetworkClientError.self) {
            try await client.download(request, to: folder["a.txt"], options: .resuming)
        }
        #expect(error?.message == "the deadline timeout of 10 s passed")
        #expect(transport.requests.count == 3)
        #expect(try folder.text("a.txt.strata-part") == "012345")
    }

    /// The call before had everything but the time to say so.
    @Test func isDoneWhenNothingIsMissing() async throws {
        let complete = ScriptedReply.pieces(
            [Data(Self.whole.utf8)], fields: [.eTag: "\"v1\""], length: 10,
            failure: NetworkClientError(.connectionLost, "scripted"))
        let (file, requests) = try await downloadTwice(
            complete, .status(416, fields: [.contentRange: "bytes */10", .eTag: "\"v1\""]))
        #expect(try folder.text("a.txt") == Self.whole)
        #expect(file.byteCount == 10)
        #expect(file.resumedFrom == 10)
        #expect(requests.count == 2)
    }

    /// Broken off where the body would have ended, which nobody had announced.
    private static let brokenOffAtItsEnd = ScriptedReply.pieces(
        [Data("0123".utf8)], fields: [.eTag: "\"v1\""], failure: NetworkClientError(.connectionLost, "scripted"))

    @Test func whatIsCompleteCountsAsDone() async throws {
        let transport = ScriptedTransport(Self.brokenOffAtItsEnd, .status(416, fields: [.contentRange: "bytes */4"]))
        let client = NetworkClient(transport)
        await expectFailure(client)
        let updates = ProgressUpdates(clock: VirtualClock())
        try await client.download(request, to: folder["a.txt"], options: .resuming, progress: updates)
        #expect(updates.current.completed == 4)
        #expect(updates.current.total == 4)
    }

    @Test(arguments: [("bytes */4", Int64(4)), ("bytes */3", 0)])
    func a416ThatALayerThrowsIsAnAnswer(_ range: String, _ kept: Int64) async throws {
        let transport = ScriptedTransport(
            Self.brokenOffAtItsEnd, .status(416, fields: [.contentRange: range]), Self.whole(text: "0123"))
        let client = NetworkClient(transport, middleware: [StrictStatus()])
        await expectFailure(client)
        let file = try await client.download(request, to: folder["a.txt"], options: .resuming)
        #expect(file.resumedFrom == kept)
        #expect(!file.exchange.attempts.isEmpty)
        #expect(try folder.text("a.txt") == "0123")
        #expect(try folder.names == ["a.txt"])
    }

    @Test(arguments: [
        ("file", "other"), ("file", "file?id=1"), ("file?id=1", "file?id=2"), ("file?expires=1", "file?expires=2"),
        ("file?id=1&signature=a", "file?id=2&signature=a"), ("file?key=1", "file?key=2"),
        ("file?policy=1&access_token=a", "file?policy=2&access_token=a"),
        ("file?st=1&signature=a", "file?st=2&signature=a"),
    ]) func doesNotGoOnWithAnotherResource(_ path: String, _ other: String) async throws {
        let transport = ScriptedTransport(Self.brokenOff(), Self.whole("\"v1\"", text: "abcdefghij"))
        let client = NetworkClient(transport)
        await expectFailure(client, PlainRequest(path: path, method: .get))
        try await client.download(PlainRequest(path: other, method: .get), to: folder["a.txt"], options: .resuming)
        #expect(transport.requests[1]["range"] == nil)
        #expect(try folder.text("a.txt") == "abcdefghij")
    }

    @Test(arguments: [
        ("file?id=1&signature=a", "file?id=1&signature=b"), ("file?se=1&sig=a", "file?se=2&sig=b"),
        ("file?X-Amz-Date=1&X-Amz-Signature=a", "file?X-Amz-Date=2&X-Amz-Signature=b"),
        ("file?Policy=1&Signature=a", "file?Policy=2&Signature=b"),
    ]) func goesOnWhenTheURLIsSignedAnew(_ path: String, _ other: String) async throws {
        let transport = ScriptedTransport(Self.brokenOff(), Self.part("456789", "4-9/10"))
        let client = NetworkClient(transport)
        await expectFailure(client, PlainRequest(path: path, method: .get))
        try await client.download(PlainRequest(path: other, method: .get), to: folder["a.txt"], options: .resuming)
        #expect(transport.requests[1]["range"] == "bytes=4-")
        #expect(try folder.text("a.txt") == Self.whole)
    }

    @Test func keepsItsPartWhenTheServerIsDown() async throws {
        let transport = ScriptedTransport(
            Self.brokenOff(), .status(503), .failure(.cannotConnect), Self.part("456789", "4-9/10"))
        for _ in 0..<3 { await expectFailure(NetworkClient(transport)) }
        let file = try await NetworkClient(transport).download(request, to: folder["a.txt"], options: .resuming)
        #expect(file.resumedFrom == 4)
        #expect(try folder.text("a.txt") == Self.whole)
    }

    @Test func refusesAPartThatNobodyAskedFor() async throws {
        let client = NetworkClient(ScriptedTransport(Self.part("456789", "4-9/10")))
        for options in [DownloadOptions(), .resuming] {
            let error = await #expect(throws: NetworkClientError.self) {
                try await client.download(request, to: folder["a.txt"], options: options)
            }
            #expect(error?.code == .protocolViolation)
        }
        #expect(try folder.names == [])
    }

    @Test func savesAPartThatTheCallerAskedFor() async throws {
        let client = NetworkClient(ScriptedTransport(Self.part("456789", "4-9/10")))
        var request = request
        request.headerFields[.range] = "bytes=4-"
        try await client.download(request, to: folder["a.txt"], options: .resuming)
        #expect(try folder.text("a.txt") == "456789")
    }

    @Test func letsOneCallAtATimeWrite() async throws {
        let transport = ScriptedTransport(.source(fields: [.eTag: "\"v1\""]) { HangingSource("0123") })
        let client = NetworkClient(transport)
        let (folder, request) = (folder, request)
        let updates = ProgressUpdates(interval: .zero)
        let first = Task {
            try await client.download(request, to: folder["a.txt"], options: .resuming, progress: updates)
        }
        for await progress in updates where progress.completed == 4 && !first.isCancelled {
            let error = await #expect(throws: NetworkClientError.self) {
                try await client.download(request, to: folder["a.txt"], options: .resuming)
            }
            #expect(error?.code == .fileFailed)
            first.cancel()
        }
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(try folder.text("a.txt.strata-part") == "0123")
    }

    @Test func countsWhatWasThereAsDone() async throws {
        let transport = ScriptedTransport(Self.brokenOff(), Self.part("456789", "4-9/10"))
        let client = NetworkClient(transport)
        await expectFailure(client)
        let updates = ProgressUpdates(clock: VirtualClock())
        try await client.download(request, to: folder["a.txt"], options: .resuming, progress: updates)
        #expect(updates.current.completed == 10)
        #expect(updates.current.total == 10)
        #expect(updates.current.fraction == 1)
    }

    /// What stands beside the bytes has a name that is longer by 17.
    @Test(arguments: [239, 243, 244]) func sendsNothingWhenANameIsTooLong(_ length: Int) async throws {
        let transport = ScriptedTransport(.text("new"))
        let client = NetworkClient(transport)
        let name = String(repeating: "n", count: length)
        await #expect(throws: NetworkClientError.self) {
            try await client.download(request, to: folder[name], options: .resuming)
        }
        #expect(transport.requests.isEmpty)
        #expect(try folder.names.isEmpty)
    }
}
