// SPDX-License-Identifier: Apache-2.0

public import StrataCore
import StrataEncoding
import StrataPlatform

import Foundation

extension Request {
    @TaskLocal static var scopedClient: (any NetworkClientProtocol)?

    /// Sends every request of the operation through `client`, whatever session or client the request names itself.
    ///
    /// For tests, and for code that one does not own:
    ///
    ///     let users = try await Request.withClient(NetworkClient(configuration: scripted)) { try await loadUsers() }
    ///
    /// It holds for the task and its child tasks. A request with a completion handler takes the client of the task that
    /// sends it, a publisher that of the task that makes it. Pages take that of the task that asks for them or, if it
    /// has none, of the task that made them.
    @discardableResult
    public static func withClient<Result>(
        _ client: any NetworkClientProtocol, operation: () async throws -> Result
    ) async rethrows -> Result {
        try await $scopedClient.withValue(client, operation: operation)
    }

    /// The client that sends the request: that of the scope, else what `send` was given, else the request's client,
    /// else one over its session or, where none was named, over the platform's transport.
    func resolvedClient(_ client: (any NetworkClientProtocol)?, session: URLSession?) -> any NetworkClientProtocol {
        if let scoped = Self.scopedClient { return scoped }
        if let client { return client }
        if let session { return SessionClients.shared.client(for: session) }
        if let client = self.client { return client }
        return namedSession.map { SessionClients.shared.client(for: $0) } ?? Self.platformClient
    }

    /// Sends what names neither a client nor a session.
    private static let platformClient: NetworkClient = {
        #if canImport(FoundationNetworking)
        NetworkClient(configuration: NetworkConfiguration(baseURL: nil, transport: PlatformTransport.shared))
        #else
        SessionClients.shared.client(for: .shared)
        #endif
    }()
}
