// SPDX-License-Identifier: Apache-2.0

/// A client: carries requests through its middleware to its transport.
///
/// A conforming type writes the three requirements other than `run`; every style of describing an API ends in them.
public protocol NetworkClientProtocol: Sendable {
    init(configuration: NetworkConfiguration)

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
