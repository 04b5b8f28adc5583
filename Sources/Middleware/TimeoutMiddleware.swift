// SPDX-License-Identifier: Apache-2.0

public import StrataCore

/// Sets limits on the time of each attempt, in place of the request's own.
///
/// The deadline of the whole call is running already when a middleware sees the request: set it in `RequestOptions.timeouts`.
/// Place: anywhere.
public struct TimeoutMiddleware: NetworkMiddleware {
    private let change: @Sendable (inout RequestOptions) -> Void

    /// - Parameters:
    ///   - attempt: one exchange, from the request to the response's last byte. A response that is read while it
    ///     arrives, by `open`, as a stream or as a download, keeps the request's own limit.
    ///   - connect: name resolution, connection and TLS handshake; `nil` leaves it as it is.
    ///   - idle: the longest silence; `nil` leaves it as it is.
    public init(_ attempt: Duration, connect: Duration? = nil, idle: Duration? = nil) {
        change = { options in
            if !options.isOpenEnded, options.delivery != .eventStream { options.timeouts.attempt = attempt }
            options.timeouts.connect = connect ?? options.timeouts.connect
            options.timeouts.idle = idle ?? options.timeouts.idle
        }
    }

    /// - Parameter change: gets the request's limits; a changed deadline has no effect.
    public init(change: @escaping @Sendable (inout Timeouts) -> Void) {
        self.change = { change(&$0.timeouts) }
    }

    @_documentation(visibility: internal)
    public var placement: MiddlewarePlacement { .anywhere }

    @_documentation(visibility: internal)
    public func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        var request = request
        change(&request.options)
        return try await next(request)
    }
}
