// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A request in the terms of libcurl, worked out before the loop sees it and without side effects.
struct RequestPlan: Sendable {
    enum Sending: Sendable {
        /// No body and no length.
        case nothing
        /// Bytes in memory, also none: `Content-Length: 0`.
        case bytes(Data)
        /// Pieces that come from a source; without a length they go out chunked.
        case stream(length: Int64?)

        /// Whether there is, or may be, anything to send.
        var hasBytes: Bool {
            switch self {
            case .nothing: false
            case .bytes(let data): !data.isEmpty
            case .stream: true
            }
        }

        /// Whether libcurl asks for it piece by piece.
        var isPiecewise: Bool {
            switch self {
            case .nothing: false
            case .bytes(let data): data.count > RequestPlan.inlineBody
            case .stream: true
            }
        }
    }

    /// Lines in addition to the request's own fields. Some are names without a value, which keep libcurl from adding
    /// those fields by itself.
    struct ExtraLines: OptionSet, Sendable {
        let rawValue: UInt8
        static let noAccept = ExtraLines(rawValue: 1 << 0)
        static let noContentType = ExtraLines(rawValue: 1 << 1)
        static let noExpect = ExtraLines(rawValue: 1 << 2)
        static let acceptEncoding = ExtraLines(rawValue: 1 << 3)
        static let expectContinue = ExtraLines(rawValue: 1 << 4)
    }

    /// Bodies up to this size go out with the head, in one write.
    static let inlineBody = 64 * 1024
    /// The largest head with an inline body. libcurl writes both, and some of its own, to a buffer of 1 MiB.
    static let maximumHead = 1_000_000

    var sending: Sending
    var extraLines: ExtraLines = []
    /// Whether the body is to be decoded; else it is handed out as it comes.
    var decodesContent = false
    /// Whether the body can be produced again.
    let isReplayable: Bool
    /// Whether the server may act on the request twice without harm (RFC 9110 §9.2.2).
    let isIdempotent: Bool
    var version: HTTPVersionPolicy
    var isEventStream: Bool
    /// Whether the body waits for the server's consent (RFC 9110 §10.1.1).
    var expectsContinue = false
    /// How long it waits.
    let continueWait: Duration?
    /// Whether the connection carries nothing after this request (RFC 9112 §9.6).
    var closesConnection: Bool
    /// Whether it may come over a connection that carries others at the same time (HTTP/2).
    let mayShareConnection: Bool

    var hasBody: Bool {
        if case .nothing = sending { false } else { true }
    }

    /// - Throws: `malformedURL`; `unsupportedByTransport` for what libcurl cannot send.
    init(_ request: borrowing TransportRequest, decodesContent: Bool, libcurl: CurlVersion = .current) throws {
        try request.validate()
        let (head, fields) = (request.head, request.head.headerFields)
        sending = Self.sending(request.body, head.method)
        version = request.options.httpVersion
        if request.body.hasTrailers {
            // libcurl 7.88 writes outside of its buffers when a handle sends some a second time (CURLOPT_TRAILERFUNCTION).
            throw NetworkClientError(
                .unsupportedByTransport,
                "trailers are not sent over libcurl; NativeTransport (module StrataNative) sends them")
        }
        continueWait = try Self.continueWait(request.options.interaction, sending)
        if continueWait != nil { version = try Self.http1(version) }
        if sending.hasBytes, version == .automatic, libcurl.confusesStreams { version = .http1 }
        mayShareConnection =
            libcurl.sharesConnections
            && (head.scheme == "https" ? version != .http1 : version == .http2PriorKnowledge)
        isEventStream = request.options.delivery == .eventStream
        closesConnection = fields[values: .connection].contains { value in
            value.asciiLowercased.split(separator: ",").contains { $0.utf8.trimmingBlanks.elementsEqual("close".utf8) }
        }
        isReplayable = request.body.isReplayable
        isIdempotent = head.method.isIdempotent
        if hasBody {
            guard head.method != .head else {
                throw NetworkClientError(.unsupportedByTransport, "libcurl cannot send a body with HEAD")
            }
            if !fields.contains(.contentType) { extraLines.insert(.noContentType) }
            let hasField = fields.contains(.expect)
            expectsContinue = hasField || continueWait != nil
            if !hasField { extraLines.insert(expectsContinue ? .expectContinue : .noExpect) }
        }
        if !fields.contains(.accept) { extraLines.insert(.noAccept) }
        // A part of an encoded body cannot be decoded, so ranges are of the body itself (RFC 9110 §14.2).
        if decodesContent, head.method != .head, !fields.contains(.acceptEncoding), !fields.contains(.range) {
            self.decodesContent = true
            extraLines.insert(.acceptEncoding)
        }
    }

    private static func continueWait(_ interaction: Interaction?, _ sending: Sending) throws -> Duration? {
        guard let interaction else { return nil }
        if interaction.upgrade != nil {
            throw NetworkClientError(
                .unsupportedByTransport, "libcurl cannot switch protocols; NativeTransport (module StrataNative) can")
        }
        // Else there is nothing to hold back (RFC 9110 §10.1.1).
        return sending.hasBytes ? interaction.expectContinue : nil
    }

    /// In other versions libcurl does not wait for consent.
    private static func http1(_ version: HTTPVersionPolicy) throws -> HTTPVersionPolicy {
        guard version == .automatic || version == .http1 else {
            throw NetworkClientError(
                .unsupportedByTransport, "libcurl waits for 100 (Continue) over HTTP/1.1 alone")
        }
        return .http1
    }

    private static func sending(_ body: RequestBody, _ method: HTTPRequest.Method) -> Sending {
        switch body.kind {
        case .empty:
            // RFC 9110 §8.6: a length of 0 where the method gives a body a meaning.
            method.expectsContent ? .bytes(Data()) : .nothing
        case .data(let data): .bytes(data)
        case .file(_, _, let length): .stream(length: length)
        case .stream(let length, _, _): .stream(length: length)
        }
    }
}
