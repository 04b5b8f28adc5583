// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import StrataWebSocket
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One exchange while it is recorded.
final class ExchangeRecording: Sendable {
    private struct State {
        var response: TransportResponse?
        var headTime: Duration?
        var trailers: HTTPFields?
        var hasEnded = false
        /// Of a WebSocket; `nil` for anything else.
        var messages: [RecordedMessage]?
        var failure: (any Error)?
    }

    private let recorder: CassetteRecorder
    private let request: TransportRequest
    private let clock: any NetworkClock
    private let start: Duration
    private let date: Date
    private let sentBody: BodyRecorder
    private let receivedBody: Mutex<BodyRecorder?> = Mutex(nil)
    private let state = Mutex(State())
    private let number = Atomic(0)

    init(_ recorder: CassetteRecorder, _ request: TransportRequest) {
        self.recorder = recorder
        self.request = request
        clock = request.call?.clock ?? SystemClock()
        start = clock.now
        date = clock.date
        sentBody = BodyRecorder(
            recorder.file.path, recorder.options, contentType: request.head.headerFields.contentType,
            requestOptions: { Self.options(of: request) })
        number.store(recorder.begin(self), ordering: .releasing)
    }

    private var elapsed: Duration { clock.now - start }

    /// With the names of secrets that layers further in have marked.
    private static func options(of request: TransportRequest) -> RequestOptions {
        request.call?.options(with: request.options) ?? request.options
    }

    /// The request with its body observed.
    func watched(_ request: TransportRequest) -> TransportRequest {
        guard !request.body.isEmpty else { return request }
        if let data = request.body.data {
            sentBody.begin()
            sentBody.add(data, at: .zero)
            return request
        }
        var request = request
        request.body = request.body.observed(
            onStart: { [sentBody] in sentBody.begin() },
            onPiece: { [sentBody, clock, start] in sentBody.add($0, at: clock.now - start) })
        return request
    }

    func watch(_ response: inout TransportResponse) {
        if response.channel != nil, request.options.opensSocket { return watchSocket(of: &response) }
        let body = BodyRecorder(
            recorder.file.path, recorder.options, contentType: response.head.headerFields.contentType,
            requestOptions: { [request] in Self.options(of: request) })
        body.begin()
        receivedBody.withLock { $0 = body }
        note(response)
        // A function of the body's source must not keep the recording alive longer than the body.
        response.observeBody(
            onPiece: { [self] in body.add($0, at: elapsed) },
            onTrailers: { [self] trailers in state.withLock { $0.trailers = trailers } },
            onEnd: { [self] in end($0) })
    }

    private func note(_ response: TransportResponse) {
        let (head, time) = (TransportResponse(head: response.head, metrics: response.metrics), elapsed)
        state.withLock { ($0.response, $0.headTime) = (head, time) }
        sentHead.withLock { $0 = response.request }
    }

    private let sentHead = Mutex<HTTPRequest?>(nil)

    // MARK: WebSockets

    /// The most bytes that a message may have that comes.
    var messageLimit: Int? { request.options.messageFraming?.maximumMessageBytes }

    private func watchSocket(of response: inout TransportResponse) {
        note(response)
        state.withLock { $0.messages = [] }
        let opened = response
        response.mapConnection { SocketRecording($0, self, of: opened) }
    }

    func add(_ opcode: FrameOpcode, _ payload: Data, isSent: Bool) {
        let body = BodyRecorder(
            recorder.file.path, recorder.options, contentType: nil,
            requestOptions: { [request] in Self.options(of: request) })
        let time = elapsed
        state.withLock { state in
            if state.hasEnded { return }
            do {
                state.messages?.append(try RecordedMessage(opcode, payload, isSent: isSent, time: time, body))
            } catch {
                state.failure = state.failure ?? error
            }
        }
    }

    func fail(_ error: any Error) { end(.failed(error)) }

    /// The first end counts. Returns when it has been written, by whomever: ``CassetteRecorder/finish()`` may come meanwhile.
    func end(_ end: BodyEnd) {
        ending.withLock { _ in
            let ended = state.withLock { state in
                defer { state.hasEnded = true }
                return state.hasEnded ? nil : state
            }
            guard let ended else { return }
            let time = elapsed
            recorder.write(number.load(ordering: .acquiring)) { try text(ended, end, time) }
        }
    }

    private let ending = Mutex(())

    private func text(_ state: State, _ end: BodyEnd, _ time: Duration) throws -> [UInt8] {
        if let failure = state.failure { throw failure }
        var entry = HAREntry(
            number: number.load(ordering: .acquiring), test: recorder.test,
            masks: FieldMasks(redaction: recorder.options.redaction, options: Self.options(of: request)),
            started: date, head: sentHead.withLock { $0 } ?? request.head, sent: try sentBody.finish(),
            response: state.response?.head, received: try receivedBody.withLock { try $0?.finish() },
            headTime: state.headTime ?? time, end: time,
            metrics: request.call?.record.attempts.last?.metrics ?? state.response?.metrics,
            failure: HAREntry.Failure(end, hasHead: state.response != nil))
        entry.trailers = state.trailers
        entry.messages = state.messages
        return entry.text()
    }
}
