// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StrataCore

/// Measures calls and hands each measurement to a closure, when the response's body has been read or given up.
///
///     MetricsMiddleware { metrics in requestSeconds.record(metrics.duration / .seconds(1)) }
///
/// Place: outermost; with the scope ``ObservationScope/attempt``, where one wants to look.
public struct MetricsMiddleware: NetworkMiddleware {
    public let scope: ObservationScope
    private let collect: @Sendable (CallMetrics) -> Void

    public init(scope: ObservationScope = .call, collect: @escaping @Sendable (CallMetrics) -> Void) {
        self.scope = scope
        self.collect = collect
    }

    public var placement: MiddlewarePlacement { scope.placement(.metrics) }

    public func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        let clock = request.call?.clock ?? SystemClock()
        let started = clock.now
        var metrics = CallMetrics(request)
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
                metrics.finish(after: clock.now - started, request.call?.record)
                collect(metrics)
            }
            return response
        } catch {
            metrics.fail(error)
            metrics.finish(after: clock.now - started, request.call?.record)
            collect(metrics)
            throw error
        }
    }
}

/// What ``MetricsMiddleware`` measured.
public struct CallMetrics: Sendable {
    public let method: HTTPRequest.Method
    /// Scheme, host and port; `nil` when the request was malformed.
    public let origin: Origin?
    /// Without its query.
    public let path: String
    /// The size of the request's body, when it was known beforehand.
    public let requestBodySize: Int64?
    public internal(set) var status: HTTPResponse.Status?
    /// What ended the call; ``NetworkClientError/Code-swift.struct/internalFailure`` for errors of others.
    public internal(set) var error: NetworkClientError.Code?
    /// Cancelled, or the body given up by its reader.
    public internal(set) var isCancelled = false
    /// Decoded bytes of the response's body that were read.
    public internal(set) var bytesReceived: Int64 = 0
    /// Until the response's head; `nil` when there was none.
    public internal(set) var timeToHead: Duration?
    /// Until the end of the body.
    public internal(set) var duration: Duration = .zero
    /// All attempts of the call so far.
    public internal(set) var exchange = ExchangeRecord()

    init(_ request: TransportRequest) {
        method = request.head.method
        origin = request.origin
        path = String((request.head.path ?? "/").prefix { $0 != "?" })
        requestBodySize = request.body.length
    }

    mutating func fail(_ error: any Error) {
        if error is CancellationError {
            isCancelled = true
        } else {
            self.error = (error as? NetworkClientError)?.code ?? .internalFailure
        }
    }

    mutating func finish(after duration: Duration, _ record: ExchangeRecord?) {
        self.duration = duration
        if let record { exchange = record }
    }
}
