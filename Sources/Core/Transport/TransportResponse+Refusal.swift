// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

extension TransportResponse {
    /// Whether the status is acceptable: because a layer said so, the server switched protocols as it was asked to, or else by the
    /// request's own policy.
    package func isAccepted(by options: RequestOptions) -> Bool {
        options.accepts(head.status) || call?.acceptedStatus == head.status.code || channel != nil
    }

    /// The error, with this response's head and exchange where it has none.
    package func attached(to error: NetworkClientError) -> NetworkClientError {
        var error = error
        error.response = error.response ?? head
        error.exchange = error.exchange ?? exchange
        return error
    }

    /// The same for any error; one that is not a client's stays as it is.
    @inline(never)
    func attached(to error: any Error) -> any Error {
        guard let error = error as? NetworkClientError else { return error }
        return attached(to: error) as NetworkClientError
    }

    /// The message of the error when the status is not accepted.
    package var statusMessage: String { "the server answered with status \(head.status.code)" }

    /// The error of a response that is refused, with the start of its body.
    ///
    /// - Throws: `CancellationError` when the task was cancelled meanwhile.
    package func refusal(
        _ code: NetworkClientError.Code, _ message: String, decoder: (any ResponseBodyDecoder)? = nil
    ) async throws -> NetworkClientError {
        try await refusal(code, message, decoder: decoder, readingUpTo: NetworkClientError.bodyLimit).error
    }

    /// The same, with more of the body than an error keeps.
    package func refusal(
        _ code: NetworkClientError.Code, _ message: String, decoder: (any ResponseBodyDecoder)? = nil,
        readingUpTo limit: Int
    ) async throws -> (error: NetworkClientError, body: Data) {
        let start = await body.start(upTo: limit, clock: call?.clock)
        try Task.checkCancellation()
        var error = NetworkClientError(
            code, message, response: head, body: NetworkClientError.start(of: start), exchange: exchange)
        error.decoder = decoder
        return (error, start)
    }

    /// The error of data that could not be decoded, with their start.
    ///
    /// - Parameter cause: returned itself when it is a ``NetworkClientError`` already.
    package func decodingFailure(
        _ message: String, cause: (any Error)? = nil, of data: Data, decoder: any ResponseBodyDecoder
    ) -> NetworkClientError {
        .decodingFailed(message, cause: cause, of: data, in: head, exchange, decoder: decoder)
    }
}

extension NetworkClientError {
    static func decodingFailed(
        _ message: String, cause: (any Error)?, of data: Data, in head: HTTPResponse, _ exchange: ExchangeRecord,
        decoder: any ResponseBodyDecoder
    ) -> NetworkClientError {
        var error = cause as? NetworkClientError ?? NetworkClientError(.decodingFailed, message, cause: cause)
        error.response = error.response ?? head
        error.exchange = error.exchange ?? exchange
        error.body = error.body ?? start(of: data)
        error.decoder = decoder
        return error
    }
}
