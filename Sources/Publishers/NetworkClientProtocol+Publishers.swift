// SPDX-License-Identifier: Apache-2.0

public import StrataCore
public import StrataStreaming

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension NetworkClientProtocol {
    /// A publisher of what ``run(_:)`` returns.
    ///
    ///     client.publisher(for: NetworkRequest<VoidRequest, [Post]>(path: "posts", method: .get))
    ///         .map(\.value)
    ///         .sink { completion in … } receiveValue: { posts in … }
    ///
    /// Nothing is sent before a subscriber asks, each subscriber gets a call of its own, and cancelling ends the call.
    /// Failures are those of ``run(_:)``.
    public func publisher<RequestModel: Sendable, ResponseModel: SendableMetatype>(
        for request: NetworkRequest<RequestModel, ResponseModel>
    ) -> CallPublisher<NetworkResponse<ResponseModel>, any Error> {
        CallPublisher { try await run(request) }
    }

    /// A publisher of what ``execute(_:)`` returns: a response of any status whose body is still arriving.
    public func publisher(for request: TransportRequest) -> CallPublisher<TransportResponse, any Error> {
        CallPublisher { try await execute(request) }
    }

    /// A publisher of the pieces of the body, as they arrive, pulled by demand.
    ///
    /// The status is checked as by ``open(_:)``, which also says which timeouts hold for a stream.
    public func bytesPublisher<RequestModel: Sendable, ResponseModel: SendableMetatype>(
        for request: NetworkRequest<RequestModel, ResponseModel>
    ) -> StreamPublisher<Data, any Error> {
        StreamPublisher { try await open(request).body }
    }

    /// A publisher of the lines of a text, by demand; see ``lines(for:maximumLength:)``.
    public func linesPublisher<RequestModel: Sendable, ResponseModel: SendableMetatype>(
        for request: NetworkRequest<RequestModel, ResponseModel>, maximumLength: Int = 16 << 20
    ) -> StreamPublisher<String, any Error> {
        StreamPublisher { try await lines(for: request, maximumLength: maximumLength) }
    }

    /// A publisher of the models of a JSON Lines body, by demand; see ``jsonLines(for:decoding:skipsMalformed:maximumLength:)``.
    public func jsonLinesPublisher<RequestModel: Sendable, ResponseModel: SendableMetatype, Model>(
        for request: NetworkRequest<RequestModel, ResponseModel>, decoding type: Model.Type = Model.self,
        skipsMalformed: Bool = false, maximumLength: Int = 16 << 20
    ) -> StreamPublisher<Model, any Error> where Model: Decodable & SendableMetatype {
        StreamPublisher {
            try await jsonLines(
                for: request, decoding: type, skipsMalformed: skipsMalformed, maximumLength: maximumLength)
        }
    }

    /// A publisher of server-sent events, by demand; see ``events(for:options:)``.
    public func eventsPublisher<RequestModel: Sendable, ResponseModel: SendableMetatype>(
        for request: NetworkRequest<RequestModel, ResponseModel>,
        options: ServerSentEvents.Options = ServerSentEvents.Options()
    ) -> StreamPublisher<ServerSentEvent, any Error> {
        StreamPublisher { () async throws -> ServerSentEvents in try await events(for: request, options: options) }
    }

    /// A publisher of server-sent events as models, by demand; see ``events(for:decoding:until:options:)``.
    public func eventsPublisher<RequestModel: Sendable, ResponseModel: SendableMetatype, Model>(
        for request: NetworkRequest<RequestModel, ResponseModel>, decoding type: Model.Type,
        until end: EventStreamEnd = .body, options: ServerSentEvents.Options = ServerSentEvents.Options()
    ) -> StreamPublisher<Model, any Error> where Model: Decodable & SendableMetatype {
        StreamPublisher { try await events(for: request, decoding: type, until: end, options: options) }
    }
}
