// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import StrataCore

/// Measures calls and hands each measurement to a closure, when the response's body has been read or given up.
///
///     MetricsMiddleware { metrics in requestSeconds.record(metrics.duration / .seconds(1)) }
///
/// Place: outermost. With the scope ``ObservationScope/attempt``: at the place in the stack that is to be observed.
public struct MetricsMiddleware: NetworkMiddleware {
    package let scope: ObservationScope
    private let begin: (@Sendable (CallMetrics) -> Void)?
    private let collect: @Sendable (CallMetrics) -> Void

    public init(scope: ObservationScope = .call, collect: @escaping @Sendable (CallMetrics) -> Void) {
        self.init(scope: scope, begin: nil, collect: collect)
    }

    /// - Parameter begin: gets what is known before the request is sent. `collect` gets the rest, once, whatever happens.
    package init(
        scope: ObservationScope, begin: (@Sendable (CallMetrics) -> Void)?,
        collect: @escaping @Sendable (CallMetrics) -> Void
    ) {
        self.scope = scope
        self.begin = begin
        self.collect = collect
    }

    @_documentation(visibility: internal)
    public var placement: MiddlewarePlacement { scope.placement(.metrics) }

    @_documentation(visibility: internal)
    public func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        let clock = request.call?.clock ?? SystemClock()
        let started = clock.now
        var metrics = CallMetrics(request)
        begin?(metrics)
        do {
            var response = try await next(request)
            metrics.status = response.head.status
            metrics.timeToHead = clock.now - started
            let sample = BodySample(limit: 0)
            response.observeBody(onPiece: { sample.add($0) }) { [metrics, collect] end in
                var metrics = metrics
                metrics.bytesReceived = sample.count
                switch end {
                case .complete: break
                case .abandoned: metrics.isCancelled = true
                case .failed(let error): metrics.fail(error)
                }
                metrics.finish(request.call, started: started, ended: clock.now)
                collect(metrics)
            }
            return response
        } catch {
            metrics.fail(error)
            metrics.finish(request.call, started: started, ended: clock.now)
            collect(metrics)
            throw error
        }
    }
}
