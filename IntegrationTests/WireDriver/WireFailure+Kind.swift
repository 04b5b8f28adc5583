// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataMiddleware
import StrataStreaming
import Synchronization

extension WireFailure {
    /// An error in the vocabulary of the vectors.
    init(_ error: any Error) {
        kind = Self.kind(of: error)
        message = String("\(error)".prefix(300))
        body = (error as? NetworkClientError)?.body.map { String(decoding: $0, as: UTF8.self) }
    }

    private static func kind(of error: any Error) -> String {
        if error is CancellationError { return "cancelled" }
        if error is OAuthError { return "auth" }
        guard let error = error as? NetworkClientError else { return "other" }
        switch error.code {
        case .dnsFailed, .cannotConnect: return "connection"
        // Cut off inside the body, reset, or closed before there was a response.
        case .connectionLost:
            return error.response != nil ? "truncated" : error.message.contains("reset") ? "connection" : "closed"
        case .protocolViolation: return "protocol"
        case .timedOut: return "timeout"
        case .tlsFailed: return "tls"
        case .proxyFailed: return "proxy"
        case .bodyTooLarge: return "limit"
        case .contentEncodingFailed: return "decode"
        case .malformedURL, .invalidRequest, .unsupportedByTransport, .encodingFailed, .uploadFailed:
            return "invalid-request"
        case .tooManyRedirects, .invalidRedirect, .bodyNotReplayable: return "redirect"
        case .unacceptableStatus, .unacceptableContentType: return "http-status"
        default: return "other"
        }
    }
}

/// What an event stream has given.
final class EventLog: Sendable {
    private struct State {
        var events: [WireEvent] = []
        var errors: [WireFailure] = []
    }

    private let state = Mutex(State())
    private let started = ContinuousClock.now

    var events: [WireEvent] { state.withLock(\.events) }
    var errors: [WireFailure] { state.withLock(\.errors) }

    /// How many there are now.
    func add(_ event: ServerSentEvent) -> Int {
        let elapsed = (ContinuousClock.now - started) / .milliseconds(1)
        return state.withLock { state in
            state.events.append(
                WireEvent(type: event.type, data: event.data, lastEventId: event.lastEventID, t_ms: Int64(elapsed)))
            return state.events.count
        }
    }

    func add(_ error: any Error) {
        state.withLock { $0.errors.append(WireFailure(error)) }
    }
}

/// Pieces that are sent one by one.
final class ChunkSource: BodySource {
    private let rest: Mutex<ArraySlice<Data>>

    init(_ pieces: [Data]) {
        rest = Mutex(pieces.filter { !$0.isEmpty }[...])
    }

    func next() -> Data? { rest.withLock { $0.popFirst() } }

    func cancel() { rest.withLock { $0 = [] } }
}
