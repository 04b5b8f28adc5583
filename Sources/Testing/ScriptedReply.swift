// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StrataCore
public import StrataWebSocket

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
        case upgrade(HTTPResponse, serve: @Sendable (ByteChannel) async throws -> Void)
        case webSocket(ScriptedSocket)
        case failure(any Error)
        case silence
    }

    enum Body: Sendable {
        case data(Data)
        case pieces([Data], failure: (any Error)?, length: Int64?)
        case source(@Sendable () -> any BodySource)
    }

    let kind: Kind
    /// What comes before the answer.
    private(set) var interim: [HTTPResponse] = []
    private var trailers: HTTPFields?

    init(kind: Kind) { self.kind = kind }

    /// Another answer, with the same before and behind it.
    func with(_ kind: Kind) -> ScriptedReply {
        var reply = ScriptedReply(kind: kind)
        (reply.interim, reply.trailers) = (interim, trailers)
        return reply
    }

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

    /// A response with which the server switches protocols (101): `serve` is given its end of the connection, in a task of its own.
    ///
    ///     ScriptedReply.upgrade(to: "echo") { channel in
    ///         while let bytes = try await channel.read() { try await channel.write(bytes) }
    ///     }
    ///
    /// When `serve` returns, the server's side is closed in order; when it throws, the connection is lost. 64 KiB may be under way in each
    /// direction. A request that has not asked for the protocol fails with `protocolViolation`.
    public static func upgrade(
        to name: String, fields: HTTPFields = [:], serve: @escaping @Sendable (ByteChannel) async throws -> Void
    ) -> ScriptedReply {
        var fields = fields
        fields[.connection] = "Upgrade"
        fields[.upgrade] = name
        return ScriptedReply(
            kind: .upgrade(HTTPResponse(status: .switchingProtocols, headerFields: fields), serve: serve))
    }

    /// A response that opens a WebSocket: `serve` is given the server's end of it, in a task of its own.
    ///
    ///     ScriptedReply.webSocket { socket in
    ///         while let message = try await socket.receive() { try await socket.send(message) }
    ///     }
    ///
    /// When `serve` returns, the socket is closed with 1000; when it throws, with 1011. For frames byte by byte take
    /// ``upgrade(to:fields:serve:)`` with `websocket`: it answers the handshake's key too.
    ///
    /// - `subprotocol`: the server's choice.
    /// - `options`: the server's own. It compresses when these say so and the client offers it.
    public static func webSocket(
        subprotocol: String? = nil, fields: HTTPFields = [:], options: WebSocket.Options = .init(ping: .never),
        serve: @escaping @Sendable (WebSocket) async throws -> Void
    ) -> ScriptedReply {
        ScriptedReply(
            kind: .webSocket(ScriptedSocket(subprotocol: subprotocol, fields: fields, options: options, serve: serve)))
    }

    /// The same behind these interim responses (1xx), which go to ``StrataCore/RequestOptions/onInterim``.
    public func preceded(by heads: HTTPResponse...) -> ScriptedReply {
        var reply = self
        reply.interim = heads + interim
        return reply
    }

    /// The same with these fields behind the body (``StrataCore/TransportResponse/trailers``).
    public func followed(by trailers: HTTPFields) -> ScriptedReply {
        var reply = self
        reply.trailers = trailers
        return reply
    }

    private static func reply(_ code: Int, _ fields: HTTPFields, _ body: Body) -> ScriptedReply {
        guard (0...999).contains(code) else {
            return .failure(NetworkClientError(.protocolViolation, "the scripted reply has the status \(code)"))
        }
        return ScriptedReply(kind: .response(HTTPResponse(status: .init(code: code), headerFields: fields), body))
    }

    /// - Parameter opened: is given the client's end of an upgraded connection.
    /// - Returns: `nil` when there will be none.
    func response(
        to request: TransportRequest, within time: ExchangeTime, opened: (MemoryConnection) -> Void
    ) throws -> TransportResponse? {
        let method = request.head.method
        switch kind {
        case .silence: return nil
        case .upgrade(let head, let serve):
            return try Self.switching(head.acceptingSocket(of: request), for: request, within: time, opened, serve)
        case .webSocket(let socket):
            return try Self.switching(socket.head(for: request), for: request, within: time, opened) { channel in
                try await socket.serve(channel, request)
            }
        case .failure(let error): throw error
        case .response(let head, _) where !method.responseHasContent(status: head.status.code):
            return TransportResponse(head: head)
        case .response(let head, let body):
            let responseBody: ResponseBody =
                switch body {
                case .data(let data): ResponseBody(data, trailers: trailers)
                case .pieces(let pieces, let failure, let length):
                    ResponseBody(
                        length: length,
                        source: time.watching(PiecesSource(pieces, failure: failure, trailers: trailers)))
                case .source(let make):
                    ResponseBody(source: time.watching(trailers.map { Trailed(make(), by: $0) } ?? make()))
                }
            return TransportResponse(head: head, body: responseBody)
        }
    }
}

extension ScriptedReply {
    private static func switching(
        _ head: HTTPResponse, for request: TransportRequest, within time: ExchangeTime,
        _ opened: (MemoryConnection) -> Void, _ serve: @escaping @Sendable (ByteChannel) async throws -> Void
    ) throws -> TransportResponse {
        let (client, server) = MemoryConnection.pair()
        let response = try TransportResponse(switching: head, to: TimedConnection(client, time: time), for: request)
        opened(client)
        server.serve(serve)
        return response
    }
}

/// A source with fields behind it that are not its own.
private final class Trailed: BodySource {
    private let source: any BodySource
    let trailers: HTTPFields?

    init(_ source: any BodySource, by trailers: HTTPFields) {
        self.source = source
        self.trailers = trailers
    }

    func next() async throws -> Data? { try await source.next() }

    func cancel() { source.cancel() }
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
        case .upgrade(let head, _): "\(head.status.code) (a channel)"
        case .webSocket: "101 (a socket)"
        case .silence: "silence"
        }
    }
}
