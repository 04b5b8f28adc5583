// SPDX-License-Identifier: Apache-2.0

/// Performs one exchange: sends the request it is given, whole and unchanged, and returns the head as soon as it has
/// arrived, with a body to pull.
///
/// A transport does **not** follow redirects, store cookies, cache, retry or authenticate, and adds no field that the
/// request does not have but `Host`, the framing fields, and `Accept-Encoding` when it decodes. What it has to guarantee is
/// the list of rules in `StrataTesting`.
///
///     struct Canned: NetworkTransport {
///         let capabilities = TransportCapabilities(name: "canned")
///         func send(_ request: TransportRequest) async throws -> TransportResponse {
///             TransportResponse(head: HTTPResponse(status: .ok), body: ResponseBody(Data("hello".utf8)))
///         }
///     }
///
/// Every failure is a ``NetworkClientError`` whose code names the stage; a cancelled task gets `CancellationError`. A body
/// that ends early throws from the body.
public protocol NetworkTransport: Sendable {
    /// What this transport can do. A request that needs more fails before anything is sent.
    var capabilities: TransportCapabilities { get }

    func send(_ request: TransportRequest) async throws -> TransportResponse

    /// What happens to its connections; `nil` (default) for a transport that does not tell.
    var connectionEvents: ConnectionEvents? { get }

    /// Ends what is under way, closes every connection, and returns when nothing is left. Calls after it fail with
    /// ``NetworkClientError/Code-swift.struct/transportShutDown``. Default: nothing.
    func shutdown() async

    /// Sends nothing new, waits until the exchanges under way have ended, bodies included, and shuts down: after `limit`, or when the
    /// task is cancelled, in any case. A request meanwhile fails with ``NetworkClientError/Code-swift.struct/transportShutDown``. Default:
    /// ``shutdown()``.
    ///
    /// A call that would try again, or follow a redirect, needs ``NetworkClient/drain(within:)``.
    func drain(within limit: Duration) async
}

extension NetworkTransport {
    @_documentation(visibility: internal)
    public var connectionEvents: ConnectionEvents? { nil }

    @_documentation(visibility: internal)
    public func shutdown() async {}

    public func drain(within limit: Duration) async { await shutdown() }
}
