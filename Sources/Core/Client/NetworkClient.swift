// SPDX-License-Identifier: Apache-2.0

/// Sends requests through its middleware to its transport.
///
///     let client = NetworkClient(configuration: configuration)
///     let posts = try await client.run(NetworkRequest<VoidRequest, [Post]>(path: "posts", method: .get)).value
///
/// A value: copies share the transport.
public struct NetworkClient: NetworkClientProtocol {
    private let setup: Setup

    /// Behind a reference: it is large, and each call would hold a copy.
    private final class Setup: Sendable {
        let configuration: NetworkConfiguration
        let pipeline: Pipeline
        let gate = CallGate(of: "client")

        init(_ configuration: NetworkConfiguration) {
            self.configuration = configuration
            pipeline = Pipeline(configuration)
        }
    }

    /// In a debug build, contradictions in the order of the layers go to standard error, once for each list; see
    /// ``pipelineReport``.
    public init(configuration: NetworkConfiguration) {
        setup = Setup(configuration)
        #if DEBUG
        pipelineReport.logOnce()
        #endif
    }

    public var configuration: NetworkConfiguration {
        _read { yield setup.configuration }
    }

    public func execute(_ request: TransportRequest) async throws -> TransportResponse {
        try setup.gate.enter(servesACall: CallGate.servesACall)
        defer { setup.gate.leave() }
        var request = request
        let call = beginCall(&request)
        do {
            var response = try await Next(call: call, index: 0)(request)
            if response.call == nil { call.adopt(&response, for: request) }
            return response
        } catch {
            throw call.finished(error)
        }
    }

    // A function of its own: if it were inlined, the task would hold the memory for its variables until the response is
    // there.
    @inline(never)
    private func beginCall(_ request: inout TransportRequest) -> CallContext {
        request.options.exempt(request.head.method)
        let pipeline = request.middleware.map { Pipeline(setup.configuration, middleware: $0) } ?? setup.pipeline
        let call = CallContext(
            clock: configuration.clock, deadline: request.options.remainingTime,
            home: configuration.homeServer(
                scheme: request.head.scheme, authority: request.head.authority, options: request.options),
            hasBaseURL: configuration.baseOrigin?.host.isEmpty == false, stack: pipeline.stack, gate: setup.gate,
            isAuthenticationExempt: request.options.isAuthenticationExempt)
        if request.options.isLedByLink, let origin = request.origin { call.markForeign(origin) }
        request.call = call
        // Both are used up. Cleared, they do not go along when a layer hands the request to another client.
        if request.middleware != nil { request.middleware = nil }
        if request.options.timeSpent != .zero { request.options.timeSpent = .zero }
        return call
    }

    /// Lets what is under way end, and shuts the transport down: for the end of a server, which is told when to be gone.
    ///
    /// A new call of this client and its copies fails with ``NetworkClientError/Code-swift.struct/transportShutDown``. Calls under way go on,
    /// with their further attempts, redirects and renewals of credentials, and so do bodies that are still arriving. What has not ended
    /// when `limit` passes, or when the task is cancelled, ends with that error too. So does what waits for its turn in a limit or for its
    /// next attempt. Other clients over the transport are not waited for, beyond the exchange that they have under way.
    public func drain(within limit: Duration) async {
        let clock = SystemClock()
        let end = clock.now + limit
        setup.gate.close()
        await clock.wait(within: limit) { setup.gate.isEmpty }
        setup.gate.endWaits()
        await configuration.transport.drain(within: max(.zero, end - clock.now))
    }

    /// The layers as they run, and the contradictions in their order.
    public var pipelineReport: PipelineReport {
        PipelineReport(setup.pipeline, listed: configuration.middleware, base: configuration.baseOrigin)
    }

    /// The same for one request: by its own list of middleware if it has one, and with what its body does not allow.
    public func pipelineReport(for request: TransportRequest) -> PipelineReport {
        let listed = request.middleware ?? configuration.middleware
        return PipelineReport(
            Pipeline(configuration, middleware: listed), listed: listed, body: request.body, base: request.origin)
    }
}
