// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// The end of a stack: one exchange, with the checks before it and the record of it.
struct ExchangeLayer: NetworkMiddleware {
    let transport: any NetworkTransport
    let capabilities: TransportCapabilities

    func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        let call = next.call
        let request = Self.named(request)
        let attempt = call.beginAttempt(request, transport: capabilities.name)
        do {
            try request.validate()
            try request.head.headerFields.checkValues()
            try capabilities.check(request)
            try Task.checkCancellation()
            try call.checkDeadline(of: request)
            var response = try await transport.send(request)
            Self.finish(&response, to: request, call, attempt)
            return response
        } catch {
            throw call.fail(attempt, error)
        }
    }

    /// The request with a `User-Agent`, where the client has one for it.
    private static func named(_ request: TransportRequest) -> TransportRequest {
        guard let userAgent = request.options.defaultUserAgent, request.head.headerFields[.userAgent] == nil else {
            return request
        }
        var request = request
        request.head.headerFields.append(HTTPField(name: .userAgent, value: userAgent))
        return request
    }

    /// Makes the response what the layers above see, and records its arrival.
    private static func finish(
        _ response: inout TransportResponse, to request: TransportRequest, _ call: CallContext, _ attempt: Int
    ) {
        response.call = call
        response.request = request.head
        if response.channel != nil { watchChannel(of: &response, call, attempt) }
        let limit = request.options.maximumResponseBytes
        let hasContent = request.head.method.responseHasContent(status: response.head.status.code)
        if let source = watchedSource(of: response.body, limit: limit, hasContent: hasContent) {
            let watched = ExchangeBodySource(source, of: response, call: call, attempt: attempt, limit: limit)
            response.body = ResponseBody(length: hasContent ? response.body.length : 0, exchange: watched)
            // The body alone keeps the transport's stream from now on: dropping it ends the transfer.
            response.finalMetrics = nil
        }
        call.end(attempt, with: response)
    }

    @inline(never)
    private static func watchChannel(of response: inout TransportResponse, _ call: CallContext, _ attempt: Int) {
        let head = response.head
        response.mapConnection { ExchangeConnection($0, head: head, call: call, attempt: attempt) }
    }

    /// The source of a body that has to be counted while it is read; `nil` for a body that has arrived whole.
    ///
    /// A whole body that is larger than the limit has a source too, so that it fails when it is read and not before:
    /// the body of a redirect or a refusal may never be read. A response without content need not have the announced
    /// length, which is that of another response (RFC 9110 §8.6).
    private static func watchedSource(of body: ResponseBody, limit: Int?, hasContent: Bool) -> (any BodySource)? {
        switch body.storage {
        case .stream(let stream): return stream.beginReading(holdsToLength: hasContent)
        case .data(let data):
            guard let limit, data.count > limit else { return nil }
            return DataBodySource(data)
        // Watched, so that its trailers are checked as those of any other.
        case .whole(let whole): return DataBodySource(whole.data, trailers: whole.trailers)
        case .channel: return nil
        }
    }
}
