// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import StrataTransportSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What has to be known of a request to send it, worked out before the loop sees it and without side effects.
struct RequestPlan: Sendable {
    enum Content: Sendable {
        /// No body and no length.
        case none
        /// Bytes in memory, also none: `Content-Length: 0`.
        case bytes(Data)
        /// Pieces that come from a source; without a length they go out in chunks.
        case stream(length: Int64?)

        /// Whether there is something that could be held back.
        var hasBytes: Bool {
            switch self {
            case .none: false
            case .bytes(let data): !data.isEmpty
            case .stream: true
            }
        }
    }

    let content: Content
    /// What the connection may speak.
    let protocols: ProtocolChoice
    /// Whether the body of the answer is asked for in codings, and decoded.
    let decodesContent: Bool
    /// Whether the body can be produced again.
    let isReplayable: Bool
    /// Whether the server may act on the request twice without harm (RFC 9110 §9.2.2).
    let isIdempotent: Bool
    /// Whether the connection carries nothing after this request (RFC 9112 §9.6).
    let closesConnection: Bool
    /// In nanoseconds; at the end of time for none.
    let connectLimit, idleLimit: UInt64
    /// How long the body is held back for the server's consent (RFC 9110 §10.1.1), in nanoseconds; `nil`: it is not.
    let consentLimit: UInt64?
    /// Whether a server that refuses to be asked for that (417) gets the request once more.
    let resendsWithoutExpect: Bool
    /// Whether a proxy that is asked for URLs is asked for a connection all the same: what comes is more than an answer.
    let needsTunnel: Bool
    /// The protocol that the server is asked to switch to.
    let upgrade: String?
    /// Is given interim answers.
    let onInterim: (@Sendable (HTTPResponse) -> Void)?

    /// How long a body is held back when the caller has set the field by himself, as libcurl does.
    private static let usualConsentLimit: UInt64 = 1_000_000_000

    /// - Throws: what ``TransportRequest/validate()`` does; `unsupportedByTransport`.
    init(_ request: borrowing TransportRequest, decodesContent: Bool) throws {
        try request.validate()
        let method = request.head.method
        content = Self.content(request.body, method)
        let interaction = request.options.interaction
        upgrade = interaction?.upgrade
        // The method of an upgrade over HTTP/2 is CONNECT, and what would be its body is the new protocol's (RFC 8441 §4).
        protocols = try ProtocolChoice(
            request.options.httpVersion, request.head.scheme,
            needsHTTP1: upgrade != nil && (method != .get || content.hasBytes))
        let fields = request.head.headerFields
        // A part of an encoded body cannot be decoded, so ranges are of the body itself (RFC 9110 §14.2).
        self.decodesContent =
            decodesContent && method != .head && !fields.contains(.acceptEncoding) && !fields.contains(.range)
        isReplayable = request.body.isReplayable
        isIdempotent = method.isIdempotent
        closesConnection = fields[values: .connection].contains { value in
            value.asciiLowercased.split(separator: ",").contains { $0.utf8.trimmingBlanks.elementsEqual("close".utf8) }
        }
        connectLimit = request.options.timeouts.connect.map(UInt64.init(nanosecondsOf:)) ?? .max
        idleLimit = request.options.timeouts.idle.map(UInt64.init(nanosecondsOf:)) ?? .max
        onInterim = interaction?.onInterim
        needsTunnel = upgrade != nil || request.options.httpVersion == .http2PriorKnowledge
        resendsWithoutExpect = interaction?.expectContinue != nil
        if !content.hasBytes {
            consentLimit = nil
        } else if let limit = interaction?.expectContinue {
            consentLimit = UInt64(nanosecondsOf: limit)
        } else {
            consentLimit = fields[.expect]?.asciiLowercased == "100-continue" ? Self.usualConsentLimit : nil
        }
    }

    private static func content(_ body: RequestBody, _ method: HTTPRequest.Method) -> Content {
        switch body.kind {
        // RFC 9110 §8.6: a length of 0 where the method gives a body a meaning.
        case .empty: method.expectsContent ? .bytes(Data()) : .none
        case .data(let data): .bytes(data)
        case .file(_, _, let length): .stream(length: length)
        case .stream(let length, _, _): .stream(length: length)
        }
    }
}
