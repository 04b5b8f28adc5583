// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import StrataTransportSupport
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One call on its way through the loop: what to send, who waits, and where it runs.
final class Exchange: @unchecked Sendable {
    // Unchecked: the constants are Sendable, the variables are touched under the loop's lock alone, but for the response,
    // which is the task's when it has been resumed.
    let request: TransportRequest
    let plan: RequestPlan
    /// The body on its way, where it is produced piece by piece; another one when it is produced again.
    var upload: UploadPipe? { pipe.withLock { $0 } }
    /// A cancel closes it while the loop may be busy.
    private let pipe: Mutex<UploadPipe?>
    let loop: CurlLoop
    /// When the exchange has to be over, and which limit says so.
    let deadline: (time: UInt64, kind: Timeouts.Kind)?

    /// Resumed once: by whoever takes it.
    private let waiter = Mutex<Waiter<Void>?>(nil)
    /// What the call gets when its head has arrived.
    private var response: TransportResponse?
    private var isContentEncoded = false
    /// Publishes both to the task. Resuming the task does so too, but ThreadSanitizer does not see it when the task is
    /// resumed before it waits.
    private let isAnswered = Atomic(false)
    /// Where it runs; `nil` before and after.
    var slot: Int?
    var isCancelled = false
    /// The queue of its origin, from beginning to end, where there is one.
    var queue: OriginQueue?
    /// Whether it is one of those that its origin may have under way.
    var hasPlace = false
    /// Where it waits, and its neighbours there.
    var list: ExchangeList?
    var previous: Exchange?
    var next: Exchange?

    init(_ request: TransportRequest, plan: RequestPlan, upload: UploadPipe?, loop: CurlLoop) {
        self.plan = plan
        pipe = Mutex(upload)
        self.loop = loop
        deadline = request.timeLimit.map { limit, kind in
            (MonotonicClock.now.saturatingAdd(UInt64(nanosecondsOf: limit)), kind)
        }
        // Last, so that it is moved and not copied.
        self.request = request
    }

    /// Produces the body once more from its beginning.
    func restartUpload() {
        guard let upload else { return }
        upload.close()
        let again = upload.emptyCopy()
        pipe.withLock { $0 = again }
        // Made in the task that reads it, since making it runs the caller's code.
        again.start({ [request] in try request.body.makeSource() }) { [weak self] in
            if let self { self.loop.submit(.resumeSending(self)) }
        }
    }

    var isWaiting: Bool { waiter.withLock { $0 != nil } }

    func wait(_ waiter: Waiter<Void>) { self.waiter.withLock { $0 = waiter } }

    func takeWaiter() -> Waiter<Void>? { waiter.withLock { $0.take() } }

    /// Ends the call at once, and has the loop clean up behind it, which may be busy. One that has not begun to wait is
    /// ended by the loop.
    func cancel() {
        let waiter = takeWaiter()
        if waiter != nil { upload?.close() }
        loop.post(.cancel(self))
        waiter?.resume(with: .failure(CancellationError()))
    }

    /// Hands an interim response to the call, which only lists it.
    func noteInterim(_ head: HTTPResponse) { request.options.onInterim?(head) }

    /// The head has come: leaves it for the call, once.
    ///
    /// - Returns: the call's task, to be resumed when the loop's lock is released.
    func answer(_ transfer: Transfer, body: @autoclosure () -> ResponseBody) -> Resumption? {
        guard let waiter = takeWaiter() else { return nil }
        var response = TransportResponse(head: transfer.head.response, body: body(), metrics: transfer.metrics())
        if let stream = transfer.stream { response.finalMetrics = { stream.metrics } }
        self.response = response
        isContentEncoded = transfer.head.isContentEncoded
        isAnswered.store(true, ordering: .releasing)
        return .answered(waiter)
    }

    /// The answer, its content decoded when that is wanted, and its body held to the limit. For the call alone, when it
    /// has been resumed.
    func takeResponse() throws -> TransportResponse {
        guard isAnswered.load(ordering: .acquiring), let response = response.take() else {
            throw NetworkClientError(.internalFailure, "the call was resumed without an answer")
        }
        return response.prepared(for: request.options, decodesContent: plan.decodesContent && isContentEncoded)
    }
}
