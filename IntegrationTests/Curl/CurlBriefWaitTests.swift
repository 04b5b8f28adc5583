// SPDX-License-Identifier: Apache-2.0

#if os(Linux)

import Dispatch
import Foundation
import StrataCore
import StrataCurl
import StrataTesting
import Synchronization
import TestSupport
import Testing

/// A call that is alone, and whose answer is likely to come at once, waits for it in its own thread.
struct CurlBriefWaitTests {
    @Test func aCallStaysInItsThreadWhenTheLastAnswersCameAtOnce() async throws {
        try await withAnswers(then: [], wait: .seconds(60)) { transport, server in
            let executor = CountingExecutor()
            let suspensions = try await withTaskExecutorPreference(executor) {
                let before = executor.jobs
                for _ in 0..<5 { expectEqual(try await transport.text(.get, "\(server.url)/again"), "/again") }
                return executor.jobs - before
            }
            #expect(suspensions == 0)
        }
    }

    /// They may be waiting for it, and have requests, too.
    @Test func aCallLeavesItsThreadToOtherTasksNowAndThen() async throws {
        try await withAnswers(32, then: [.readRequest, .hang], wait: .seconds(60)) { transport, server in
            let executor = CountingExecutor()
            let call = Task(executorPreference: executor) {
                try await transport.text(.get, server.url, timeouts: Timeouts(attempt: .seconds(30)))
            }
            try await server.wait(within: .seconds(60)) { log in log.requests.count == 33 }
            await Task(executorPreference: executor) { server.stop() }.value
            let error = await #expect(throws: NetworkClientError.self) { try await call.value }
            #expect(error?.code == .connectionLost)
        }
    }

    @Test func anAnswerThatDoesNotComeHoldsUpNoOther() async throws {
        try await withAnswers(then: [.readRequest, .hang], wait: .milliseconds(500)) { transport, server in
            let silent = Task { try await transport.text(.get, server.url) }
            try await server.wait(within: .seconds(60)) { log in log.requests.count == 13 }
            try await RawServer.withServer(script: [.readRequest, .respond(body: "other")]) { other in
                expectEqual(try await transport.text(.get, other.url), "other")
            }
            silent.cancel()
            await #expect(throws: CancellationError.self) { try await silent.value }
        }
    }

    @Test func theLoopSeesAnAnswerThatComesLater() async throws {
        let late: [RawScript.Step] = [.readRequest, .wait(.milliseconds(100)), .respond(body: "late")]
        try await withAnswers(then: late, wait: .milliseconds(10)) { transport, server in
            expectEqual(try await transport.text(.get, server.url), "late")
        }
    }

    @Test func theLoopSeesTheRestOfAnAnswer() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf"
        let halves: [RawScript.Step] = [.readRequest, .send(head), .wait(.milliseconds(50)), .send("half")]
        try await withAnswers(then: halves, wait: .seconds(60)) { transport, server in
            expectEqual(try await transport.text(.get, server.url), "halfhalf")
        }
    }

    @Test func bodiesThatComeInPiecesAreWhole() async throws {
        let body = String(repeating: "x", count: 200_000)
        try await RawServer.withServer(script: .forever(.readRequest, .respond(body: body))) { server in
            try await withCurl { transport in
                for _ in 0..<100 { expectEqual(try await transport.text(.get, server.url), body) }
            }
        }
    }

    @Test func aConnectionThatEndsMeanwhileIsLost() async throws {
        try await withAnswers(then: [.readRequest, .close], wait: .seconds(60)) { transport, server in
            let error = await #expect(throws: NetworkClientError.self) {
                try await transport.text(.post, server.url, body: .data(Data("once".utf8)))
            }
            #expect(error?.code == .connectionLost)
        }
    }

    @Test func aConnectionThatRestsAfterwardsIsWatched() async throws {
        let unasked: [RawScript.Step] = [
            .readRequest, .respond(body: "asked"), .wait(.milliseconds(200)), .respond(body: "unasked"), .readToEnd,
        ]
        try await withAnswers(then: unasked, wait: .seconds(60)) { transport, server in
            expectEqual(try await transport.text(.get, server.url), "asked")
            try await server.wait(within: .seconds(60)) { log in log.has(.resetByPeer, on: 1) }
        }
    }

    /// Nobody listens to a connection whose answers are taken by the threads of calls, until the loop is asked to.
    @Test(arguments: [0, 5, 100_000])
    func whatCameUnaskedSinceTheLastAnswerIsNoAnswer(microseconds: Int) async throws {
        let answers = RawScript.Step.repeat([.readRequest, .respondWithTarget], times: 12)
        let evil: RawScript = [answers, .wait(.milliseconds(1)), .respond(body: "evil"), .readToEnd]
        let server = try RawServer.start(scripts: [evil, .forever(.readRequest, .respondWithTarget)])
        defer { server.stop() }
        let transport = CurlTransport(
            configuration: .direct, environment: { _ in nil }, briefWait: .microseconds(microseconds))
        try await transport.thenShutDown { transport in
            for number in 1...12 {
                expectEqual(try await transport.text(.get, "\(server.url)/\(number)"), "/\(number)")
            }
            try await Task.sleep(for: .milliseconds(10))
            expectEqual(try await transport.text(.get, "\(server.url)/next"), "/next")
        }
    }

    /// The other connection is not watched either, and has answered long ago.
    @Test func whatCameUnaskedIsNoAnswerThoughAnotherServerHasJustAnswered() async throws {
        let answers = RawScript.Step.repeat([.readRequest, .respondWithTarget], times: 12)
        let evil: RawScript = [answers, .wait(.milliseconds(1)), .respond(body: "evil"), .readToEnd]
        let server = try RawServer.start(scripts: [evil, .forever(.readRequest, .respondWithTarget)])
        defer { server.stop() }
        try await RawServer.withServer(script: .forever(.readRequest, .respondWithTarget)) { other in
            let transport = CurlTransport(configuration: .direct, environment: { _ in nil }, briefWait: .seconds(60))
            try await transport.thenShutDown { transport in
                for number in 1...12 {
                    expectEqual(try await transport.text(.get, "\(server.url)/\(number)"), "/\(number)")
                }
                let end = ContinuousClock.now + .milliseconds(10)
                while .now < end { expectEqual(try await transport.text(.get, "\(other.url)/other"), "/other") }
                expectEqual(try await transport.text(.get, "\(server.url)/next"), "/next")
            }
        }
    }

    /// The answer fills what libcurl reads at once, and the next request follows before the loop sees that there is more.
    @Test func whatLibcurlHasNotReadWithAnAnswerIsNoAnswer() async throws {
        let size = 16 * 1024
        let (start, end) = ("HTTP/1.1 200 OK\r\nX: ", "\r\nContent-Length: 5\r\n\r\nhello")
        let padding = String(repeating: "x", count: size - start.utf8.count - end.utf8.count)
        let more = start + padding + end + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
        let answers = RawScript.Step.repeat([.readRequest, .respondWithTarget], times: 12)
        let evil: RawScript = [answers, .readRequest, .send(more), .readToEnd]
        let server = try RawServer.start(scripts: [evil, .forever(.readRequest, .respondWithTarget)])
        defer { server.stop() }
        var configuration = CurlTransport.Configuration.direct
        configuration.receiveBuffer = size
        let transport = CurlTransport(
            configuration: configuration, environment: { _ in nil }, briefWait: .seconds(60))
        try await transport.thenShutDown { transport in
            for number in 1...12 {
                expectEqual(try await transport.text(.get, "\(server.url)/\(number)"), "/\(number)")
            }
            expectEqual(try await transport.text(.get, server.url), "hello")
            expectEqual(try await transport.text(.get, "\(server.url)/next"), "/next")
        }
    }

    /// Whose request ended without its source has nothing to send and nothing to wait for.
    @Test func theCallAloneWaitsForItsAnswer() async throws {
        try await withAnswers(then: [.readRequest, .hang], wait: .seconds(10)) { transport, server in
            let source = StubbornSource()
            let refusal = "HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n"
            try await RawServer.withServer(script: [.readHead, .send(refusal), .close]) { other in
                let body = RequestBody.stream(isReplayable: false) { source }
                expectEqual(try await transport.send(.post, other.url, body: body).head.status.code, 413)
            }
            let call = Task { try await transport.text(.get, server.url, timeouts: Timeouts(attempt: .seconds(20))) }
            try await server.wait(within: .seconds(60)) { log in log.requests.count == 13 }
            source.end()
            let time = await ContinuousClock().measure { await source.release }
            #expect(time < .seconds(5))
            server.stop()
            await #expect(throws: NetworkClientError.self) { try await call.value }
        }
    }

    /// A transport that has had some answers at once; what the server does then on the same connection.
    private func withAnswers(
        _ count: Int = 12, then steps: [RawScript.Step], wait: Duration,
        _ body: (CurlTransport, RawServer) async throws -> Void
    ) async throws {
        let answers = RawScript.Step.repeat([.readRequest, .respondWithTarget], times: steps.isEmpty ? nil : count)
        try await RawServer.withServer(script: RawScript([answers] + steps)) { server in
            let transport = CurlTransport(configuration: .direct, environment: { _ in nil }, briefWait: wait)
            try await transport.thenShutDown { transport in
                for number in 1...count {
                    expectEqual(try await transport.text(.get, "\(server.url)/\(number)"), "/\(number)")
                }
                try await body(transport, server)
            }
        }
    }
}

/// Counts the jobs of a task: one at its beginning, and one more whenever it goes on after a suspension.
private final class CountingExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "strata.tests")
    private let count = Atomic(0)

    var jobs: Int { count.load(ordering: .relaxed) }

    func enqueue(_ job: consuming ExecutorJob) {
        count.wrappingAdd(1, ordering: .relaxed)
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        queue.async { job.runSynchronously(on: executor) }
    }
}

#endif
