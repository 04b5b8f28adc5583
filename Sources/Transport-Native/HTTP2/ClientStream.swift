// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import StrataTransportSupport

/// One who is given what comes on a stream.
protocol HTTP2Receiver: AnyObject {
    /// Takes bytes of a body.
    ///
    /// - Parameter length: of the whole body, when it is announced.
    func take(_ bytes: UnsafeRawBufferPointer, length: Int64?)
}

/// A request and its answer on a connection over HTTP/2 (RFC 9113 §5). It belongs to its session.
final class ClientStream {
    /// How a stream has ended.
    enum End {
        /// The answer is whole.
        case whole
        /// The server has certainly not acted on the request (§8.7).
        case unprocessed
        /// The server wants HTTP/1.1 (§7), and has not acted on the request either.
        case http11Required
        /// It was to go on in another protocol, which the server does not take (RFC 8441 §3). Nothing was sent.
        case upgradeNotTaken
        case failed(NetworkClientError)
    }

    /// 0 until it has begun.
    var id: Int32 = 0
    /// The protocol in which it is to go on (RFC 8441).
    let upgrade: String?
    /// Who gets what comes; nobody any more when it has been left.
    var receiver: (any HTTP2Receiver)?

    // What comes.
    var parser: HeadParser
    /// Interim heads that have not been seen.
    var interims: [HTTPResponse] = []
    var interimCount = 0
    var hasHead = false
    /// Whether the server has agreed to ``upgrade``: what comes and goes are bytes of that protocol.
    var isSwitched = false
    /// Whether somebody has seen the head.
    var isHeadTaken = false
    var received: Int64 = 0
    /// Whether all has come that belongs to the answer.
    var isEnded = false
    var trailers: HTTPFields?
    /// Why the answer cannot be used.
    var violation: String?
    /// With what the peer has ended it.
    var resetCode: HTTP2Code?
    /// Whether nothing more comes or goes.
    var isClosed = false
    var end: End?
    /// Bytes of the body that wait for their reader.
    var unread = 0
    /// How much the peer may send in all before something is read.
    var window: Int
    /// Whether it is in the list of those that something has happened to.
    var isTouched = false

    // What goes.
    var output = OutputQueue()
    /// Whether all of the body is in `output`.
    var isOutputEnded = false
    var outputTrailers: HTTPFields?
    /// Whether nothing could be sent because nothing was there.
    var isDeferred = false
    /// Whether the request has been written.
    var isSent = false
    /// Whether nothing more of the request is to be written.
    var isOutputOver = false

    init(upgrade: String?, receiver: any HTTP2Receiver, parser: HeadParser, window: Int) {
        self.upgrade = upgrade
        self.receiver = receiver
        self.parser = parser
        self.window = window
    }

    /// Whether nothing of an answer has come.
    var isAtStart: Bool { parser.isAtStart && parser.size == 0 && received == 0 }

    /// Whether as much of a body has come as its head says, if it does.
    var hasAnnouncedLength: Bool {
        guard !isSwitched, parser.code != 304, let length = parser.contentLength else { return true }
        return received == length
    }

    /// Whether the peer may be held up because nobody reads.
    var isHeldByReader: Bool { unread > 0 && unread * 2 >= window }
}
