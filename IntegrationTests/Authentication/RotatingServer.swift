// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// An authorization server that takes each refresh token once, and ends the session when one comes again (RFC 9700 §4.14.2). What it
/// gives has expired at once, so that every call renews.
final class RotatingServer: Sendable {
    private struct State {
        var newest = 0
        /// Who has asked for tokens, by its `client_id`, in order.
        var clients: [String] = []
        var refused: [String] = []
        var resources = 0
    }

    private let state = Mutex(State())
    /// Called for each request for a token before it counts, with its number and its client.
    private let willRenew: @Sendable (_ number: Int, _ client: String) -> Bool

    /// - Parameter willRenew: `false`: nothing is renewed, as if the request had never come.
    init(willRenew: @escaping @Sendable (_ number: Int, _ client: String) -> Bool = { _, _ in true }) {
        self.willRenew = willRenew
    }

    var newest: Int { state.withLock(\.newest) }
    var clients: [String] { state.withLock(\.clients) }
    /// The refresh tokens that came and were not the newest.
    var refused: [String] { state.withLock(\.refused) }
    var resources: Int { state.withLock(\.resources) }

    func run<Result>(_ body: (_ url: String) async throws -> Result) async throws -> Result {
        let router = Router()
        router.post("token") { [self] request, _ in
            let body = String(buffer: try await request.body.collect(upTo: 10_000))
            return token(URLComponents(string: "?\(body)")?.queryItems ?? [])
        }
        router.get("resource") { [self] request, _ in
            state.withLock { state in
                state.resources += 1
                let isIssued = (0...state.newest).contains { request.headers[.authorization] == "Bearer a\($0)" }
                return Response(status: isIssued ? .ok : .unauthorized)
            }
        }
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { port.yield($0.localAddress?.port ?? 0) })
        let serving = Task { try await application.run() }
        defer { serving.cancel() }
        var iterator = ports.makeAsyncIterator()
        let found = await iterator.next() ?? 0
        return try await body("http://127.0.0.1:\(found)")
    }

    private func token(_ items: [URLQueryItem]) -> Response {
        func value(_ name: String) -> String { items.first { $0.name == name }?.value ?? "" }
        let number = state.withLock { state in
            state.clients.append(value("client_id"))
            return state.clients.count
        }
        guard willRenew(number, value("client_id")) else { return Response(status: .serviceUnavailable) }
        return state.withLock { state in
            guard value("refresh_token") == "r\(state.newest)" else {
                state.refused.append(value("refresh_token"))
                return Self.json(#"{"error":"invalid_grant"}"#, .badRequest)
            }
            state.newest += 1
            return Self.json(
                #"{"access_token":"a\#(state.newest)","token_type":"Bearer","expires_in":0,"refresh_token":"r\#(state.newest)"}"#,
                .ok)
        }
    }

    private static func json(_ text: String, _ status: HTTPResponse.Status) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
