// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Turns a refusal that says when to come back into a ``RetryAfterError``, for an app that decides itself.
///
/// Other responses pass, and so do refusals without a `Retry-After` that can be read. Place: outside of retries, which
/// otherwise would not see the refusal, and inside of status validation, which would turn it into an error itself.
///
/// - Throws: ``RetryAfterError``.
public struct RetryAfterMiddleware: NetworkMiddleware {
    /// Default: 429 and 503.
    package let statuses: Set<Int>

    public init(statuses: Set<Int> = [429, 503]) {
        self.statuses = statuses
    }

    @_documentation(visibility: internal)
    public var placement: MiddlewarePlacement {
        let reason = "it would see an error instead of a status"
        return MiddlewarePlacement(
            role: .retryAfter,
            rules: [
                .inside(.statusValidation, because: "the refusal would be thrown before it is seen"),
                .outside(.retry, because: reason), .outside(.cache, because: reason),
            ])
    }

    @_documentation(visibility: internal)
    public func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        let response = try await next(request)
        let now = request.call?.clock.date ?? Date()
        guard statuses.contains(response.head.status.code),
            let delay = RetryAfterField.delay(in: response.head.headerFields, now: now)
        else { return response }
        await response.body.discard()
        try Task.checkCancellation()
        throw RetryAfterError(
            date: now.addingTimeInterval(delay / .seconds(1)), delay: delay, response: response.head,
            exchange: request.call?.record ?? response.exchange)
    }
}
