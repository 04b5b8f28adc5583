// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// The frames of a response's body, pulled one by one: a piece is asked for only when the one before is used up.
///
/// Dropping the reader, or an error, cancels the transfer.
struct FrameReader<Framing: StreamFraming> {
    private(set) var framing: Framing
    /// The response, its body taken out.
    let origin: ElementOrigin
    private var pieces: ResponseBody.AsyncIterator?
    private var isFinished = false
    private var turn = TaskTurn()
    /// Whether the content ended before the body did.
    private(set) var isFinishedEarly = false

    init(_ response: TransportResponse, framing: Framing) {
        self.framing = framing
        pieces = response.body.makeAsyncIterator()
        var response = response
        response.body = ResponseBody()
        origin = ElementOrigin(response)
    }

    mutating func next() async throws -> Framing.Frame? {
        guard !isFinished else { return nil }
        do {
            while true {
                if let frame = try framing.next() {
                    if turn.isOver() { await Task.yield() }
                    return frame
                }
                guard let piece = try await pieces?.next() else { break }
                framing.append(piece)
            }
            pieces = nil
            if let frame = try framing.finish() { return frame }
            isFinished = true
            return nil
        } catch {
            stop()
            throw explained(error)
        }
    }

    /// How long the end of a body is waited for when its content has ended before. Servers end it within a few
    /// milliseconds; one that does not costs no more than this.
    private static var patience: Duration { .milliseconds(100) }

    /// Ends reading where the content ends. What follows is read in the background, so that the connection can serve
    /// again.
    mutating func finishEarly() async {
        let rest = pieces
        stop()
        isFinishedEarly = true
        await rest?.discardRest(clock: origin.response.call?.clock ?? SystemClock(), patience: Self.patience)
    }

    /// Gives up the rest.
    mutating func stop() {
        isFinished = true
        pieces = nil
    }

    /// The error with the response that it belongs to.
    private func explained(_ error: any Error) -> any Error {
        guard let error = error as? NetworkClientError else { return error }
        return origin.response.attached(to: error)
    }
}
