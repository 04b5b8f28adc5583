// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import StrataEncoding
import StrataWebSocket

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An exchange that has ended, and how it is written (HAR 1.2, http://www.softwareishard.com/blog/har-12-spec).
struct HAREntry {
    let number: Int
    let test: String?
    let masks: FieldMasks
    let started: Date
    let head: HTTPRequest
    let sent: RecordedBody
    let response: HTTPResponse?
    let received: RecordedBody?
    /// When the response's head came, or the exchange failed without one.
    let headTime: Duration
    let end: Duration
    let metrics: TransportMetrics?
    let failure: Failure?
    /// The fields behind the response's body.
    var trailers: HTTPFields?
    /// Of a WebSocket; `nil` for anything else.
    var messages: [RecordedMessage]?

    /// How an exchange ended early.
    struct Failure {
        var code: String
        var message: String
        var timeout: Timeouts.Kind?
        var isUnprocessed = false

        init?(_ end: BodyEnd, hasHead: Bool) {
            switch end {
            case .complete: return nil
            case .abandoned: (code, message) = (Self.cancelled, "the body was given up")
            case .failed(let error as NetworkClientError):
                (code, message) = (error.code.description, error.message)
                timeout = error.timeout
                isUnprocessed = error.isUnprocessed
            case .failed(is CancellationError): (code, message) = (Self.cancelled, "the call was cancelled")
            case .failed(let error): (code, message) = ("foreign", "\(type(of: error))")
            }
        }

        /// The code of exchanges that nobody wanted any more.
        static let cancelled = NetworkClientError.Code.cancelled.description
    }

    func text() -> [UInt8] {
        var writer = HARWriter()
        writer.object { entry in
            entry.member("startedDateTime", Self.text(of: started))
            entry.member("time", end)
            entry.object("request", request)
            entry.object("response", response)
            entry.object("cache") { _ in }
            entry.object("timings", timings)
            if let address = metrics?.remoteAddress { entry.member("serverIPAddress", address) }
            entry.member("_sequence", number)
            if let test { entry.member("_test", test) }
            if let messages { socket(messages, &entry) }
        }
        let contents = [sent.content, received?.content ?? .none] + (messages ?? []).map(\.content)
        for case .file(let file) in contents { file.keep() }
        return writer.bytes
    }

    /// To the microsecond, always with six digits: entries are sorted by this text.
    private static func text(of date: Date) -> String {
        let text = (ISO8601.text(of: date) ?? "1970-01-01T00:00:00Z").dropLast()
        let parts = text.split(separator: ".")
        let fraction = parts.count > 1 ? parts[1].prefix(6) : ""
        return "\(parts[0]).\(fraction)\(String(repeating: "0", count: 6 - fraction.count))Z"
    }

    private var version: String { metrics?.httpVersion ?? "unknown" }

    private func request(_ writer: inout HARWriter) {
        let url = masks.url(of: head)
        writer.member("method", head.method.rawValue)
        writer.member("url", url)
        writer.member("httpVersion", version)
        writer.array("cookies") { cookies(&$0, of: head.headerFields, .cookie) }
        fields("headers", head.headerFields, &writer)
        writer.array("queryString") { query(of: url, &$0) }
        writer.member("headersSize", -1)
        writer.member("bodySize", sent.size)
        guard case .none = sent.content else {
            writer.object("postData") { data in
                data.member("mimeType", head.headerFields[.contentType].map(masks.text) ?? "")
                data.array("params") { _ in }
                body(sent, isRequest: true, &data)
            }
            return pieces(sent, &writer)
        }
    }

    private func response(_ writer: inout HARWriter) {
        writer.member("status", response?.status.code ?? 0)
        writer.member("statusText", response?.status.reasonPhrase ?? "")
        writer.member("httpVersion", version)
        let fields = response?.headerFields ?? [:]
        writer.array("cookies") { cookies(&$0, of: fields, .setCookie) }
        self.fields("headers", fields, &writer)
        writer.object("content") { content in
            content.member("size", received?.maskedSize ?? 0)
            content.member("mimeType", fields[.contentType].map(masks.text) ?? "x-unknown")
            if let received { body(received, isRequest: false, &content) }
        }
        writer.member("redirectURL", fields[.location].map(masks.text) ?? "")
        writer.member("headersSize", -1)
        writer.member("bodySize", metrics?.encodedBytesReceived ?? received?.size ?? -1)
        if let received { pieces(received, &writer) }
        if let trailers { self.fields("_trailers", trailers, &writer) }
        guard let failure else { return }
        writer.member("_error", failure.code)
        writer.member("_errorMessage", masks.text(failure.message))
        if let timeout = failure.timeout { writer.member("_errorTimeout", timeout.rawValue) }
        if failure.isUnprocessed { writer.member("_errorIsUnprocessed", true) }
    }

    private func body(_ body: RecordedBody, isRequest: Bool, _ writer: inout HARWriter) {
        switch body.content {
        case .none: break
        case .withheld:
            writer.member("text", "")
            writer.member("_withheld", true)
        case .file(let file):
            if isRequest { writer.member("text", "") }
            writer.member("_file", file.name)
        case .data(let data):
            if let text = Self.text(data) { return writer.member("text", text) }
            writer.member("text", data.base64EncodedString())
            // HAR knows an encoding of responses alone.
            writer.member(isRequest ? "_encoding" : "encoding", "base64")
        }
    }

    /// As Chromium writes the messages of a socket; `_offset` is ours, as exact as the times of pieces.
    private func socket(_ messages: [RecordedMessage], _ writer: inout HARWriter) {
        writer.member("_resourceType", "websocket")
        writer.array("_webSocketMessages") { list in
            for message in messages {
                list.object { object in
                    object.member("type", message.isSent ? "send" : "receive")
                    object.memberInSeconds("time", .seconds(started.timeIntervalSince1970) + message.time)
                    object.member("opcode", message.opcode.rawValue)
                    switch message.content {
                    case .data(let data):
                        object.member(
                            "data",
                            message.opcode == .text ? String(decoding: data, as: UTF8.self) : data.base64EncodedString()
                        )
                    case .file(let file): object.member("_file", file.name)
                    case .withheld, .none: object.member("_withheld", true)
                    }
                    object.member("_offset", message.time)
                }
            }
        }
    }

    private static func text(_ data: Data) -> String? {
        Redaction.isText(data) ? String(validating: data, as: UTF8.self) : nil
    }

    private func pieces(_ body: RecordedBody, _ writer: inout HARWriter) {
        guard !body.pieces.isEmpty else { return }
        writer.array("_pieces") { list in
            for piece in body.pieces {
                list.element { pair in
                    pair.value(piece.time)
                    pair.value(piece.count)
                }
            }
        }
    }

    private func fields(_ name: String, _ fields: HTTPFields, _ writer: inout HARWriter) {
        writer.array(name) { list in
            for field in fields {
                list.object { object in
                    object.member("name", field.name.rawName)
                    object.member("value", masks.value(of: field))
                }
            }
        }
    }

    private func cookies(_ list: inout HARWriter, of fields: HTTPFields, _ name: HTTPField.Name) {
        for field in fields[fields: name] {
            let pairs = masks.value(of: field).split(separator: ";")
            // Behind the cookie come its attributes.
            for pair in name == .cookie ? pairs[...] : pairs.prefix(1) {
                let parts = Substring(pair.utf8.trimmingBlanks).split(
                    separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                list.object { cookie in
                    cookie.member("name", parts.count == 2 ? String(parts[0]) : "")
                    cookie.member("value", String(parts[parts.count - 1]))
                }
            }
        }
    }

    private func query(of url: String, _ list: inout HARWriter) {
        guard let mark = url.firstIndex(of: "?") else { return }
        for item in url[url.index(after: mark)...].split(separator: "&") {
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            list.object { object in
                object.member("name", PercentEncoding.decodedText(parts[0].utf8, plusIsSpace: true))
                object.member(
                    "value", parts.count == 2 ? PercentEncoding.decodedText(parts[1].utf8, plusIsSpace: true) : "")
            }
        }
    }

    /// -1 for what did not happen or is not known. The handshake of TLS is a part of connecting.
    private func timings(_ writer: inout HARWriter) {
        let lookup = metrics?.nameLookup
        let connected = metrics?.secured ?? metrics?.connected
        let connecting = connected.map { min($0, headTime) } ?? .zero
        func phase(_ name: String, _ start: Duration?, _ end: Duration?) {
            guard let end, end >= start ?? .zero else { return writer.member(name, -1) }
            writer.member(name, min(end, headTime) - min(start ?? .zero, headTime))
        }
        writer.member("blocked", -1)
        phase("dns", .zero, lookup)
        phase("connect", lookup, connected)
        phase("ssl", metrics?.connected, metrics?.secured)
        writer.member("send", 0)
        writer.member("wait", headTime - connecting)
        writer.member("receive", end - headTime)
    }
}
