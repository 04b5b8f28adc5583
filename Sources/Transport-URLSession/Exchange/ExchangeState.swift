// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What is known of one exchange: who waits for what, what has arrived, how it ended. It does nothing by itself; its methods
/// return what is to be done once the lock is released.
struct ExchangeState: ~Copyable {
    typealias HeadContinuation = CheckedContinuation<HTTPResponse, any Error>
    typealias PieceContinuation = CheckedContinuation<Data?, any Error>

    /// What is to be done, in this order.
    struct Effects {
        var flow = ReceivedBody.Flow.unchanged
        /// The exchange is over for us: stop the clock, the upload, and the backend's task if it still runs.
        var ends = false
        var wakesHead: (HeadContinuation, Result<HTTPResponse, any Error>)?
        var wakesReader: (PieceContinuation, Result<Data?, any Error>)?
    }

    private var head: Result<HTTPResponse, any Error>?
    private var headWaiter: HeadContinuation?
    private var body: ReceivedBody
    private var pieceWaiter: PieceContinuation?
    private var end: Result<Void, any Error>?
    private let limit: Int?
    private(set) var bytesReceived = 0
    /// The backend's task was told to stop, or will be.
    private(set) var isCancelled = false
    /// The user's delegate did not trust the server, or had no certificate for it.
    var isTrustRefused = false

    /// - Parameter limit: the most bytes that a body may have.
    init(overflow: ReceivedBody.Overflow, limit: Int?) {
        body = ReceivedBody(overflow: overflow)
        self.limit = limit
    }

    var hasEnded: Bool { end != nil }
    /// Whether the transfer is to wait for the reader.
    var isHeld: Bool { body.isHeld }

    // MARK: What the backend says

    mutating func receiveHead(_ received: HTTPResponse) -> Effects {
        guard head == nil, end == nil else { return Effects() }
        head = .success(received)
        return Effects(wakesHead: headWaiter.take().map { ($0, .success(received)) })
    }

    mutating func receive(_ data: Data) -> Effects {
        guard end == nil, !data.isEmpty else { return Effects() }
        bytesReceived += data.count
        do {
            var effects = Effects(flow: try body.append(data))
            if let limit, bytesReceived > limit {
                effects = finish(with: NetworkClientError.bodyTooLarge(limit), isRemote: false)
            } else if let next = pieceWaiter == nil ? nil : try body.next(), let waiter = pieceWaiter.take() {
                effects.wakesReader = (waiter, .success(next.piece))
                // Held and let go in one step: nothing happened.
                if next.flow == .go { effects.flow = .unchanged }
            }
            return effects
        } catch {
            return fail(error)
        }
    }

    /// The backend is done. What has arrived can still be read; then comes the end, or the error.
    mutating func finish(with error: (any Error)? = nil) -> Effects {
        // Whoever cancels on this side has ended the exchange before: this is a cancel of the session's own.
        finish(with: error is CancellationError ? foreignCancel : error, isRemote: true)
    }

    private var foreignCancel: any Error {
        isTrustRefused
            ? NetworkClientError(.tlsFailed, "the session's delegate did not trust the server, or gave no certificate")
            : NetworkClientError(.connectionLost, "the session cancelled the transfer")
    }

    // MARK: What happens on this side

    /// Gives the exchange up for a reason of our own: what has arrived is forgotten, and whoever waits is told at once.
    mutating func fail(_ error: any Error) -> Effects {
        if end == nil { body.removeAll() }
        return finish(with: error, isRemote: false)
    }

    /// The reader gives up: what waits for it is forgotten, also when the backend is done.
    mutating func cancel() -> Effects {
        guard end != nil else { return fail(CancellationError()) }
        if !body.isEmpty {
            body.removeAll()
            end = .failure(CancellationError())
        }
        return Effects()
    }

    private mutating func finish(with error: (any Error)?, isRemote: Bool) -> Effects {
        guard end == nil else { return Effects() }
        let result: Result<Void, any Error> = error.map { .failure($0) } ?? .success(())
        end = result
        if !isRemote { isCancelled = true }
        var effects = Effects(ends: true)
        if head == nil {
            let failure =
                error ?? NetworkClientError(.protocolViolation, "the exchange ended without a response")
            head = .failure(failure)
            effects.wakesHead = headWaiter.take().map { ($0, .failure(failure)) }
        }
        if let waiter = pieceWaiter.take() {
            effects.wakesReader = (waiter, Result { try nextWithoutWaiting() ?? nil })
        }
        return effects
    }

    // MARK: What the caller wants

    /// The head, if it is there already.
    mutating func awaitHead(_ continuation: HeadContinuation) -> Effects {
        if let head { return Effects(wakesHead: (continuation, head)) }
        headWaiter = continuation
        return Effects()
    }

    mutating func awaitPiece(_ continuation: PieceContinuation) -> Effects {
        do {
            if let (piece, flow) = try body.next() {
                return Effects(flow: flow, wakesReader: (continuation, .success(piece)))
            }
        } catch {
            var effects = fail(error)
            effects.wakesReader = (continuation, .failure(error))
            return effects
        }
        if let end { return Effects(wakesReader: (continuation, end.map { nil })) }
        pieceWaiter = continuation
        return Effects()
    }

    private mutating func nextWithoutWaiting() throws -> Data?? {
        if let next = try body.next() { return next.piece }
        return try end?.map { Data?.none }.get()
    }
}
