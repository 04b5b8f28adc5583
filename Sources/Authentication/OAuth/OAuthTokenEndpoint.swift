// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import StrataCore
public import StrataMiddleware

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The token endpoint of an OAuth 2 authorization server (RFC 6749 §3.2): gives credentials for grants.
///
///     let endpoint = OAuthTokenEndpoint(url: tokenURL, clientID: "app", clientSecret: secret, client: client)
///     let store = CredentialStore(renewAhead: .seconds(60), source: endpoint.clientCredentials(scope: "read"))
///
/// Its requests are exempt from authentication, follow no redirect (which would carry secrets along), and are given 30 seconds.
/// It may share the client that its credentials are for.
public struct OAuthTokenEndpoint: Sendable {
    /// How the client proves who it is (RFC 6749 §2.3.1).
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum ClientAuthentication: Hashable, Sendable {
        /// By Basic authentication, which every server understands.
        case basic
        /// In the body of the request.
        case body
    }

    private let url: URL
    private let clientID: String
    private let clientSecret: Hidden<String>?
    private let clientAuthentication: ClientAuthentication
    private let client: any NetworkClientProtocol
    /// The limits on a request for a token.
    public var timeouts = usualTimeouts

    static let usualTimeouts = Timeouts(
        connect: .seconds(10), idle: .seconds(30), attempt: .seconds(30), deadline: .seconds(30))

    /// - `clientSecret`: `nil` for a public client, which is named in the body.
    public init(
        url: URL, clientID: String, clientSecret: String? = nil, authentication: ClientAuthentication = .basic,
        client: any NetworkClientProtocol
    ) {
        self.url = url
        self.clientID = clientID
        self.clientSecret = clientSecret.map { Hidden($0) }
        clientAuthentication = authentication
        self.client = client
    }

    /// Exchanges a grant for a credential.
    ///
    /// - Throws: ``OAuthError`` when the server refuses or answers with something else; what the client throws.
    public func credential(for grant: OAuthGrant) async throws -> Credential {
        let (status, body) = try await post(grant.items.value, to: url, secretNames: grant.secretNames)
        guard status.kind == .successful, let answer = try? JSONDecoder().decodeReceived(Answer.self, from: body),
            !answer.accessToken.isEmpty, answer.tokenType.map({ $0.lowercased() == "bearer" }) ?? true
        else {
            // Some servers refuse with the status 200.
            throw OAuthError(try? JSONDecoder().decodeReceived(OAuthError.Answer.self, from: body), status: status)
        }
        let now = client.configuration.clock.date
        return Credential(
            token: answer.accessToken, expiry: answer.lifetime.map { now.addingTimeInterval($0) },
            refreshToken: answer.refreshToken ?? grant.refreshToken)
    }

    /// A source that asks anew each time (RFC 6749 §4.4).
    public func clientCredentials(scope: String? = nil) -> any CredentialSource {
        ClosureCredentialSource { _ in try await credential(for: .clientCredentials(scope: scope)) }
    }

    /// A source that uses the refresh token of the credential before (RFC 6749 §6).
    ///
    /// - Throws, when there is none: `NetworkClientError` with the code `signedOut`.
    public func refreshToken(scope: String? = nil) -> any CredentialSource {
        ClosureCredentialSource { previous in
            guard let token = previous?.refreshToken else {
                throw NetworkClientError(.signedOut, "nobody is signed in: there is no refresh token")
            }
            return try await credential(for: .refreshToken(token, scope: scope))
        }
    }

    /// Sends a form, with the client's credentials.
    func post(
        _ items: [URLFormItem], to url: URL, secretNames: Set<String> = []
    ) async throws -> (HTTPResponse.Status, Data) {
        try await client.oauthAnswer(to: try makeRequest(items, to: url, secretNames: secretNames))
    }

    private func makeRequest(
        _ items: [URLFormItem], to url: URL, secretNames: Set<String>
    ) throws -> TransportRequest {
        var items = items
        var fields: HTTPFields = [
            .accept: "application/json", .contentType: EncodedBody.formType, .cacheControl: "no-store",
        ]
        if let clientSecret, clientAuthentication == .basic {
            // §2.3.1: both are form-encoded before they are joined.
            var pair: [UInt8] = []
            PercentEncoding.appendFormEncoded(clientID, to: &pair)
            pair.append(UInt8(ascii: ":"))
            PercentEncoding.appendFormEncoded(clientSecret.value, to: &pair)
            fields[.authorization] = "Basic \(Data(pair).base64EncodedString())"
        } else {
            // No parameter may be sent twice (§3.2).
            let given = Set(items.filter { $0.value != nil }.map(\.name))
            items += [
                URLFormItem(name: "client_id", value: clientID),
                URLFormItem(name: "client_secret", value: clientSecret?.value),
            ].filter { !given.contains($0.name) }
        }
        var options = RequestOptions()
        options.isAuthenticationExempt = true
        options.sensitiveQueryItems = secretNames
        options.redirects = .manual
        options.timeouts = timeouts
        return try TransportRequest(
            method: .post, url: url, headerFields: fields, body: .data(Data(items.urlEncoded)), options: options)
    }

    /// RFC 6749 §5.1.
    private struct Answer: Decodable {
        let accessToken: String
        let tokenType: String?
        let refreshToken: String?
        /// Seconds. Some servers send the number as text.
        let lifetime: Double?

        enum CodingKeys: String, CodingKey {
            case accessToken = "access_token"
            case tokenType = "token_type"
            case refreshToken = "refresh_token"
            case lifetime = "expires_in"
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            accessToken = try container.decode(String.self, forKey: .accessToken)
            tokenType = try container.decodeIfPresent(String.self, forKey: .tokenType)
            refreshToken = try container.decodeIfPresent(String.self, forKey: .refreshToken)
            let number = (try? container.decodeIfPresent(Double.self, forKey: .lifetime)) ?? nil
            let text = (try? container.decodeIfPresent(String.self, forKey: .lifetime)) ?? nil
            lifetime = (number ?? text.flatMap { Double($0) }).flatMap { $0.isFinite && $0 >= 0 ? min($0, 1e10) : nil }
        }
    }
}

extension OAuthTokenEndpoint: DumpedAsDescription {
    /// The URL without user information and query.
    public var description: String {
        "OAuthTokenEndpoint(\(URLReference(url.absoluteString).textWithoutSecrets))"
    }
}
