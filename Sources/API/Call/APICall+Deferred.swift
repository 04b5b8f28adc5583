// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StrataCore
public import StrataStreaming

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// The body is encoded when the endpoint is called; what fails then is thrown by the calls that follow.

extension APICall {
    /// The call as a value that begins later, such as a publisher of the model or of a stream's elements.
    public func deferred<Deferred: DeferredCall>(as type: Deferred.Type) -> Deferred
    where Deferred.Output: Decodable & SendableMetatype {
        guard isStream else { return deferredModel(as: type) }
        let stream = StreamRequest(self)
        return .deferring(stream: { try await stream.elements(Deferred.Output.self).throwingStream() })
    }

    /// The elements of a stream, as a table makes them of events by their names.
    public func deferred<Deferred: DeferredCall>(
        as type: Deferred.Type, decoding table: @escaping @Sendable () -> EventDecoding<Deferred.Output>
    ) -> Deferred {
        let stream = StreamRequest(self)
        return .deferring(stream: { try await stream.elements(table()).throwingStream() })
    }

    /// The same, of the body; of a stream, of the bytes as they arrive, whatever its type.
    public func deferred<Deferred: DeferredCall>(as type: Deferred.Type) -> Deferred where Deferred.Output == Data {
        guard isStream else { return deferredModel(as: type) }
        let stream = StreamRequest(self)
        return .deferring(stream: { try await stream.bytes().throwingStream() })
    }

    /// The same, of a stream's events with their names and identifiers.
    public func deferred<Deferred: DeferredCall>(as type: Deferred.Type) -> Deferred
    where Deferred.Output == ServerSentEvent {
        let stream = StreamRequest(self)
        return .deferring(stream: { try await stream.events().throwingStream() })
    }

    // What follows is a single response, also in a type whose endpoints are streams.

    /// The same, of a response whose body does not matter.
    public func deferred<Deferred: DeferredCall>(as type: Deferred.Type) -> Deferred where Deferred.Output == Void {
        let call = DeferredRequest(self, for: VoidResponse.self)
        return .deferring { _ = try await call.run() }
    }

    /// The same, of the model together with the head and the record of the exchange.
    public func deferred<Deferred: DeferredCall, Model: Decodable & SendableMetatype>(
        as type: Deferred.Type
    ) -> Deferred where Deferred.Output == NetworkResponse<Model> {
        let call = DeferredRequest(self, for: Model.self)
        return .deferring { try await call.run() }
    }

    /// The same, of the head of a response whose body does not matter.
    public func deferred<Deferred: DeferredCall>(as type: Deferred.Type) -> Deferred
    where Deferred.Output == NetworkResponse<Void> {
        let call = DeferredRequest(self, for: VoidResponse.self)
        return .deferring { try await call.run().withoutModel }
    }

    /// The same, of the fields of the response.
    public func deferred<Deferred: DeferredCall>(as type: Deferred.Type) -> Deferred
    where Deferred.Output == HTTPFields {
        let call = DeferredRequest(self, for: VoidResponse.self)
        return .deferring { try await call.run().response.headerFields }
    }

    /// The same, of the head of the response.
    public func deferred<Deferred: DeferredCall>(as type: Deferred.Type) -> Deferred
    where Deferred.Output == HTTPResponse {
        let call = DeferredRequest(self, for: VoidResponse.self)
        return .deferring { try await call.run().response }
    }

    private func deferredModel<Deferred: DeferredCall>(as type: Deferred.Type) -> Deferred
    where Deferred.Output: Decodable & SendableMetatype {
        let call = DeferredRequest(self, for: Deferred.Output.self)
        return .deferring { try await call.run().value }
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
