// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataMiddleware

/// What a client shows for a token (RFC 6749 §1.3).
public struct OAuthGrant: Sendable {
    let items: Hidden<[URLFormItem]>
    /// Names of items that count as secrets, whatever they sound like.
    let secretNames: Set<String>

    /// An extension grant (§4.5), such as token exchange (RFC 8693) or an assertion (RFC 7521).
    ///
    ///     OAuthGrant(
    ///         type: "urn:ietf:params:oauth:grant-type:token-exchange",
    ///         parameters: ["subject_token": token, "audience": "https://api.example"])
    ///
    /// - `type`: the value of `grant_type`.
    /// - `parameters`: what else the body has; all of it counts as secret.
    public init(type: String, parameters: [String: String?]) {
        // No parameter may be sent twice (§3.2).
        let parameters = parameters.filter { $0.key != "grant_type" }
        self.init(type, parameters, secretNames: Set(parameters.keys))
    }

    private init(_ type: String, _ items: [String: String?], secretNames: Set<String> = []) {
        self.items = Hidden(
            [URLFormItem(name: "grant_type", value: type)]
                + items.sorted { $0.key < $1.key }.map { URLFormItem(name: $0.key, value: $0.value) })
        self.secretNames = secretNames
    }

    /// The refresh token of this grant, which stays valid when the server sends no new one.
    var refreshToken: String? { items.value.first { $0.name == "refresh_token" }?.value }

    /// The client's own credentials (§4.4).
    public static func clientCredentials(scope: String? = nil) -> OAuthGrant {
        OAuthGrant("client_credentials", ["scope": scope])
    }

    /// §6.
    public static func refreshToken(_ token: String, scope: String? = nil) -> OAuthGrant {
        OAuthGrant("refresh_token", ["refresh_token": token, "scope": scope])
    }

    /// A device's code (RFC 8628 §3.4). While nobody has confirmed it the endpoint throws an ``OAuthError`` with the code
    /// `authorization_pending`, or `slow_down` when it is asked too often.
    public static func deviceCode(_ code: String) -> OAuthGrant {
        OAuthGrant("urn:ietf:params:oauth:grant-type:device_code", ["device_code": code])
    }

    /// §4.1.3, with the verifier of RFC 7636 §4.5.
    public static func authorizationCode(
        _ code: String, redirectURI: String? = nil, proofKey: ProofKey? = nil
    ) -> OAuthGrant {
        OAuthGrant(
            "authorization_code",
            ["code": code, "redirect_uri": redirectURI, "code_verifier": proofKey?.verifier])
    }
}
