// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One call on its way through the loop: what to send, who waits, and where it runs.
final class Exchange: @unchecked Sendable {
    // Unchecked: the constants are Sendable, the variables are touched under the loop's lock alone, but for the
    // continuation, which is set before the exchange is handed to the loop.
    let request: TransportRequest
    let plan: RequestPlan
    let upload: UploadPipe?
    let loop: CurlLoop
    /// When the exchange has to be over, and which limit says so.
    let deadline: (time: UInt64, limit: Duration, kind: Timeouts.Kind)?

    var continuation: UnsafeContinuation<Reply, any Error>?
    /// Where it runs; `nil` before and after.
    var slot: Int?
    var isCancelled = false

    init(_ request: TransportRequest, plan: RequestPlan, upload: UploadPipe?, loop: CurlLoop) {
        self.request = request
        self.plan = plan
        self.upload = upload
        self.loop = loop
        deadline = request.timeLimit.map { limit, kind in
            (MonotonicClock.now.adding(limit), limit, kind)
        }
    }
}

/// What a call gets when its head has arrived.
struct Reply: Sendable {
    enum Body: Sendable {
        case whole(Data)
        case stream(ResponseStream, length: Int64?)
    }

    var head: HTTPResponse
    var isContentEncoded: Bool
    var body: Body
    var metrics: TransportMetrics

    init(_ transfer: Transfer, body: Body) {
        head = HTTPResponse(status: transfer.head.status, headerFields: transfer.head.fields)
        isContentEncoded = transfer.head.isContentEncoded
        self.body = body
        metrics = transfer.metrics()
    }
}

/// What the loop is asked to do.
enum Command: Sendable {
    case start(Exchange)
    case cancel(Exchange)
    /// The reader has made room.
    case resumeReceiving(Exchange)
    /// The producer has something to send.
    case resumeSending(Exchange)
}

/// A task that goes on, once the loop's lock is released: what it does then may need the lock.
enum Resumption: Sendable {
    case reply(UnsafeContinuation<Reply, any Error>, Reply)
    case failed(UnsafeContinuation<Reply, any Error>, any Error)
    case piece(ResponseStream.Reader, Data?)
    case pieceFailed(ResponseStream.Reader, any Error)
    /// No task goes on here: one that produces a request's body ends.
    case uploadEnded(UploadPipe)

    func perform() {
        switch self {
        case .reply(let continuation, let reply): continuation.resume(returning: reply)
        case .failed(let continuation, let error): continuation.resume(throwing: error)
        case .piece(let reader, let piece): reader.resume(returning: piece)
        case .pieceFailed(let reader, let error): reader.resume(throwing: error)
        case .uploadEnded(let upload): upload.cancelProduction()
        }
    }
}

extension UInt64 {
    /// A moment in nanoseconds, `duration` later; at the end of time when that is too far.
    func adding(_ duration: Duration) -> UInt64 {
        let (seconds, attoseconds) = duration.components
        guard seconds >= 0, attoseconds >= 0 else { return self }
        let (product, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        if overflow { return .max }
        let (span, overflow2) = product.addingReportingOverflow(UInt64(attoseconds / 1_000_000_000))
        if overflow2 { return .max }
        let (sum, overflow3) = addingReportingOverflow(span)
        return overflow3 ? .max : sum
    }
}
