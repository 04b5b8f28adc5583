// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// Gives requests of HTTP/1.1 back what the conversion to `HTTPRequest` takes: the place of `Host` among the fields, and
/// the target when it is in absolute form.
///
/// It stands behind the codec that converts, and puts before it who has to see the messages as they are: a recorder, and
/// an ``HTTP10Handler``. Over HTTP/2 there is no such codec and nothing to do.
final class ExactHeadHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    /// That of the request whose parts are passing. `nil` over HTTP/2.
    private(set) var version: HTTPVersion?
    private let recorder = Recorder()

    func handlerAdded(context: ChannelHandlerContext) {
        let pipeline = context.pipeline.syncOperations
        guard let codec = try? pipeline.handler(type: HTTP1ToHTTPServerCodec.self) else { return }
        do {
            try pipeline.addHandlers([HTTP10Handler(), recorder], position: .before(codec))
        } catch {
            context.fireErrorCaught(error)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var request) = unwrapInboundIn(data), let head = recorder.heads.popFirst() else {
            return context.fireChannelRead(data)
        }
        version = head.version
        request.path = head.uri
        request.headerFields = HTTPFields(
            head.headers.compactMap { name, value in
                HTTPField.Name(name).map { HTTPField(name: $0, value: value) }
            })
        context.fireChannelRead(wrapInboundOut(.head(request)))
    }

    private final class Recorder: ChannelInboundHandler, RemovableChannelHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias InboundOut = HTTPServerRequestPart

        /// Heads on their way through the codec, which may be several when requests are pipelined.
        var heads: CircularBuffer<HTTPRequestHead> = []

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            if case .head(let head) = unwrapInboundIn(data) { heads.append(head) }
            context.fireChannelRead(data)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            heads.removeAll()
            context.fireErrorCaught(error)
        }
    }
}
