// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// Calls in both directions over a socket (JSON-RPC 2.0).
///
///     let rpc = JSONRPC(socket) { request in
///         switch request.method {
///         case "price": prices.yield(try request.params(as: Price.self)); return nil
///         default: throw JSONRPCError(.methodNotFound)
///         }
///     }
///     let sum = try await rpc.call("subtract", [42, 23], as: Int.self)
///
/// It is the socket's one reader: who has given it a socket reads no messages from there. Models go by the client's encoder and decoder.
/// Batches
/// are not sent, and those of the peer are refused (`-32600`). The last reference that goes closes the socket with 1001.
public final class JSONRPC: Sendable {
    /// Answers a request of the peer, or takes a notification.
    ///
    /// What it returns is the result; `nil` is `null`. A ``JSONRPCError`` that it throws is sent as it is, and any other as `-32603`
    /// without its text. Requests are answered beside each other, up to 64; notifications come one after the other, and up to 64 KiB, or 256,
    /// wait before the peer is held back.
    public typealias Handler = @Sendable (JSONRPCRequest) async throws -> (any Encodable & Sendable)?

    private let peer: JSONRPCPeer
    private let tasks: [Task<Void, Never>]

    /// - `handler`: Default: requests of the peer are refused (`-32601`), and notifications dropped.
    public init(_ socket: WebSocket, handler: Handler? = nil) {
        let peer = JSONRPCPeer(socket, handler: handler)
        self.peer = peer
        tasks = [Task { await peer.read() }, Task { await peer.handOutNotifications() }]
    }

    deinit { peer.leave(tasks) }

    /// Calls a method of the peer, and waits for its result.
    ///
    /// - `params`: an object or an array, or what is encoded as one.
    /// - Throws: ``JSONRPCError`` when the peer reports one; `decodingFailed`; as ``WebSocket/send(_:)-(String)`` and
    ///   ``WebSocket/receive()``. `CancellationError`: the peer is not told, and a result that comes later is dropped.
    public func call<Params: Encodable, Result: Decodable>(
        _ method: String, _ params: Params, as type: Result.Type = Result.self
    ) async throws -> Result {
        try await peer.call(JSONRPCCall(id: nil, method: method, params: params))
    }

    /// The same without parameters.
    public func call<Result: Decodable>(_ method: String, as type: Result.Type = Result.self) async throws -> Result {
        try await peer.call(JSONRPCCall<VoidRequest>(id: nil, method: method, params: nil))
    }

    /// Sends a notification, which is not answered.
    public func notify<Params: Encodable>(_ method: String, _ params: Params) async throws {
        try await peer.socket.send(json: JSONRPCCall(id: nil, method: method, params: params))
    }

    /// The same without parameters.
    public func notify(_ method: String) async throws {
        try await peer.socket.send(json: JSONRPCCall<VoidRequest>(id: nil, method: method, params: nil))
    }

    /// Closes the socket; calls that wait fail. As ``WebSocket/close(_:reason:)``.
    public func close() async throws { try await peer.socket.close() }
}
