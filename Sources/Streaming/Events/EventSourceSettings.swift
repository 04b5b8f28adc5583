// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

/// What an ``EventSource`` was made with.
struct EventSourceSettings: Sendable {
    let client: any NetworkClientProtocol
    let request: TransportRequest
    /// The request's, else the client's.
    let decoder: any ResponseBodyDecoder
    let policy: ReconnectionPolicy
    let options: ServerSentEvents.Options
    let lastEventID: String

    /// Sends the request, and hands on what is a stream of events, or a 204.
    ///
    /// - Parameter timeSpent: how much of the deadline has passed.
    func connect(lastEventID: String, timeSpent: Duration) async throws -> TransportResponse {
        var request = request
        request.options.timeSpent = timeSpent
        if lastEventID.isEmpty {
            request.head.headerFields[.lastEventID] = nil
        } else {
            // As UTF-8, to the byte: the identifier is the server's own.
            let field = HTTPField(name: .lastEventID, lenientValue: Array(lastEventID.utf8))
            request.head.headerFields[fields: .lastEventID] = [field]
        }
        let (response, _) = try await client.execute(request, decoder: decoder, answers: [204])
        if response.head.status == .noContent { return response }
        // Here the standard judges, whatever a layer takes for success.
        guard response.head.status == .ok else {
            throw try await response.refusal(.unacceptableStatus, response.statusMessage, decoder: decoder)
        }
        return try await client.checkType(of: response, as: "text/event-stream", decoder: decoder) {
            $0 == "text/event-stream"
        }
    }
}
