// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StrataCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a ``ScriptedTransport`` answers: a response, whole or in pieces, or a failure.
///
/// The body of an answer to HEAD, and of a 1xx, 204 or 304, is left out, as it would be on the wire (RFC 9112 §6.3).
public struct ScriptedReply: Sendable {
    enum Kind: Sendable {
        case response(HTTPResponse, Body)
        case failure(any Error)
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
        return ScriptedReply(kind: .response(head(code, fields), .data(body)))
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
    /// - `failure`: thrown after the last piece, as a connection that is lost.
    public static func pieces(
        _ pieces: [Data], status code: Int = 200, fields: HTTPFields = [:], length: Int64? = nil,
        failure: (any Error)? = nil
    ) -> ScriptedReply {
        ScriptedReply(kind: .response(head(code, fields), .pieces(pieces, failure: failure, length: length)))
    }

    /// A stream of server-sent events, each piece of text a piece of the body.
    public static func events(_ pieces: String..., failure: (any Error)? = nil) -> ScriptedReply {
        .pieces(pieces.map { Data($0.utf8) }, fields: [.contentType: "text/event-stream"], failure: failure)
    }

    /// A body from a source of one's own.
    public static func source(
        status code: Int = 200, fields: HTTPFields = [:], _ make: @escaping @Sendable () -> any BodySource
    ) -> ScriptedReply {
        ScriptedReply(kind: .response(head(code, fields), .source(make)))
    }

    public static func redirect(_ code: Int = 302, to location: String) -> ScriptedReply {
        .status(code, fields: [.location: location])
    }

    /// No response: the transport throws.
    public static func failure(_ error: any Error) -> ScriptedReply { ScriptedReply(kind: .failure(error)) }

    public static func failure(_ code: NetworkClientError.Code) -> ScriptedReply {
        .failure(NetworkClientError(code, "scripted failure"))
    }

    private static func head(_ code: Int, _ fields: HTTPFields) -> HTTPResponse {
        HTTPResponse(status: .init(code: code), headerFields: fields)
    }

    func response(to method: HTTPRequest.Method) throws -> TransportResponse {
        switch kind {
        case .failure(let error): throw error
        case .response(let head, _) where !method.responseHasContent(status: head.status.code):
            return TransportResponse(head: head)
        case .response(let head, let body):
            let responseBody: ResponseBody =
                switch body {
                case .data(let data): ResponseBody(data)
                case .pieces(let pieces, let failure, let length):
                    ResponseBody(length: length, source: PiecesSource(pieces, failure: failure))
                case .source(let make): ResponseBody(source: make())
                }
            return TransportResponse(head: head, body: responseBody)
        }
    }
}
