// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataTesting
import TestSupport
import Testing

struct RequestBodyTests {
    @Test func streamsAFileInPieces() async throws {
        let data = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let folder = try TemporaryFolder()
        let url = folder["a ü%20"]
        try data.write(to: url)
        let body = try RequestBody.file(url)
        #expect(body.length == 200_000 && body.isReplayable && body.data == nil)
        #expect(try await body.collect() == data)
        #expect(try await body.collect() == data)
        #expect(try await RequestBody.file(url, offset: 70_000, length: 100).collect() == data[70_000..<70_100])
    }

    @Test func noticesAFileThatBecomesShorter() async throws {
        let folder = try TemporaryFolder()
        let url = folder["a"]
        try Data(count: 1000).write(to: url)
        let body = try RequestBody.file(url)
        try Data(count: 10).write(to: url)
        await #expect {
            _ = try await body.collect()
        } throws: {
            isFailure($0, .uploadFailed)
        }
    }

    @Test func readsNoMoreOfAFileThatWasGivenUp() async throws {
        let folder = try TemporaryFolder()
        let url = folder["a"]
        try Data(count: 100_000).write(to: url)
        let source = try RequestBody.file(url).makeSource()
        #expect(try await source.next()?.isEmpty == false)
        source.cancel()
        source.cancel()
        await #expect(throws: CancellationError.self) { try await source.next() }
    }

    @Test func refusesAFileThatIsNotThere() {
        #expect {
            _ = try RequestBody.file(URL(fileURLWithPath: "/does/not/exist"))
        } throws: {
            isFailure($0, .uploadFailed)
        }
        #expect {
            _ = try RequestBody.file(FileManager.default.temporaryDirectory)
        } throws: {
            isFailure($0, .uploadFailed)
        }
    }

    @Test(arguments: ["sub/..%2Fsecret", "sub/..%2fsecret", "secret%00.png"])
    func anEscapedSlashOrNULLeadsToNoOtherFile(path: String) throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(at: folder["sub"], withIntermediateDirectories: false)
        try Data("s3cret".utf8).write(to: folder["secret"])
        let url = try #require(URL(string: "file://\(folder.url.path)/\(path)"))
        #expect {
            _ = try RequestBody.file(url)
        } throws: {
            isFailure($0, .uploadFailed)
        }
        #expect(try folder.text("secret") == "s3cret")
    }

    @Test func refusesAURLThatIsNotAFiles() throws {
        let url = try #require(URL(string: "https://example.com/etc/hostname"))
        #expect {
            _ = try RequestBody.file(url)
        } throws: {
            isFailure($0, .uploadFailed)
        }
    }

    @Test func makesAOneShotStreamOnce() async throws {
        let stream = AsyncStream<Data> {
            $0.yield(Data("a".utf8))
            $0.yield(Data())
            $0.yield(Data("b".utf8))
            $0.finish()
        }
        let body = RequestBody.stream(from: stream)
        #expect(!body.isReplayable && body.length == nil && !body.isEmpty)
        #expect(try await body.collect() == Data("ab".utf8))
        #expect {
            _ = try body.makeSource()
        } throws: {
            isFailure($0, .bodyNotReplayable)
        }
    }

    @Test func makesAReplayableStreamAnew() async throws {
        let body = RequestBody.stream(length: 1) {
            AsyncStream<Data> {
                $0.yield(Data("a".utf8))
                $0.finish()
            }
        }
        #expect(body.isReplayable)
        #expect(try await body.collect() == Data("a".utf8))
        #expect(try await body.collect() == Data("a".utf8))
    }

    @Test(arguments: [Int64(0), 2, 4])
    func holdsAStreamToItsLength(length: Int64) async {
        let body = RequestBody.stream(length: length, isReplayable: true) {
            PiecesSource([Data("ab".utf8), Data("c".utf8)])
        }
        await #expect {
            _ = try await body.collect()
        } throws: {
            isFailure($0, .uploadFailed)
        }
    }

    @Test func aFailureOfAStreamsOwnIsTheCause() async throws {
        struct Broken: Error {}
        let failing = RequestBody.stream(isReplayable: true) { PiecesSource([Data("a".utf8)], failure: Broken()) }
        let unmade = RequestBody.stream(isReplayable: true) { throw Broken() }
        for body in [failing, unmade] {
            let error = await #expect(throws: NetworkClientError.self) { try await body.collect() }
            #expect(error?.code == .uploadFailed)
            #expect(error?.cause is Broken)
        }
        let told = RequestBody.stream(isReplayable: true) {
            PiecesSource([], failure: NetworkClientError(.fileFailed, "the disk is gone"))
        }
        await #expect {
            _ = try await told.collect()
        } throws: {
            isFailure($0, .fileFailed)
        }
    }

    /// A body that is made of another exchange's response, say.
    @Test(
        arguments: [
            NetworkClientError(.cannotConnect, "elsewhere"), NetworkClientError(.timedOut, "elsewhere"),
            NetworkClientError(.unacceptableStatus, "elsewhere", response: HTTPResponse(status: .notFound)),
            CancellationError(),
        ] as [any Error])
    func anErrorOfABodysSourceIsNotTheExchanges(_ failure: any Error) async throws {
        let client = makeClient(ScriptedTransport(.status(200)))
        var request = try TransportRequest(method: .post, url: "https://api.example/")
        request.body = .stream(isReplayable: true) { PiecesSource([Data("a".utf8)], failure: failure) }
        let error = await #expect(throws: NetworkClientError.self) { try await client.execute(request) }
        #expect(error?.code == .uploadFailed)
        #expect(error?.isUnprocessed == false)
        #expect(error?.exchange?.attempts.last?.isUnprocessed == false)
        #expect(error?.response == nil)
        #expect(error?.cause != nil)
    }

    @Test func aStreamThatEndsWithItsTaskIsNotComplete() async throws {
        let (reads, continuation) = AsyncStream.makeStream(of: Void.self)
        let body = RequestBody.stream {
            AsyncStream<Data>(unfolding: {
                continuation.yield()
                _ = try? await untilCancelled()
                return nil
            })
        }
        let reading = Task { try await body.collect() }
        for await _ in reads { break }
        reading.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }
    }

    @Test func tellsNoBodyFromAnEmptyOne() {
        #expect(RequestBody.empty.isEmpty)
        #expect(!RequestBody.data(Data()).isEmpty)
        #expect(RequestBody.data(Data()).length == 0)
    }

    @Test func isNoPartOfAModel() {
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(["x": RequestBody.empty]) }
    }
}
