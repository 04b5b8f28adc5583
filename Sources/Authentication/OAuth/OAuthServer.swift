// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StrataCore
import StrataMiddleware

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An authorization server: where it is asked for what, as it says itself (RFC 8414) or as you know.
///
///     let server = try await OAuthServer.discover(for: response, to: url, client: client)
///
/// What is discovered comes over TLS, and names endpoints with TLS; this machine is exempt.
public struct OAuthServer: Hashable, Sendable {
    /// A URL without query and fragment, as it is compared.
    public var issuer: String
    public var tokenEndpoint: URL
    /// Where a person's browser is sent; `nil` when the server has no such endpoint.
    public var authorizationEndpoint: URL?
    /// Where a device gets its code (RFC 8628); `nil` when the server has no such endpoint.
    public var deviceAuthorizationEndpoint: URL?
    /// Whether every answer to a browser names the issuer (RFC 9207), so that one without it is refused.
    var namesIssuer = false

    public init(
        issuer: String, tokenEndpoint: URL, authorizationEndpoint: URL? = nil, deviceAuthorizationEndpoint: URL? = nil
    ) {
        self.issuer = issuer
        self.tokenEndpoint = tokenEndpoint
        self.authorizationEndpoint = authorizationEndpoint
        self.deviceAuthorizationEndpoint = deviceAuthorizationEndpoint
    }

    /// Asks an authorization server, by RFC 8414 and, where that finds nothing, by OpenID Connect Discovery.
    ///
    /// - Throws: ``OAuthError`` with the code `invalid_metadata`, also when the metadata is that of another issuer (§3.3); what the
    ///   client throws.
    public static func discover(issuer: URL, client: any NetworkClientProtocol) async throws -> OAuthServer {
        try await discover(issuer: issuer.absoluteString, client)
    }

    /// Finds the authorization server of a resource that has refused a request: its challenge names the resource's metadata (RFC
    /// 9728 §5.1), and these the server.
    ///
    /// The metadata have to be those of `url`, or of a resource above it at the same origin.
    ///
    /// - Throws: as ``discover(issuer:client:)``.
    public static func discover(
        for response: HTTPResponse, to url: URL, client: any NetworkClientProtocol
    ) async throws -> OAuthServer {
        guard let place = response.headerFields.challenges.lazy.compactMap({ $0.parameters["resource_metadata"] }).first
        else { throw OAuthError(invalidMetadata: "no challenge names the metadata of the resource") }
        guard let resource: ResourceMetadata = try await client.metadata(at: RequestURL(place)) else {
            throw OAuthError(invalidMetadata: "the resource has no metadata where its challenge says")
        }
        guard isResource(resource.resource, above: url) else {
            throw OAuthError(invalidMetadata: "the metadata are those of another resource")
        }
        guard let issuer = resource.servers?.first else {
            throw OAuthError(invalidMetadata: "the resource names no authorization server")
        }
        return try await discover(issuer: issuer, client)
    }

    private static func discover(issuer: String, _ client: any NetworkClientProtocol) async throws -> OAuthServer {
        let base = try RequestURL(issuer)
        var path = base.path[...]
        while path.hasSuffix("/") { path.removeLast() }
        for place in [
            "/.well-known/oauth-authorization-server\(path)", "\(path)/.well-known/openid-configuration",
        ] {
            var url = base
            (url.path, url.query) = (place, nil)
            guard let metadata: ServerMetadata = try await client.metadata(at: url) else { continue }
            guard metadata.issuer == issuer else {
                throw OAuthError(invalidMetadata: "the metadata are those of another issuer")
            }
            return try OAuthServer(metadata)
        }
        throw OAuthError(invalidMetadata: "the authorization server has no metadata")
    }

    private init(_ metadata: ServerMetadata) throws {
        func endpoint(_ text: String?) throws -> URL? {
            try text.map { text in
                guard let url = URL(string: text), Origin(url)?.isInClear == false else {
                    throw OAuthError(invalidMetadata: "an endpoint is no https URL")
                }
                return url
            }
        }
        guard let token = try endpoint(metadata.tokenEndpoint) else {
            throw OAuthError(invalidMetadata: "there is no token endpoint")
        }
        self.init(
            issuer: metadata.issuer, tokenEndpoint: token,
            authorizationEndpoint: try endpoint(metadata.authorizationEndpoint),
            deviceAuthorizationEndpoint: try endpoint(metadata.deviceAuthorizationEndpoint))
        namesIssuer = metadata.namesIssuer ?? false
    }

    private static func isResource(_ resource: String, above url: URL) -> Bool {
        guard let resource = try? RequestURL(resource), let url = try? RequestURL(url.absoluteString),
            let origin = Origin(scheme: resource.scheme, authority: resource.authority),
            origin == Origin(scheme: url.scheme, authority: url.authority)
        else { return false }
        let path = resource.path.hasSuffix("/") ? String(resource.path.dropLast()) : resource.path
        return url.path == path || url.path.hasPrefix(path + "/")
    }

    /// RFC 8414 §2.
    private struct ServerMetadata: Decodable {
        let issuer: String
        let authorizationEndpoint: String?
        let tokenEndpoint: String?
        let deviceAuthorizationEndpoint: String?
        let namesIssuer: Bool?

        enum CodingKeys: String, CodingKey {
            case issuer
            case authorizationEndpoint = "authorization_endpoint"
            case tokenEndpoint = "token_endpoint"
            case deviceAuthorizationEndpoint = "device_authorization_endpoint"
            case namesIssuer = "authorization_response_iss_parameter_supported"
        }
    }

    /// RFC 9728 §2.
    private struct ResourceMetadata: Decodable {
        let resource: String
        let servers: [String]?

        enum CodingKeys: String, CodingKey {
            case resource
            case servers = "authorization_servers"
        }
    }
}

extension OAuthError {
    init(invalidMetadata message: String) {
        self.init(code: "invalid_metadata", finding: message)
    }
}

extension NetworkClientProtocol {
    /// - Returns: `nil` when there is nothing there.
    fileprivate func metadata<Metadata: Decodable>(at url: RequestURL) async throws -> Metadata? {
        guard Origin(scheme: url.scheme, authority: url.authority)?.isInClear == false else {
            throw OAuthError(invalidMetadata: "the metadata are not at an https URL")
        }
        var options = RequestOptions()
        options.isAuthenticationExempt = true
        options.redirects = .manual
        options.timeouts = OAuthTokenEndpoint.usualTimeouts
        let request = TransportRequest(
            method: .get, url: url, headerFields: [.accept: "application/json"], body: .empty, options: options)
        let (status, body) = try await oauthAnswer(to: request)
        guard status == .ok else { return nil }
        guard let metadata = try? JSONDecoder().decodeReceived(Metadata.self, from: body) else {
            throw OAuthError(invalidMetadata: "the metadata cannot be read")
        }
        return metadata
    }

    /// The status and the body of an answer, whatever its status.
    func oauthAnswer(to request: TransportRequest) async throws -> (HTTPResponse.Status, Data) {
        do {
            let response = try await execute(request)
            let status = response.head.status
            guard status.kind == .successful else {
                // What a refusal says is worth no long wait.
                let start = await response.body.start(upTo: NetworkClientError.bodyLimit, clock: response.call?.clock)
                try Task.checkCancellation()
                return (status, start)
            }
            return (status, try await response.body.collect(upTo: 1024 * 1024))
        } catch let error as NetworkClientError where error.code == .unacceptableStatus {
            // The client has a layer that turns statuses into errors.
            guard let response = error.response, let body = error.body else { throw error }
            return (response.status, body)
        }
    }
}
