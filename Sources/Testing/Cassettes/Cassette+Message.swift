// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataEncoding
import StrataWebSocket

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Cassette {
    /// A message of a WebSocket. What it says is read from the file's text when it is asked for.
    struct Message: Sendable {
        /// Whether the client has sent it.
        var isSent = false
        /// Since the exchange began.
        var time = Duration.zero
        /// The time of day, in seconds since 1970; `nil` where ``time`` is known.
        var timeOfDay: Double?
        var opcode = FrameOpcode.text
        var content = Content()
    }
}

extension Cassette.Entry {
    /// The URL by which a request asks for it: browsers write those of WebSockets with schemes of their own.
    var urlOverHTTP: String {
        let scheme = url.prefix { $0 != ":" }.lowercased()
        return scheme == "ws" || scheme == "wss" ? "http" + url.dropFirst(2) : url
    }

    /// What an end has said. A text that is cut off within a character has U+FFFD there.
    ///
    /// - Throws: ``CassetteError`` when it was left out of the recording, or its file cannot be read.
    func said(_ message: Cassette.Message, at index: Int) throws -> SocketMessage {
        let data = try data(message.content, "_webSocketMessages[\(index)]")
        switch message.opcode {
        case .text: return .text(String(decoding: data, as: UTF8.self))
        case .close:
            guard data.count > 1 else { return .close(code: WebSocket.CloseCode.noStatus.rawValue, reason: "") }
            let bytes = [UInt8](data)
            return .close(
                code: UInt16(bytes[0]) << 8 | UInt16(bytes[1]), reason: String(decoding: bytes[2...], as: UTF8.self))
        default: return .data(data)
        }
    }
}

extension HARReader {
    /// The frames of a WebSocket, as Chromium exports them and as our own entries have them. Pings and pongs are left out, and so are
    /// Chromium's errors, whose opcode is -1.
    mutating func messages() throws -> [Cassette.Message] {
        var messages: [Cassette.Message] = []
        try array { reader, _ in
            var message = Cassette.Message()
            var (kind, opcode, hasOffset) = ("", 1.0, false)
            try reader.object { reader, key in
                switch key {
                case "type": kind = try reader.stringIfAny().map(reader.text.string) ?? ""
                case "opcode": opcode = try reader.numberIfAny() ?? 1
                case "time": message.timeOfDay = try reader.numberIfAny()
                case "_offset":
                    message.time = try reader.time()
                    hasOffset = true
                case "data": message.content.text = try reader.stringIfAny()
                case "_file": message.content.file = try reader.fileName()
                case "_withheld": message.content.isWithheld = try reader.flag()
                default: try reader.skip()
                }
            }
            guard let opcode = UInt8(exactly: opcode).flatMap(FrameOpcode.init(rawValue:)),
                [.text, .binary, .close].contains(opcode), kind == "send" || kind == "receive"
            else { return }
            if hasOffset { message.timeOfDay = nil }
            message.isSent = kind == "send"
            message.opcode = opcode
            message.content.isBase64 = opcode != .text
            try reader.check(message.content)
            messages.append(message)
        }
        return messages
    }
}

extension Cassette.Entry {
    /// Sets the messages' times since the exchange began where the file has those of day, and puts them in order.
    mutating func placeMessages() {
        guard var messages else { return }
        let start = startedDateTime.flatMap(ISO8601.date)?.timeIntervalSince1970
        let first = messages.lazy.compactMap(\.timeOfDay).first
        var last = Duration.zero
        for index in messages.indices {
            if let time = messages[index].timeOfDay, let origin = start ?? first {
                let offset = (time - origin) * 1e6
                let isTime = offset > 0 && offset < 3.2e15
                messages[index].time = .microseconds(isTime ? Int64(offset.rounded()) : 0)
            }
            last = max(last, messages[index].time)
            messages[index].time = last
        }
        self.messages = messages
        end = max(end, last)
    }
}
