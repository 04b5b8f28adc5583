// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads a socket's messages, and hands each to whom it is for.
final class JSONRPCPeer: Sendable {
    private struct State {
        var calls: [Int: CheckedContinuation<Data, any Error>] = [:]
        var lastCall = 0
        /// Why no result comes any more.
        var end: (any Error)?
        var answers: [Int: Task<Void, Never>] = [:]
        var lastAnswer = 0
    }

    private static let mostAnswers = 64

    let socket: WebSocket
    private let handler: JSONRPC.Handler?
    private let notifications = MessageQueue()
    private let state = Mutex(State())

    init(_ socket: WebSocket, handler: JSONRPC.Handler?) {
        self.socket = socket
        self.handler = handler
    }

    func leave(_ tasks: [Task<Void, Never>]) {
        for task in tasks { task.cancel() }
        for task in state.withLock({ $0.answers.values }) { task.cancel() }
        socket.leave()
    }

    // MARK: Calls

    func call<Params: Encodable, Result: Decodable>(_ call: JSONRPCCall<Params>) async throws -> Result {
        let number = state.withLock { state in
            state.lastCall += 1
            return state.lastCall
        }
        var call = call
        call.id = .number(number)
        let text = try socket.encode(call)
        let data = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Data, any Error>) in
                let failure = state.withLock { state -> (any Error)? in
                    if Task.isCancelled { return CancellationError() }
                    if let end = state.end { return end }
                    state.calls[number] = continuation
                    return nil
                }
                if let failure { return continuation.resume(throwing: failure) }
                Task {
                    do { try await socket.sendText(text) } catch { finish(number, .failure(error)) }
                }
            }
        } onCancel: {
            finish(number, .failure(CancellationError()))
        }
        if Result.self == VoidResponse.self { return try ModelDecoding.model(VoidResponse()) }
        do {
            return try socket.decoder.decode(JSONRPCResult<Result>.self, from: data, response: .message).result
        } catch {
            var failure = NetworkClientError(
                .decodingFailed, "a result could not be decoded as \(Result.self)", cause: error)
            failure.body = NetworkClientError.start(of: data)
            throw failure
        }
    }

    private func finish(_ number: Int, _ result: Result<Data, any Error>) {
        state.withLock { $0.calls.removeValue(forKey: number) }?.resume(with: result)
    }

    // MARK: Reading

    func read() async {
        do {
            while let message = try await socket.receive() { await take(message) }
            end(NetworkClientError(.connectionLost, "the socket was closed before the result came"))
        } catch {
            end(error)
        }
    }

    private func end(_ error: any Error) {
        let calls = state.withLock { state in
            state.end = error
            defer { state.calls = [:] }
            return state.calls.values
        }
        for call in calls { call.resume(throwing: error) }
        notifications.end(.success(()))
    }

    private func take(_ message: WebSocket.Message) async {
        let data =
            switch message {
            case .text(let text): Data(text.utf8)
            case .data(let data): data
            }
        let head: JSONRPCHead
        do { head = try socket.decoder.decode(JSONRPCHead.self, from: data, response: .message) } catch {
            let isBatch = data.first { !$0.isWhitespace } == UInt8(ascii: "[")
            return await answer(.null, .failure(JSONRPCError(isBatch ? .invalidRequest : .parseError)))
        }
        if let method = head.method {
            let request = JSONRPCRequest(method: method, id: head.id, message: data, decoder: socket.decoder)
            return await take(request, message)
        }
        // One that nobody waits for is late, or made up.
        guard case .number(let number)? = head.id else { return }
        if let error = head.error {
            finish(number, .failure(error))
        } else if head.hasResult {
            finish(number, .success(data))
        }
    }

    private func take(_ request: JSONRPCRequest, _ message: WebSocket.Message) async {
        guard let id = request.id else {
            if handler == nil { return }
            notifications.put(message)
            if notifications.isFull { await notifications.waitForRoom() }
            return
        }
        guard let handler else { return await answer(id, .failure(JSONRPCError(.methodNotFound))) }
        let hasRoom = state.withLock { state in
            guard state.answers.count < Self.mostAnswers else { return false }
            state.lastAnswer += 1
            let number = state.lastAnswer
            state.answers[number] = Task {
                await answer(id, await Self.outcome(of: request, handler))
                forget(number)
            }
            return true
        }
        if !hasRoom { await answer(id, .failure(JSONRPCError(.busy))) }
    }

    private func forget(_ number: Int) { state.withLock { _ = $0.answers.removeValue(forKey: number) } }

    private static func outcome(
        of request: JSONRPCRequest, _ handler: JSONRPC.Handler
    ) async -> Result<(any Encodable & Sendable)?, JSONRPCError> {
        do { return .success(try await handler(request)) } catch let error as JSONRPCError {
            return .failure(error)
        } catch {
            return .failure(JSONRPCError(.internalError))
        }
    }

    private func answer(
        _ id: JSONRPCIdentifier, _ outcome: Result<(any Encodable & Sendable)?, JSONRPCError>
    ) async {
        // What cannot be sent is lost with the socket, which its reader finds out.
        try? await socket.send(json: JSONRPCAnswer(id: id, outcome: outcome))
    }

    func handOutNotifications() async {
        guard let handler else { return }
        while let message = try? await notifications.next() {
            let data =
                switch message {
                case .text(let text): Data(text.utf8)
                case .data(let data): data
                }
            guard let head = try? socket.decoder.decode(JSONRPCHead.self, from: data, response: .message),
                let method = head.method
            else { continue }
            _ = try? await handler(
                JSONRPCRequest(method: method, id: nil, message: data, decoder: socket.decoder))
        }
    }
}
