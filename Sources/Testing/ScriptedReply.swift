// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StrataCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a ``ScriptedTransport`` answers: a response, whole or in pieces, a failure, or nothing.
///
/// The body of an answer to HEAD, and of a 1xx, 204 or 304, is left out, as it would be on the wire (RFC 9112 §6.3). A
/// status of more than three digits, which cannot be on the wire, fails with `protocolViolation`.
public struct ScriptedReply: Sendable {
    enum Kind: Sendable {
        case response(HTTPResponse, Body)
        case failure(any Error)
        case silence
    }

    enum Body: Sendable {
        case data(Data)
        case pieces([Data], failure: (any Error)?, length: Int64?)
        case source(@Sendable () -> any BodySource)
    }

    let kind: Kind

    /// A response with a body that has arrived whole.
    ///
    /// - `retryAfter`: seconds, for the field `Retry-After`. Default: no such field.
    public static func status(
        _ code: Int, fields: HTTPFields = [:], body: Data = Data(), retryAfter: Int? = nil
    ) -> ScriptedReply {
        var fields = fields
        if let retryAfter { fields[.retryAfter] = String(retryAfter) }
        return reply(code, fields, .data(body))
    }

    public static func json(_ text: String, status code: Int = 200, fields: HTTPFields = [:]) -> ScriptedReply {
        var fields = fields
        if fields[.contentType] == nil { fields[.contentType] = "application/json" }
        return .status(code, fields: fields, body: Data(text.utf8))
    }

    public static func text(_ text: String, status code: Int = 200, fields: HTTPFields = [:]) -> ScriptedReply {
        var fields = fields
        if fields[.contentType] == nil { fields[.contentType] = "text/plain; charset=utf-8" }
        return .status(code, fields: fields, body: Data(text.utf8))
    }

    /// A body that arrives in these pieces, and then ends or fails.
    ///
    /// - `length`: what is announced. A body of more bytes ends with `protocolViolation`, one of fewer with its `failure` or
    ///   `connectionLost`.
    /// - `failure`: thrown after the last piece, as a connection that is lost.
    public static func pieces(
        _ pieces: [Data], status code: Int = 200, fields: HTTPFields = [:], length: Int64? = nil,
        failure: (any Error)? = nil
    ) -> ScriptedReply {
        reply(code, fields, .pieces(pieces, failure: failure, length: length))
    }

    /// A stream of server-sent events, each piece of text a piece of the body.
    public static func events(_ pieces: String..., failure: (any Error)? = nil) -> ScriptedReply {
        .pieces(pieces.map { Data($0.utf8) }, fields: [.contentType: "text/event-stream"], failure: failure)
    }

    /// A body from a source of your own.
    public static func source(
        status code: Int = 200, fields: HTTPFields = [:], _ make: @escaping @Sendable () -> any BodySource
    ) -> ScriptedReply {
        reply(code, fields, .source(make))
    }

    public static func redirect(_ code: Int = 302, to location: String) -> ScriptedReply {
        .status(code, fields: [.location: location])
    }

    /// No response: the transport throws.
    public static func failure(_ error: any Error) -> ScriptedReply { ScriptedReply(kind: .failure(error)) }

    /// The same with an error of this code; a timeout is that of the attempt.
    public static func failure(_ code: NetworkClientError.Code) -> ScriptedReply {
        let error =
            code == .timedOut ? NetworkClientError.timedOut(.attempt) : NetworkClientError(code, "scripted failure")
        return .failure(error)
    }

    /// No response, and no failure: the transport waits until the call is cancelled or the transport is shut down.
    ///
    /// If the attempt or the deadline is limited, the call ends in that timeout, by its clock. A ``VirtualClock`` moves
    /// there at once, and notes the wait.
    public static let silence = ScriptedReply(kind: .silence)

    private static func reply(_ code: Int, _ fields: HTTPFields, _ body: Body) -> ScriptedReply {
        guard (0...999).contains(code) else {
            return .failure(NetworkClientError(.protocolViolation, "the scripted reply has the status \(code)"))
        }
        return ScriptedReply(kind: .response(HTTPResponse(status: .init(code: code), headerFields: fields), body))
    }

    /// - Returns: `nil` when there will be none.
    func response(to method: HTTPRequest.Method, within time: ExchangeTime) throws -> TransportResponse? {
        switch kind {
        case .silence: return nil
        case .failure(let error): throw error
        case .response(let head, _) where !method.responseHasContent(status: head.status.code):
            return TransportResponse(head: head)
        case .response(let head, let body):
            let responseBody: ResponseBody =
                switch body {
                case .data(let data): ResponseBody(data)
                case .pieces(let pieces, let failure, let length):
                    ResponseBody(length: length, source: time.watching(PiecesSource(pieces, failure: failure)))
                case .source(let make): ResponseBody(source: time.watching(make()))
                }
            return TransportResponse(head: head, body: responseBody)
        }
    }
}

extension ScriptedReply: DumpedAsDescription {
    /// `200 (12 bytes)`: without fields and body.
    public var description: String {
        switch kind {
        case .response(let head, .data(let data)): "\(head.status.code) (\(data.count) bytes)"
        case .response(let head, .pieces(let pieces, _, _)):
            "\(head.status.code) (\(pieces.reduce(0) { $0 + $1.count }) bytes in \(pieces.count) pieces)"
        case .response(let head, .source): "\(head.status.code) (a source)"
        case .failure(let error as NetworkClientError): "failure (\(error.code))"
        case .failure(let error): "failure (\(type(of: error)))"
        case .silence: "silence"
        }
    }
}
