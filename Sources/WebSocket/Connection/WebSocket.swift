// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StrataCore
import StrataStreaming

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A connection for messages in both directions (RFC 6455).
///
///     let socket = try await client.webSocket("live", protocols: ["graphql-transport-ws"])
///     try await socket.send(json: Subscribe(id: "1"))
///     for try await tick in socket.messages(decoding: Tick.self) { … }
///     try await socket.close()
///
/// Messages are pulled: behind a few that wait (64 KiB, or one that is larger), a slow reader slows the peer. Pings are answered meanwhile.
/// Sending waits until the system has taken the message. Messages of several tasks go out one after the other.
///
/// The request's timeouts hold on: `deadline` and `attempt`, when the request sets them, for the whole, and `idle` for the silence of the
/// peer, which pongs break. The last reference that goes closes the socket with 1001, and so does leaving a loop over ``messages``.
public final class WebSocket: Sendable {
    private let engine: WebSocketEngine
    private let transportResponse: TransportResponse
    private let encoder: any RequestBodyEncoder
    let decoder: any ResponseBodyDecoder
    let decoding: ElementDecoding
    /// The protocol that the server has chosen among those that were offered; `nil` when it chose none.
    public let subprotocol: String?

    init(
        _ engine: WebSocketEngine, _ response: TransportResponse,
        onDecodingFailure: (@Sendable (NetworkClientError) -> Void)?, encoder: any RequestBodyEncoder,
        decoder: any ResponseBodyDecoder, subprotocol: String?
    ) {
        self.engine = engine
        transportResponse = response
        self.encoder = encoder
        self.decoder = decoder
        decoding = ElementDecoding(decoder: decoder, onFailure: onDecodingFailure)
        self.subprotocol = subprotocol
    }

    deinit { engine.abandon(Closure(.goingAway)) }

    /// The head of the response that opened the socket.
    public var response: HTTPResponse { transportResponse.head }

    /// What happened in the call until now.
    public var exchange: ExchangeRecord { transportResponse.exchange }

    /// How the socket was closed, by the peer's word or without one; `nil` while it is open.
    public var closure: Closure? { engine.closure }

    var origin: ElementOrigin { ElementOrigin(transportResponse) }

    // MARK: Sending

    /// Sends a message of text.
    ///
    /// A task that is cancelled while it waits for its turn sends nothing. A message that has begun goes out whole, whatever happens to the
    /// task.
    ///
    /// - Throws: ``StrataCore/NetworkClientError`` with `invalidRequest` when the socket is closed, or with what ended it;
    ///   `CancellationError`.
    public func send(_ text: String) async throws { try await sendText(Data(text.utf8)) }

    /// Sends a message of bytes.
    ///
    /// - Throws: as ``send(_:)-(String)``.
    public func send(_ data: Data) async throws { try await engine.frames.send(.binary, data) }

    /// Sends a message as it came.
    ///
    /// - Throws: as ``send(_:)-(String)``.
    public func send(_ message: Message) async throws {
        switch message {
        case .text(let text): try await send(text)
        case .data(let data): try await send(data)
        }
    }

    /// Sends a model as a message of text, by the client's encoder.
    ///
    /// - Throws: as ``send(_:)-(String)``; `encodingFailed`.
    public func send<Model: Encodable>(json model: Model) async throws {
        try await sendText(encode(model))
    }

    /// - Parameter text: UTF-8.
    func sendText(_ text: Data) async throws { try await engine.frames.send(.text, text) }

    func encode<Model: Encodable>(_ model: Model) throws -> Data {
        let encoded: EncodedBody
        do { encoded = try encoder.encodeBody(model) } catch {
            throw NetworkClientError(.encodingFailed, "a message could not be encoded as \(Model.self)", cause: error)
        }
        guard let data = encoded.body.data else {
            throw NetworkClientError(.encodingFailed, "the client's encoder makes a stream, which is no message")
        }
        return data
    }

    // MARK: Receiving

    /// The next message; `nil` when the socket was closed in good order: by this end, or by the peer with 1000, 1001 or no status.
    ///
    /// For messages at the beginning, before a loop: it leaves the socket open. A cancelled task takes nothing.
    ///
    /// - Throws: ``StrataCore/NetworkClientError``: `errorEvent` when the peer closed with another status, its ``Closure`` is the `cause`;
    ///   `connectionLost` when the connection ended without a closing handshake; `timedOut` when the peer answers no ping;
    ///   `protocolViolation`, `bodyTooLarge` and `contentEncodingFailed` for what the peer may not send. `CancellationError`.
    public func receive() async throws -> Message? {
        do { return try await engine.messages.next() } catch let error as NetworkClientError {
            throw transportResponse.attached(to: error)
        }
    }

    /// The next message as a model, by the client's decoder. `String` and `Data` are taken as they are.
    ///
    /// - Throws: as ``receive()``; `decodingFailed`, with the message as the error's body.
    public func receive<Model: Decodable>(as type: Model.Type) async throws -> Model? {
        try await receive().map { try decode($0, of: origin) }
    }

    func decode<Model: Decodable>(_ message: Message, of origin: ElementOrigin) throws -> Model {
        switch message {
        case .text(let text): try decoding.decode(Model.self, from: text, of: origin)
        case .data(let data): try decoding.decode(Model.self, from: data, of: origin)
        }
    }

    /// The messages, as they come. Leaving the loop closes the socket with 1001.
    public var messages: WebSocketMessages { WebSocketMessages(self) }

    /// The messages as models, each decoded by the client's decoder. `String` and `Data` are taken as they are.
    public func messages<Model: Decodable>(decoding type: Model.Type) -> DecodedMessages<Model> {
        DecodedMessages(self)
    }

    // MARK: The connection

    /// Asks whether the peer is there, and waits for its answer (RFC 6455 §5.5.2).
    ///
    /// - Returns: how long it took. The answer may have waited for a slow reader of messages.
    /// - Throws: as ``send(_:)-(String)``.
    @discardableResult
    public func ping() async throws -> Duration { try await engine.ping() }

    /// Closes the socket: messages that wait to be sent go before, those that still come are dropped, and ``receive()`` ends behind what is
    /// there. It returns when the peer has closed too, or after ``Options/closeTimeout``; ``closure`` tells which.
    ///
    /// A second call waits for the same. When the task is cancelled, the connection is ended at once.
    ///
    /// - `code`: one that may be sent: 1000 to 1003, 1007 to 1014, or 3000 to 4999.
    /// - `reason`: for the peer, at most 123 bytes of UTF-8.
    /// - Throws: ``StrataCore/NetworkClientError`` with `invalidRequest` for another code or a longer reason; `CancellationError`.
    public func close(_ code: CloseCode = .normal, reason: String = "") async throws {
        guard code.mayBeSent else {
            throw NetworkClientError(.invalidRequest, "the status \(code) may not be sent (RFC 6455 §7.4)")
        }
        guard reason.utf8.count <= 123 else {
            throw NetworkClientError(.invalidRequest, "the reason has more than 123 bytes (RFC 6455 §5.5)")
        }
        try await engine.close(Closure(code, reason: reason))
    }

    /// Ends the connection at once, without a closing handshake; calls that wait throw `CancellationError`.
    public func cancel() { engine.cancel() }

    /// Returns when the connection has ended.
    package func waitForEnd() async { await engine.waitForEnd() }

    /// Closes the socket in the background.
    func leave() { engine.abandon(Closure(.goingAway)) }
}

extension WebSocket: DumpedAsDescription {
    /// Nothing of what passes.
    public var description: String { "a socket" + (closure.map { ", closed with \($0)" } ?? "") }
}
