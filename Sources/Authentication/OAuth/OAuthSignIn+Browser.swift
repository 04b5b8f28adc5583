// SPDX-License-Identifier: Apache-2.0

import StrataCore
public import StrataMiddleware

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension OAuthSignIn {
    /// Signs in by the browser on this machine, which comes back to a port of 127.0.0.1 (RFC 8252 §7.3), with a proof key (RFC 7636).
    ///
    /// Anything else that comes to the port, and any answer without this sign-in's `state`, is refused and waited on.
    ///
    /// - Parameters:
    ///   - path: of the redirect URI, where the server wants a certain one.
    ///   - limit: how long the person may take.
    ///   - open: shows a URL in the browser; or prints it, for a person to open.
    /// - Throws: ``OAuthError``: `access_denied` …, `expired_token` when the limit passes; what the client and `open` throw; a
    ///   `POSIXError` when there is no port.
    public func byBrowser(
        path: String = "/callback", within limit: Duration = .seconds(300),
        _ open: @Sendable (URL) async throws -> Void
    ) async throws -> Credential {
        let listener = try LoopbackListener()
        defer { listener.close() }
        let redirect = "http://127.0.0.1:\(listener.port)\(path)"
        let (proof, state) = (ProofKey(), ProofKey().verifier)
        try await open(try authorizationURL(redirect: redirect, state: state, proof: proof))
        let expected = AuthorizationAnswer.Expected(path: path, state: state, server: server)
        let clock = SystemClock()
        let end = clock.now + limit
        while clock.now < end {
            if let answer = listener.turn({ AuthorizationAnswer($0, expected) }) {
                switch answer.outcome {
                case .code(let code):
                    let grant = OAuthGrant.authorizationCode(code, redirectURI: redirect, proofKey: proof)
                    return try await tokenEndpoint.credential(for: grant)
                case .refused(let error): throw error
                case .ignored: break
                }
            }
            // A person is slow, and a thread that waits for the socket would be one more.
            try await clock.sleep(for: .milliseconds(20))
        }
        throw OAuthError(code: "expired_token", finding: "the browser did not come back in time")
    }

    func authorizationURL(redirect: String, state: String, proof: ProofKey) throws -> URL {
        guard let endpoint = server.authorizationEndpoint else {
            throw OAuthError(invalidMetadata: "the server has no endpoint for browsers")
        }
        let items = [
            ("response_type", "code"), ("client_id", clientID), ("redirect_uri", redirect), ("scope", scope),
            ("state", state), ("code_challenge", proof.challenge), ("code_challenge_method", proof.method),
        ].compactMap { name, value in value.map { URLQueryItem(name: name, value: $0) } }
        let text = try RequestURL(base: try RequestURL(endpoint.absoluteString), path: nil, items: items).text
        guard let url = URL(string: text) else {
            throw OAuthError(invalidMetadata: "the endpoint for browsers is no URL")
        }
        return url
    }
}

/// What a browser brings back (RFC 6749 §4.1.2).
struct AuthorizationAnswer {
    /// By what an answer is known to be that of this sign-in.
    struct Expected {
        let path: String
        let state: String
        let server: OAuthServer
    }

    enum Outcome {
        case code(String)
        case refused(OAuthError)
        /// Not the answer: the icon of the page, or somebody else.
        case ignored
    }

    let outcome: Outcome

    /// - Parameter head: of the browser's request, up to the empty line.
    init(_ head: String, _ expected: Expected) {
        outcome = Self.outcome(of: head, expected)
    }

    private static func outcome(of head: String, _ expected: Expected) -> Outcome {
        let words = head.prefix { $0 != "\r\n" && $0 != "\n" }.split(separator: " ")
        guard words.count == 3, words[0] == "GET" else { return .ignored }
        let parts = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts[0] == expected.path, parts.count == 2 else { return .ignored }
        var items: [String: String] = [:]
        for item in parts[1].split(separator: "&") {
            let halves = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let texts = halves.map { PercentEncoding.decodedText($0.utf8, plusIsSpace: true) }
            // No parameter may be there twice (§3.1).
            guard items.updateValue(texts.count == 2 ? texts[1] : "", forKey: texts[0]) == nil else { return .ignored }
        }
        guard items["state"] == expected.state else { return .ignored }
        // RFC 9207 §2.4: another server's answer.
        let issuer = items["iss"]
        guard issuer == nil ? !expected.server.namesIssuer : issuer == expected.server.issuer else {
            return .refused(
                OAuthError(code: "invalid_response", finding: "the answer is of another issuer"))
        }
        if let error = items["error"] {
            return .refused(
                OAuthError(code: OAuthError.checked(error), message: items["error_description"], status: nil))
        }
        guard let code = items["code"], !code.isEmpty else {
            return .refused(OAuthError(code: "invalid_response", finding: "the answer has no code"))
        }
        return .code(code)
    }

    /// What the person sees.
    var page: String {
        let (status, text) =
            switch outcome {
            case .code: ("200 OK", "You are signed in. This page can be closed.")
            case .refused: ("200 OK", "Signing in has failed. This page can be closed.")
            case .ignored: ("404 Not Found", "There is nothing here.")
            }
        let body = "<!doctype html><meta charset=utf-8><title>Sign-in</title><p>\(text)</p>"
        let fields = [
            "HTTP/1.1 \(status)", "Content-Type: text/html; charset=utf-8", "Content-Length: \(body.utf8.count)",
            "Cache-Control: no-store", "Referrer-Policy: no-referrer", "Connection: close",
        ]
        return fields.joined(separator: "\r\n") + "\r\n\r\n" + body
    }
}
