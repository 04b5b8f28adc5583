// SPDX-License-Identifier: Apache-2.0

/// A client: carries requests through its middleware to its transport.
///
/// A conforming type writes the three requirements other than `run`: every style of describing an API, streams and files
/// end in these. So a client around a client is a few lines:
///
///     struct CountingClient: NetworkClientProtocol {
///         let inner: any NetworkClientProtocol
///         let count = Counter()
///
///         init(around inner: any NetworkClientProtocol) { self.inner = inner }
///         init(configuration: NetworkConfiguration) { inner = NetworkClient(configuration: configuration) }
///
///         var configuration: NetworkConfiguration { inner.configuration }
///
///         func execute(_ request: TransportRequest) async throws -> TransportResponse {
///             count.add(1)
///             return try await inner.execute(request)
///         }
///     }
public protocol NetworkClientProtocol: Sendable {
    /// A client of this kind from its configuration alone, for code that is generic over clients.
    init(configuration: NetworkConfiguration)

    /// What paths, default fields, coders and options come from.
    var configuration: NetworkConfiguration { get }

    /// One call through the middleware: everything else is built on it.
    ///
    /// No status is an error. The body is still arriving: read it, or drop it to cancel the transfer.
    ///
    /// The request is sent as it is: ``NetworkConfiguration/options`` and ``NetworkConfiguration/defaultFields`` do not
    /// apply to it. `makeTransportRequest(_:)` makes one that has them.
    ///
    /// - Throws: ``NetworkClientError``; `CancellationError`; what a middleware threw.
    func execute(_ request: TransportRequest) async throws -> TransportResponse

    /// Encodes, executes, checks the status, collects and decodes.
    ///
    /// `Data`, `String`, ``VoidResponse`` and optionals (nil for 204, 205, an accepted 304 and an empty body) are read
    /// without the decoder.
    ///
    /// - Throws: as ``execute(_:)``; ``NetworkClientError`` with `encodingFailed`, `unacceptableStatus`, `bodyTooLarge`,
    ///   `decodingFailed`.
    func run<RequestModel, ResponseModel>(
        _ networkRequest: NetworkRequest<RequestModel, ResponseModel>
    ) async throws -> NetworkResponse<ResponseModel>
}
