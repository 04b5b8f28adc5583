// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import StrataCore

/// Continues or begins a distributed trace (W3C Trace Context): one trace a call, one parent id an attempt.
///
/// A `traceparent` that the request has stays as it is. Place: inside redirects, retries and authentication that repeats a
/// refused request, so that attempts can be told apart.
public struct TraceparentMiddleware: NetworkMiddleware {
    /// Whether traces that begin here ask to be recorded. Default: yes.
    package let isSampled: Bool
    private let randomness: @Sendable () -> UInt64

    /// - `randomness`: random bits.
    public init(
        isSampled: Bool = true, randomness: @escaping @Sendable () -> UInt64 = { .random(in: .min ... .max) }
    ) {
        self.isSampled = isSampled
        self.randomness = randomness
    }

    @_documentation(visibility: internal)
    public var placement: MiddlewarePlacement {
        let reason = "attempts could not be told apart in the trace"
        return MiddlewarePlacement(
            role: .traceContext, rules: [.inside(.redirects, because: reason), .insideRepeats(because: reason)])
    }

    @_documentation(visibility: internal)
    public func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        guard request.head.headerFields[.traceparent] == nil else { return try await next(request) }
        func makeTraceID() -> String { randomness().hexadecimal + nonzero().hexadecimal }
        let trace = request.call?.value(TraceIDKey.self, orMake: makeTraceID) ?? makeTraceID()
        let value = "00-\(trace)-\(nonzero().hexadecimal)-0\(isSampled ? 1 : 0)"
        return try await next(request.setting(.traceparent, to: value))
    }

    /// An id of zeros is invalid.
    private func nonzero() -> UInt64 { max(randomness(), 1) }

    private enum TraceIDKey: RequestAttributeKey {
        static let defaultValue = ""
    }
}
