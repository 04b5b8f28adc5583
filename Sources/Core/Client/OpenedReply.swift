// SPDX-License-Identifier: Apache-2.0

/// A reply that is no body but an open exchange, such as a WebSocket. A front end returns it from a function.
///
/// `StrataWebSocket` makes `WebSocket` one, so that a front end need not know it.
@_documentation(visibility: internal)
public protocol OpenedReply {
    /// Sends the request, and returns when the exchange is open.
    static func opened<RequestModel, ResponseModel>(
        by client: any NetworkClientProtocol, for request: NetworkRequest<RequestModel, ResponseModel>
    ) async throws -> Self
}
