// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import StrataCore
import StrataTesting
import TestSupport
import Testing

@testable import StrataURLSession

struct UploadFeederTests {
    /// Reads as a backend does: on a thread of its own, blocking. `nil` after a failure.
    private func read(_ pipe: UploadPipe, by size: Int = 10_000) async -> Data? {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                var data = Data()
                var buffer = [UInt8](repeating: 0, count: size)
                while true {
                    let count = buffer.withUnsafeMutableBytes { pipe.read(into: $0) }
                    guard let count, count > 0 else { return continuation.resume(returning: count.map { _ in data }) }
                    data.append(contentsOf: buffer.prefix(count))
                }
            }
        }
    }

    private func body(_ source: PiecesSource, length: Int64? = nil) -> RequestBody {
        .stream(length: length, isReplayable: true) { source }
    }

    @Test func carriesTheBodyThrough() async throws {
        let pieces = (0..<50).map { Data(repeating: UInt8($0), count: 9_999) }
        let feeder = try UploadFeeder(body(PiecesSource(pieces), length: 50 * 9_999))
        async let received = read(feeder.pipe)
        try await feeder.run()
        #expect(await received == Data(pieces.joined()))
    }

    @Test(arguments: [
        (length: Int64(9), message: "the request's body was longer than its announced length"),
        (11, "the request's body was shorter than its announced length"),
    ])
    func holdsTheBodyToItsLength(_ length: Int64, _ message: String) async throws {
        let source = PiecesSource([Data(count: 5), Data(count: 5)])
        let feeder = try UploadFeeder(body(source, length: length))
        async let received = read(feeder.pipe)
        let error = await #expect(throws: NetworkClientError.self) { try await feeder.run() }
        #expect(error?.code == .uploadFailed)
        #expect(error?.message == message)
        #expect(await received == nil)
        #expect(source.isCancelled)
    }

    @Test func passesOnWhatTheSourceThrows() async throws {
        struct Broken: Error {}
        let feeder = try UploadFeeder(body(PiecesSource([Data(count: 5)], failure: Broken())))
        async let received = read(feeder.pipe)
        let error = await #expect(throws: NetworkClientError.self) { try await feeder.run() }
        #expect(error?.cause is Broken)
        #expect(await received == nil)
    }

    @Test func readsNotMuchMoreThanIsTaken() async throws {
        let source = PiecesSource((0..<100).map { _ in Data(count: 16 * 1024) })
        let feeder = try UploadFeeder(body(source))
        async let end: Void = feeder.run()
        // The producer stops when the pipe is full: nobody reads.
        await eventually { source.remaining <= 100 - UploadPipe.capacity / (16 * 1024) }
        for _ in 0..<100 { await Task.yield() }
        #expect(source.remaining >= 100 - UploadPipe.capacity / (16 * 1024) - 1)
        feeder.cancel()
        try? await end
        #expect(source.isCancelled)
    }

    @Test func wakesABlockedReaderWhenItIsCancelled() async throws {
        let feeder = try UploadFeeder(body(PiecesSource([])))
        async let received = read(feeder.pipe)
        feeder.cancel()
        #expect(await received == nil)
    }
}
