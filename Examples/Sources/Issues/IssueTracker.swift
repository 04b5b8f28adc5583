// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding

public struct Issue: Decodable, Sendable, Equatable {
    public var number: Int
    public var title: String
    public var createdAt: Date
}

/// The issues of a repository on GitHub. What it sends by is the caller's choice.
public struct IssueTracker: Sendable {
    private let client: NetworkClient

    public init(baseURL: String, transport: any NetworkTransport, middleware: [any NetworkMiddleware] = []) {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .iso8601
        client = NetworkClient(
            configuration: NetworkConfiguration(
                baseURL: baseURL, transport: transport, middleware: middleware, defaultDecoder: decoder,
                defaultFields: [.accept: "application/vnd.github+json"]))
    }

    /// Page by page, as `Link` leads from one to the next.
    public func issues(of owner: String, _ name: String) -> Pages<NetworkResponse<[Issue]>> {
        client.pages(
            of: NetworkRequest<VoidRequest, [Issue]>(
                path: "repos/\(owner)/\(name)/issues?per_page=2", method: .get))
    }
}
