// SPDX-License-Identifier: Apache-2.0

public import StrataCore
public import StrataMiddleware

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Signs a person in at an authorization server, from a program that is none on a server: a tool in a terminal, a device, an
/// app on a desktop.
///
///     let signIn = OAuthSignIn(server: server, clientID: "app", scope: "read", client: client)
///     let credential = try await signIn.byDevice { print("Go to \($0.url) and enter \($0.userCode)") }
///     let store = CredentialStore(storage: FileTokenStore(file), source: signIn.tokenEndpoint.refreshToken())
///     try await store.replace(with: credential)
public struct OAuthSignIn: Sendable {
    public let server: OAuthServer
    /// For the renewals after the sign-in.
    public let tokenEndpoint: OAuthTokenEndpoint
    let clientID: String
    let scope: String?
    private let clock: any NetworkClock

    /// - `clientSecret`: `nil` for a public client, which programs on people's machines are (RFC 8252 §8.4).
    public init(
        server: OAuthServer, clientID: String, clientSecret: String? = nil, scope: String? = nil,
        client: any NetworkClientProtocol
    ) {
        self.server = server
        self.clientID = clientID
        self.scope = scope
        clock = client.configuration.clock
        tokenEndpoint = OAuthTokenEndpoint(
            url: server.tokenEndpoint, clientID: clientID, clientSecret: clientSecret, client: client)
    }

    /// What a person is told: on any other device, this code is entered at this URL.
    public struct DevicePrompt: Sendable {
        public let userCode: String
        public let url: URL
        /// The URL with the code in it, for a QR code or a link.
        public let completeURL: URL?
        public let expiry: Date
    }

    /// Signs in by a code that a person enters in a browser on any device (RFC 8628).
    ///
    /// - `show`: returns when the person has been told; the server is asked from then on, as often as it allows.
    /// - Throws: ``OAuthError``: `access_denied`, `expired_token` …; what the client and `show` throw.
    public func byDevice(
        _ show: @Sendable (DevicePrompt) async throws -> Void
    ) async throws -> Credential {
        guard let url = server.deviceAuthorizationEndpoint else {
            throw OAuthError(invalidMetadata: "the server has no endpoint for devices")
        }
        let (status, body) = try await tokenEndpoint.post([URLFormItem(name: "scope", value: scope)], to: url)
        guard status.kind == .successful, let answer = try? JSONDecoder().decodeReceived(DeviceAnswer.self, from: body),
            let page = URL(string: answer.url)
        else {
            throw OAuthError(try? JSONDecoder().decodeReceived(OAuthError.Answer.self, from: body), status: status)
        }
        let lifetime = Duration.seconds(answer.lifetime.clamped(to: 1...86_400))
        let end = clock.now + lifetime
        try await show(
            DevicePrompt(
                userCode: answer.userCode, url: page, completeURL: answer.completeURL.flatMap { URL(string: $0) },
                expiry: clock.date.addingTimeInterval(lifetime / .seconds(1))))
        return try await poll(answer, until: end)
    }

    private func poll(_ answer: DeviceAnswer, until end: Duration) async throws -> Credential {
        var interval = Duration.seconds((answer.interval ?? 5).clamped(to: 1...3600))
        while clock.now + interval < end {
            try await clock.sleep(for: interval)
            do {
                return try await tokenEndpoint.credential(for: .deviceCode(answer.deviceCode))
            } catch let error as OAuthError where error.code == "authorization_pending" {
            } catch let error as OAuthError where error.code == "slow_down" {
                interval += .seconds(5)
            } catch let error as NetworkClientError where error.isTransient {
                // §3.5: the server may be overloaded.
                interval = min(interval * 2, .seconds(60))
            }
        }
        throw OAuthError(code: "expired_token", finding: "nobody has entered the code in time")
    }

    /// RFC 8628 §3.2.
    private struct DeviceAnswer: Decodable {
        let deviceCode: String
        let userCode: String
        let url: String
        let completeURL: String?
        let lifetime: Double
        let interval: Double?

        enum CodingKeys: String, CodingKey {
            case deviceCode = "device_code"
            case userCode = "user_code"
            case url = "verification_uri"
            case completeURL = "verification_uri_complete"
            case lifetime = "expires_in"
            case interval
        }
    }
}

extension OAuthSignIn.DevicePrompt: DumpedAsDescription {
    /// Without the code, with which whoever reads it could be signed in for.
    public var description: String { "DevicePrompt(\(URLReference(url.absoluteString).textWithoutSecrets))" }
}

extension Double {
    fileprivate func clamped(to range: ClosedRange<Double>) -> Double {
        isNaN ? range.lowerBound : min(max(self, range.lowerBound), range.upperBound)
    }
}
