// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import StrataWebSocket

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How an entry is replayed: when its head comes, which pieces of its body when, and how that ends.
struct ReplayPlan: Sendable {
    enum Ending: Sendable {
        case complete
        case failure(any Error)
        /// Nothing more comes. The reason is told when a timeout passes.
        case stall(String?)
    }

    enum Body: Sendable {
        case data(Data)
        case file(path: String, count: Int64)

        var count: Int64 {
            switch self {
            case .data(let data): Int64(data.count)
            case .file(_, let count): count
            }
        }
    }

    /// `nil`: none comes.
    var head: HTTPResponse?
    var headTime: Duration
    var body = Body.data(Data())
    var pieces: [Cassette.Piece] = []
    var ending = Ending.complete
    var end: Duration
    /// The announced number of bytes.
    var length: Int64?
    var httpVersion: String?
    var trailers: HTTPFields?
    /// Of a WebSocket; `nil` for anything else.
    var messages: [Message]?
    /// Whether a WebSocket ends by a close in order where the file names none: a browser's does not.
    var closesAtEnd = false

    struct Message: Sendable {
        let isSent: Bool
        var time: Duration
        let content: SocketMessage
        /// Whether its secrets are masked already.
        let isMasked: Bool
        /// Left out of the recording: any will do.
        let isWithheld: Bool

        var isClose: Bool {
            if case .close = content { true } else { false }
        }
    }

    /// - Throws: ``CassetteError`` when the body cannot be read from the cassette.
    init(_ entry: Cassette.Entry, to method: HTTPRequest.Method, fault: ReplayFault?, cutting: Cutting?) throws {
        headTime = entry.headTime
        end = entry.end
        if let failure = entry.failure ?? (entry.status == 0 ? "" : nil) { ending = entry.ending(failure) }
        // Of a browser's entry without a response, or one that failed or was cancelled before it.
        guard entry.status != 0 else {
            apply(fault)
            return
        }
        head = HTTPResponse(status: .init(code: entry.status), headerFields: entry.responseFields)
        httpVersion = entry.httpVersion
        if let recorded = entry.messages {
            messages = try recorded.enumerated().map { index, message in
                let isWithheld = message.isSent && message.content.isWithheld
                return Message(
                    isSent: message.isSent, time: message.time,
                    content: isWithheld ? .data(Data()) : try entry.said(message, at: index), isMasked: entry.isOurs,
                    isWithheld: isWithheld)
            }
            closesAtEnd = !entry.isOurs
        } else if method.responseHasContent(status: entry.status) {
            body = try entry.responseContents()
            trailers = entry.trailers
            pieces = entry.replayedPieces(of: body.count)
            switch body {
            case .data: if let cutting = cutting ?? entry.cutting { pieces = cutting.cut(pieces) }
            case .file: pieces = pieces.flatMap(Self.parts)
            }
            announceLength()
        }
        apply(fault)
    }

    /// What is read of a file at once is bounded.
    private static func parts(of piece: Cassette.Piece) -> [Cassette.Piece] {
        let most = 1 << 20
        return stride(from: 0, to: piece.count, by: most).map { start in
            Cassette.Piece(time: piece.time, count: min(most, piece.count - start))
        }
    }

    /// Masking has changed how many bytes there are, and a browser's field counts those before decoding.
    private mutating func announceLength() {
        guard var fields = head?.headerFields, let announced = fields[.contentLength] else { return }
        if case .complete = ending {
            fields[.contentLength] = String(body.count)
            length = body.count
        } else {
            length = Int64(announced).flatMap { $0 >= body.count ? $0 : nil }
        }
        head?.headerFields = fields
    }

    private mutating func apply(_ fault: ReplayFault?) {
        switch fault?.effect {
        case nil: break
        case .failure(let error):
            head = nil
            ending = .failure(error)
        case .delay(let duration):
            let delay = max(duration, .zero)
            headTime += delay
            end += delay
            for index in pieces.indices { pieces[index].time += delay }
            for index in messages?.indices ?? 0..<0 { messages?[index].time += delay }
        case .cut(let bytes, let error):
            guard Int64(bytes) < (messages.map { Int64($0.received) } ?? body.count) else { return }
            keep(bytes)
            ending = .failure(error)
        case .stall(let bytes):
            guard head != nil else { return }
            keep(bytes)
            ending = .stall(nil)
        }
    }

    private mutating func keep(_ bytes: Int) {
        var rest = bytes
        if let messages {
            // A message that is cut does not come.
            let cut = messages.firstIndex { message in
                if !message.isSent { rest -= message.content.count }
                return !message.isSent && (rest < 0 || message.isClose)
            }
            self.messages = Array(messages[..<(cut ?? messages.count)])
            end = self.messages?.last?.time ?? headTime
            return
        }
        pieces = pieces.compactMap { piece in
            var piece = piece
            piece.count = min(piece.count, rest)
            rest -= piece.count
            return piece.count > 0 ? piece : nil
        }
        end = pieces.last?.time ?? headTime
    }
}

extension Cassette.Entry {
    func responseContents() throws -> ReplayPlan.Body {
        guard let path = try bodyPath(responseContent, "response.content") else { return .data(try responseBody()) }
        guard let file = try? RequestBody.file(URL(fileURLWithPath: path)), let count = file.length else {
            throw error("response.content._file", "there is no file at \(path)")
        }
        return .file(path: path, count: count)
    }

    /// When the file's body was edited by hand, the last piece has what is more, and those that are too many have nothing.
    func replayedPieces(of count: Int64) -> [Cassette.Piece] {
        var rest = Int(clamping: count)
        var pieces: [Cassette.Piece] = []
        for var piece in self.pieces where rest > 0 {
            piece.count = min(piece.count, rest)
            rest -= piece.count
            if piece.count > 0 { pieces.append(piece) }
        }
        guard rest > 0 else { return pieces }
        if pieces.isEmpty || isOurs == false {
            pieces.append(Cassette.Piece(time: end, count: rest))
        } else {
            pieces[pieces.count - 1].count += rest
        }
        return pieces
    }

    /// The error that ended the exchange.
    func ending(_ code: String) -> ReplayPlan.Ending {
        let message = string(errorMessage) ?? "the exchange failed when it was recorded"
        if let known = NetworkClientError.Code(name: code), known != .cancelled {
            var error = NetworkClientError(known, message)
            if known == .timedOut {
                error = .timedOut(string(errorTimeout).flatMap(Timeouts.Kind.init(rawValue:)) ?? .attempt)
            }
            error.isUnprocessed = isUnprocessed
            return .failure(error)
        }
        if code == HAREntry.Failure.cancelled {
            return .stall("when entry \(number) was recorded, \(message) here")
        }
        return .failure(
            NetworkClientError(Self.code(ofBrowser: code), code.isEmpty ? "the browser got no response" : code))
    }

    /// By the names of Chromium (net_error_list.h).
    private static func code(ofBrowser name: String) -> NetworkClientError.Code {
        let name = name.uppercased()
        func has(_ parts: String...) -> Bool { parts.contains { name.contains($0) } }
        if has("NAME_NOT_RESOLVED", "NAME_RESOLUTION") { return .dnsFailed }
        if has("CERT", "SSL") { return .tlsFailed }
        if has("PROXY", "TUNNEL") { return .proxyFailed }
        if has("CONNECTION_RESET", "CONNECTION_CLOSED", "EMPTY_RESPONSE", "NETWORK_CHANGED", "CONTENT_LENGTH_MISMATCH")
        {
            return .connectionLost
        }
        if has("INVALID_RESPONSE", "INVALID_CHUNKED", "HTTP2_PROTOCOL", "RESPONSE_HEADERS") {
            return .protocolViolation
        }
        return .cannotConnect
    }
}

extension SocketMessage {
    /// How many bytes it says.
    fileprivate var count: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .data(let data): data.count
        case .close: 0
        }
    }
}

extension [ReplayPlan.Message] {
    /// How many bytes the server says.
    fileprivate var received: Int { reduce(0) { $1.isSent ? $0 : $0 + $1.content.count } }
}
