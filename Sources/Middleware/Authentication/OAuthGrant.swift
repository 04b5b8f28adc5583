// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// What a client shows for a token (RFC 6749 §1.3).
public struct OAuthGrant: Sendable {
    let items: Secret<[URLFormItem]>
    let refreshToken: Secret<String>?

    private init(_ type: String, refreshToken: String? = nil, _ items: [String: String?]) {
        self.refreshToken = refreshToken.map { Secret($0) }
        self.items = Secret(
            [URLFormItem(name: "grant_type", value: type)]
                + items.sorted { $0.key < $1.key }.map { URLFormItem(name: $0.key, value: $0.value) })
    }

    /// The client's own credentials (§4.4).
    public static func clientCredentials(scope: String? = nil) -> OAuthGrant {
        OAuthGrant("client_credentials", ["scope": scope])
    }

    /// §6.
    public static func refreshToken(_ token: String, scope: String? = nil) -> OAuthGrant {
        OAuthGrant("refresh_token", refreshToken: token, ["refresh_token": token, "scope": scope])
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
