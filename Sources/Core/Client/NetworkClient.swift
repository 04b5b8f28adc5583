// SPDX-License-Identifier: Apache-2.0

/// The client.
///
///     let client = NetworkClient(configuration: configuration)
///     let posts = try await client.run(NetworkRequest<VoidRequest, [Post]>(path: "posts", method: .get)).value
///
/// A value: copies share the transport.
public struct NetworkClient: NetworkClientProtocol {
    public let configuration: NetworkConfiguration
    private let pipeline: Pipeline
    private let baseOrigin: Origin?

    public init(configuration: NetworkConfiguration) {
        self.configuration = configuration
        pipeline = Pipeline(configuration)
        baseOrigin = configuration.baseOrigin
    }

    public func execute(_ request: TransportRequest) async throws -> TransportResponse {
        let pipeline = request.middleware.map { Pipeline(configuration, middleware: $0) } ?? pipeline
        let call = CallContext(
            clock: configuration.clock, deadline: request.options.timeouts.deadline, baseOrigin: baseOrigin,
            layers: pipeline.layers)
        if request.options.isAwayFromHome, let origin = request.origin, origin != baseOrigin {
            call.markForeign(origin)
        }
        var request = request
        request.call = call
        // The list has done its work: a layer that hands the request to another client does not take it along.
        if request.middleware != nil { request.middleware = nil }
        do {
            var response = try await Next(call: call, index: 0)(request)
            if response.call == nil {
                // A layer has made it anew, or answered by itself.
                response.call = call
                response.request = call.sentHead ?? request.head
            }
            return response
        } catch var error as NetworkClientError where error.exchange == nil {
            error.exchange = call.record
            throw error
        }
    }

    /// The layers as they run, and what contradicts itself in their order.
    public var pipelineReport: PipelineReport { PipelineReport(pipeline, listed: configuration.middleware) }

    /// The same for one request, by its own list if it has one, and with what its body does not allow.
    public func pipelineReport(for request: TransportRequest) -> PipelineReport {
        let listed = request.middleware ?? configuration.middleware
        return PipelineReport(Pipeline(configuration, middleware: listed), listed: listed, body: request.body)
    }
}
