// SPDX-License-Identifier: Apache-2.0

public import StrataCore

// The body is encoded when the endpoint is called; what fails then is thrown by the calls that follow.

extension APICall {
    /// The call as a value that begins later: a publisher.
    public func deferred<Deferred: DeferredCall>(as type: Deferred.Type) -> Deferred
    where Deferred.Output: Decodable & SendableMetatype {
        let call = DeferredRequest(self, for: Deferred.Output.self)
        return .deferring { try await call.run().value }
    }

    /// The same, of a response whose body does not matter.
    public func deferred<Deferred: DeferredCall>(as type: Deferred.Type) -> Deferred where Deferred.Output == Void {
        let call = DeferredRequest(self, for: VoidResponse.self)
        return .deferring { _ = try await call.run() }
    }

    /// A stream as a value that begins later.
    public func deferredStream<Deferred: DeferredCall>(as type: Deferred.Type) -> Deferred
    where Deferred.Output: Decodable & SendableMetatype {
        let stream = StreamRequest(self)
        return .deferring(stream: { try await stream.elements(Deferred.Output.self).throwingStream() })
    }
}

/// A request that may be made several times.
private struct DeferredRequest<Model: Decodable & SendableMetatype>: Sendable {
    let request: Result<NetworkRequest<CallBody, Model>, any Error>
    let client: any NetworkClientProtocol
    let errorModelling: ErrorModelling

    init(_ call: APICall, for type: Model.Type) {
        request = Result {
            var request = try call.request(for: type)
            request.decoder = call.responseDecoder
            return request
        }
        client = call.provider.client
        errorModelling = call.errorModelling
    }

    func run() async throws -> NetworkResponse<Model> {
        let request = try request.get()
        return try await errorModelling.applied { try await client.run(request) }
    }
}
