// SPDX-License-Identifier: Apache-2.0

public import StrataCore

/// Sets limits on the time of each attempt, in place of the request's own.
///
/// The deadline of the whole call is running already when a middleware sees the request: set it in `RequestOptions.timeouts`.
/// Place: anywhere.
public struct TimeoutMiddleware: NetworkMiddleware {
    private let change: @Sendable (inout Timeouts, ResponseDelivery) -> Void

    /// - Parameters:
    ///   - attempt: one exchange, from the request to the response's last byte. Event streams, which have no end, keep theirs.
    ///   - connect: name resolution, connection and TLS handshake; `nil` leaves it as it is.
    ///   - idle: the longest silence; `nil` leaves it as it is.
    public init(_ attempt: Duration, connect: Duration? = nil, idle: Duration? = nil) {
        self.init { timeouts, delivery in
            if delivery != .eventStream { timeouts.attempt = attempt }
            timeouts.connect = connect ?? timeouts.connect
            timeouts.idle = idle ?? timeouts.idle
        }
    }

    /// - Parameter change: gets the request's limits; a changed deadline has no effect.
    public init(change: @escaping @Sendable (inout Timeouts) -> Void) {
        self.init { timeouts, _ in change(&timeouts) }
    }

    private init(_ change: @escaping @Sendable (inout Timeouts, ResponseDelivery) -> Void) {
        self.change = change
    }

    public var placement: MiddlewarePlacement { MiddlewarePlacement(role: .decoration) }

    public func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        var request = request
        change(&request.options.timeouts, request.options.delivery)
        return try await next(request)
    }
}
