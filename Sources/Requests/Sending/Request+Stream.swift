// SPDX-License-Identifier: Apache-2.0

public import StrataCore
public import StrataPublishers

#if canImport(FoundationNetworking)
public import FoundationNetworking
#else
public import Foundation
#endif

extension Request {
    /// Sends the request and reads the response while it arrives.
    ///
    ///     for try await event in try await request.send(as: .events) { print(event.data) }
    ///
    /// It returns when the head has arrived, which the sequence has as `response`, except for that of `.pieces`.
    /// Elements are pulled: a slow loop slows the server, and leaving the loop cancels the transfer. Events and JSON
    /// Lines require a status of 200 to 299 and a matching content type. For bytes, pieces and lines the status is
    /// checked as ``Configuration-swift.struct/parseHTTPStatusErrors`` says.
    ///
    /// - Throws: ``RequestError``; `CancellationError`. The sequence itself throws ``StrataCore/NetworkClientError``.
    public func send<Elements>(
        as format: StreamFormat<Elements>, session: URLSession? = nil, client: (any NetworkClientProtocol)? = nil
    ) async throws -> Elements {
        try await open(format, through: resolvedClient(client, session: session))
    }

    /// A publisher of the response's elements while they arrive, by demand.
    public func publisher<Elements: SendableMetatype>(
        as format: StreamFormat<Elements>, session: URLSession? = nil, client: (any NetworkClientProtocol)? = nil
    ) -> StreamPublisher<Elements.Element, RequestError> {
        let client = resolvedClient(client, session: session)
        return StreamPublisher(mapError: { requestError($0) }) { try await open(format, through: client) }
    }

    private func open<Elements>(
        _ format: StreamFormat<Elements>, through client: any NetworkClientProtocol
    ) async throws -> Elements {
        do {
            return try await format.open(client, networkRequest(acceptableStatus: format.acceptableStatus))
        } catch {
            throw thrown(error)
        }
    }
}
