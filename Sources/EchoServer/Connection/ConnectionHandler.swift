// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Tells when the client goes, and answers `Expect: 100-continue` (RFC 9110 §10.1.1), which Hummingbird leaves to others.
///
/// It stands behind the ``ExactHeadHandler``, which knows the version of a request.
final class ConnectionHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private var departurePromise: EventLoopPromise<Void>?
    private var exactHeads: ExactHeadHandler?
    /// Whether a `100 Continue` is due, for each request whose response has not ended. It waits for those before: in the
    /// middle of a response it would be taken for a part of it.
    private var expectations: CircularBuffer<Bool> = []

    /// Fulfilled when the client has closed its side, or the channel is gone.
    var departure: EventLoopFuture<Void>? { departurePromise?.futureResult }

    func handlerAdded(context: ChannelHandlerContext) {
        departurePromise = context.eventLoop.makePromise()
        exactHeads = try? context.pipeline.syncOperations.handler(type: ExactHeadHandler.self)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        departurePromise?.succeed()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed { departurePromise?.succeed() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = unwrapInboundIn(data) {
            let expects = head.headerFields[.expect]?.lowercased() == "100-continue"
            // In HTTP/1.0 there is no 100: the client would take it for the response.
            expectations.append(expects && exactHeads?.version != .http1_0)
            meetExpectation(context: context)
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let part = unwrapOutboundIn(data)
        context.write(data, promise: promise)
        guard case .end = part else { return }
        _ = expectations.popFirst()
        meetExpectation(context: context)
    }

    private func meetExpectation(context: ChannelHandlerContext) {
        guard expectations.first == true else { return }
        expectations[expectations.startIndex] = false
        context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
    }
}
