// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataTesting
import TestSupport
import Testing

@testable import StrataStreaming

struct ProgressUpdatesTests {
    @Test func measuresTheLastSeconds() {
        var meter = ProgressMeter()
        meter.begin(completed: 1000, total: 10_000, now: .seconds(100))
        #expect(meter.progress.bytesPerSecond == 0)
        for second in 1...4 {
            meter.advance(by: 100)
            meter.measure(now: .seconds(100 + second))
        }
        #expect(meter.progress.bytesPerSecond == 100)
        for second in 5...8 {
            meter.advance(by: 500)
            meter.measure(now: .seconds(100 + second))
        }
        #expect(meter.progress.bytesPerSecond == 500)
        #expect(meter.progress.completed == 3400)
        #expect(meter.progress.elapsed == .seconds(8))
        #expect(meter.progress.remaining == .seconds(13.2))
        #expect(meter.progress.fraction == 0.34)
    }

    @Test func whatIsOlderThanTheWindowDoesNotCount() {
        var meter = ProgressMeter()
        meter.begin(completed: 0, total: nil, now: .zero)
        for (second, bytes) in [(1, 1000), (10, 900)] {
            meter.advance(by: Int64(bytes))
            meter.measure(now: .seconds(second))
        }
        #expect(meter.progress.bytesPerSecond == 100)
    }

    @Test func fewSamplesAreKeptHoweverOftenItMeasures() {
        var meter = ProgressMeter()
        meter.begin(completed: 0, total: nil, now: .zero)
        for millisecond in 1...10_000 {
            meter.advance(by: millisecond > 5000 ? 200 : 100)
            meter.measure(now: .milliseconds(millisecond))
        }
        #expect(meter.samples.count < 100)
        #expect(meter.progress.bytesPerSecond == 200_000)
    }

    @Test func theRateOfTheAttemptBeforeDoesNotCount() {
        var meter = ProgressMeter()
        meter.begin(completed: 0, total: 1000, now: .seconds(50))
        #expect(meter.progress.elapsed == .zero)
        meter.advance(by: 500)
        meter.measure(now: .seconds(51))
        #expect(meter.progress.bytesPerSecond == 500)
        meter.begin(completed: 0, total: 1000, now: .seconds(52))
        #expect(meter.progress.bytesPerSecond == 0)
        #expect(meter.progress.elapsed == .seconds(2))
    }

    @Test func saysNothingThatItDoesNotKnow() {
        let unknown = TransferProgress(completed: 5, bytesPerSecond: 10)
        #expect(unknown.fraction == nil)
        #expect(unknown.remaining == nil)
        #expect(TransferProgress(completed: 0, total: 0).fraction == 1)
        #expect(TransferProgress(completed: 5, total: 10).remaining == nil)
        #expect(TransferProgress(completed: 20, total: 10, bytesPerSecond: 1).remaining == .zero)
    }

    /// What a server announces is only a number.
    @Test(arguments: [Int64(0), -1, .min], [0.05, .leastNonzeroMagnitude, .infinity])
    func anyTotalHasATimeThatRemains(_ completed: Int64, _ rate: Double) throws {
        let progress = TransferProgress(completed: completed, total: .max, bytesPerSecond: rate)
        let remaining = try #require(progress.remaining)
        #expect(remaining == (rate.isInfinite ? .zero : .seconds(1e12)))
    }

    @Test func keepsToItsInterval() async {
        let clock = VirtualClock()
        let updates = ProgressUpdates(interval: .milliseconds(100), clock: clock)
        var iterator = updates.makeAsyncIterator()
        updates.begin(total: 1000)
        #expect(await iterator.next()?.completed == 0)
        for _ in 0..<10 {
            clock.advance(by: .milliseconds(10))
            updates.advance(by: 1)
        }
        // The tenth is due; the nine before were too early.
        let due = await iterator.next()
        #expect(due?.completed == 10)
        #expect(due?.elapsed == .milliseconds(100))
        #expect(due?.bytesPerSecond == 100)
        clock.advance(by: .milliseconds(50))
        // Too early again.
        updates.advance(by: 5)
        updates.finish()
        let last = await iterator.next()
        #expect(last?.completed == 15)
        #expect(last?.elapsed == .milliseconds(150))
        #expect(last?.bytesPerSecond == 100)
        #expect(await iterator.next() == nil)
    }

    @Test func endsWithACallThatFails() async throws {
        let folder = try TemporaryFolder()
        let client = NetworkClient(ScriptedTransport(.failure(.cannotConnect)))
        let updates = ProgressUpdates()
        await #expect(throws: NetworkClientError.self) {
            try await client.download(PlainRequest(path: "x", method: .get), to: folder["a"], progress: updates)
        }
        var count = 0
        for await progress in updates {
            #expect(progress.completed == 0)
            count += 1
        }
        #expect(count == 1)
    }

    // MARK: - Uploads

    @Test func countsWhatIsSent() async throws {
        let folder = try TemporaryFolder()
        try Data(count: 200_000).write(to: folder["up"])
        let transport = ScriptedTransport(.status(200))
        let request = NetworkRequest<RequestBody, VoidResponse>(
            path: "up", method: .put, body: try .file(folder["up"]))
        let updates = ProgressUpdates(interval: .zero, clock: VirtualClock())
        _ = try await NetworkClient(transport).run(request, uploadProgress: updates)
        #expect(updates.current.completed == 200_000)
        #expect(updates.current.total == 200_000)
        #expect(transport.requests[0].body.count == 200_000)
        var fractions: [Double?] = []
        for await progress in updates { fractions.append(progress.fraction) }
        #expect(fractions == [1])
    }

    @Test func beginsAnewWithEachAttempt() async throws {
        let transport = ScriptedTransport(.status(503), .status(200))
        let client = NetworkClient(transport, middleware: [Again()])
        let request = NetworkRequest<Data, VoidResponse>(path: "up", method: .put, body: Data(count: 1000))
        let updates = ProgressUpdates(clock: VirtualClock())
        _ = try await client.run(request, uploadProgress: updates)
        #expect(transport.requests.map(\.body.count) == [1000, 1000])
        #expect(updates.current.completed == 1000)
    }

    private struct Again: NetworkMiddleware {
        func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
            await (try next(request)).body.discard()
            return try await next(request)
        }
    }
}
