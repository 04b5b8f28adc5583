// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import HTTPTypes
import StrataCore
import Synchronization
import Testing

@testable import StrataURLSession

struct URLExchangeTests {
    private final class Control: TransferControl {
        private let state = Mutex((cancels: 0, flows: [ReceivedBody.Flow]()))

        var cancels: Int { state.withLock { $0.cancels } }
        var flows: [ReceivedBody.Flow] { state.withLock { $0.flows } }

        func cancel() { state.withLock { $0.cancels += 1 } }
        func applyFlow(_ flow: @escaping @Sendable () -> ReceivedBody.Flow) {
            let flow = flow()
            state.withLock { $0.flows.append(flow) }
        }
    }

    /// Every turn comes late, and the last one first.
    private final class LateControl: TransferControl {
        private let turns = Mutex<[@Sendable () -> ReceivedBody.Flow]>([])

        func cancel() {}
        func applyFlow(_ flow: @escaping @Sendable () -> ReceivedBody.Flow) { turns.withLock { $0.append(flow) } }
        func takeTurns() -> [ReceivedBody.Flow] { turns.withLock { $0 }.reversed().map { $0() } }
    }

    private let control = Control()

    private func exchange(
        overflow: ReceivedBody.Overflow = .spills, control: (any TransferControl)? = nil,
        _ change: (inout RequestOptions) -> Void = { _ in }
    ) throws -> URLExchange {
        var options = RequestOptions()
        change(&options)
        return URLExchange(
            try TransportRequest(url: "http://test.example/", options: options), control: control ?? self.control,
            overflow: overflow)
    }

    private func collect(_ exchange: URLExchange) async throws -> String {
        var text = ""
        while let piece = try await exchange.next() { text += String(decoding: piece, as: UTF8.self) }
        return text
    }

    @Test func givesWhatCameBeforeAnybodyAsked() async throws {
        let exchange = try exchange()
        exchange.receiveHead(HTTPResponse(status: .accepted))
        exchange.receive(Data("ab".utf8))
        exchange.receive(Data("c".utf8))
        exchange.finish(head: nil, error: nil)
        #expect(try await exchange.head().status == .accepted)
        #expect(try await collect(exchange) == "abc")
        #expect(try await exchange.next() == nil)
        #expect(control.cancels == 0)
    }

    @Test func wakesWhoWaits() async throws {
        let exchange = try exchange()
        async let head = exchange.head()
        async let text = collect(exchange)
        for _ in 0..<10 { await Task.yield() }
        exchange.receiveHead(HTTPResponse(status: .ok))
        for piece in ["x", "yz", "!"] {
            exchange.receive(Data(piece.utf8))
            await Task.yield()
        }
        exchange.finish(head: nil, error: nil)
        #expect(try await head.status == .ok)
        #expect(try await text == "xyz!")
    }

    @Test func throwsAfterWhatArrivedWhenTheConnectionIsLost() async throws {
        let exchange = try exchange()
        exchange.receiveHead(HTTPResponse(status: .ok))
        exchange.receive(Data("half".utf8))
        exchange.finish(head: nil, error: NetworkClientError(.connectionLost, "lost"))
        #expect(try await exchange.next() == Data("half".utf8))
        await #expect(throws: NetworkClientError.self) { try await exchange.next() }
        await #expect(throws: NetworkClientError.self) { try await exchange.next() }
        #expect(control.cancels == 0)
    }

    @Test func takesTheHeadThatWasNeverAnnounced() async throws {
        let exchange = try exchange()
        exchange.finish(head: HTTPResponse(status: .found), error: nil)
        #expect(try await exchange.head().status == .found)
        #expect(try await exchange.next() == nil)
    }

    @Test func anEndWithoutAResponseIsAnError() async throws {
        let exchange = try exchange()
        exchange.finish(head: nil, error: nil)
        let error = await #expect(throws: NetworkClientError.self) { try await exchange.head() }
        #expect(error?.code == .protocolViolation)
    }

    @Test func aCancelEndsTheWaitForTheHead() async throws {
        let exchange = try exchange()
        let task = Task { try await exchange.head() }
        for _ in 0..<10 { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(control.cancels == 1)
        exchange.receiveHead(HTTPResponse(status: .ok))
        exchange.receive(Data("late".utf8))
        exchange.finish(head: nil, error: nil)
        await #expect(throws: CancellationError.self) { try await exchange.next() }
    }

    @Test func aCancelEndsTheWaitForAPiece() async throws {
        let exchange = try exchange()
        exchange.receiveHead(HTTPResponse(status: .ok))
        let task = Task { try await exchange.next() }
        for _ in 0..<10 { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(control.cancels == 1)
    }

    private func ended(with text: String) throws -> URLExchange {
        let exchange = try exchange()
        exchange.receiveHead(HTTPResponse(status: .ok))
        exchange.receive(Data(text.utf8))
        exchange.finish(head: nil, error: nil)
        return exchange
    }

    @Test func aCancelAfterTheEndForgetsWhatIsUnread() async throws {
        let exchange = try ended(with: "unread")
        exchange.cancel()
        await #expect(throws: CancellationError.self) { try await exchange.next() }
        #expect(control.cancels == 0)
    }

    @Test func aCancelWhenAllIsReadChangesNothing() async throws {
        let exchange = try ended(with: "all")
        #expect(try await exchange.next() == Data("all".utf8))
        exchange.cancel()
        #expect(try await exchange.next() == nil)
        #expect(control.cancels == 0)
    }

    /// The upload's work is told to stop, and fails for that reason alone.
    @Test(arguments: [CancellationError() as any Error, NetworkClientError(.uploadFailed, "late")])
    func aFailureAfterTheEndChangesNothing(_ failure: any Error) async throws {
        let exchange = try ended(with: "all")
        exchange.fail(failure)
        #expect(try await collect(exchange) == "all")
    }

    /// Whoever cancels on this side is told before the session is.
    @Test(arguments: [(false, NetworkClientError.Code.connectionLost), (true, .tlsFailed)])
    func aCancelOfTheSessionsOwnIsAFailure(_ isTrustRefused: Bool, _ code: NetworkClientError.Code) async throws {
        let exchange = try exchange()
        if isTrustRefused { exchange.noteRefusedTrust() }
        exchange.finish(head: nil, error: CancellationError())
        let error = await #expect(throws: NetworkClientError.self) { try await exchange.head() }
        #expect(error?.code == code)
    }

    @Test func aRefusalOfTrustLeavesAnotherErrorAlone() async throws {
        let exchange = try exchange()
        exchange.noteRefusedTrust()
        exchange.finish(head: nil, error: NetworkClientError(.connectionLost, "lost"))
        let error = await #expect(throws: NetworkClientError.self) { try await exchange.head() }
        #expect(error?.code == .connectionLost)
    }

    @Test func stopsAtTheLimitOfBytes() async throws {
        let exchange = try exchange { $0.maximumResponseBytes = 5 }
        exchange.receiveHead(HTTPResponse(status: .ok))
        exchange.receive(Data("12345".utf8))
        #expect(control.cancels == 0)
        exchange.receive(Data("6".utf8))
        #expect(control.cancels == 1)
        _ = try await exchange.next()
        let error = await #expect(throws: NetworkClientError.self) { try await exchange.next() }
        #expect(error?.code == .bodyTooLarge)
    }

    @Test(arguments: [Timeouts.Kind.idle, .attempt])
    func endsWithTheNameOfTheTimeout(_ kind: Timeouts.Kind) async throws {
        let exchange = try exchange { options in
            if kind == .idle {
                options.timeouts.idle = .milliseconds(2)
            } else {
                options.timeouts.attempt = .milliseconds(2)
            }
        }
        exchange.start(timers: DispatchQueue(label: "timers"))
        let error = await #expect(throws: NetworkClientError.self) { try await exchange.head() }
        #expect(error?.code == .timedOut)
        #expect(error?.timeout == kind)
        #expect(control.cancels == 1)
    }

    @Test func holdsTheTransferWhileNobodyReads() async throws {
        let exchange = try exchange(overflow: .holdsTransfer)
        exchange.receiveHead(HTTPResponse(status: .ok))
        for _ in 0..<4 { exchange.receive(Data(count: 64 * 1024)) }
        #expect(control.flows == [.hold])
        for _ in 0..<4 { _ = try await exchange.next() }
        #expect(control.flows == [.hold, .go])
    }

    /// The backend's thread and the reader's do not wait for each other.
    @Test func isNotHeldByAHoldThatComesAfterTheGo() async throws {
        let control = LateControl()
        let exchange = try exchange(overflow: .holdsTransfer, control: control)
        for _ in 0..<4 { exchange.receive(Data(count: 64 * 1024)) }
        for _ in 0..<4 { _ = try await exchange.next() }
        #expect(control.takeTurns() == [.unchanged, .unchanged])
    }

    @Test func isNotAskedAboutRedirectsOnceItIsCancelled() throws {
        let exchange = try exchange()
        var answers = 0
        exchange.unlessCancelled { answers += 1 }
        exchange.cancel()
        exchange.unlessCancelled { answers += 1 }
        #expect(answers == 1)
    }
}
