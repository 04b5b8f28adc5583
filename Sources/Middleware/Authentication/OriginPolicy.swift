// SPDX-License-Identifier: Apache-2.0

public import StrataCore

/// Which servers get to see a credential. Any other gets the request without it: after a redirect, or when the caller
/// gives a complete URL.
public struct OriginPolicy: Hashable, Sendable {
    private let origins: Set<Origin>?
    private var requiresTLS = false

    /// The origin of the client's `NetworkConfiguration.baseURL`.
    ///
    /// A client without one fails its calls with `NetworkClientError.Code.invalidRequest`: name the origins
    /// then.
    public static let baseURL = OriginPolicy(origins: nil)

    public static func origins(_ origins: Origin...) -> OriginPolicy { OriginPolicy(origins: Set(origins)) }

    public static func origins(_ origins: Set<Origin>) -> OriginPolicy { OriginPolicy(origins: origins) }

    private init(origins: Set<Origin>?) { self.origins = origins }

    /// The same servers, but over `https` alone: a request over `http` that would get the credential fails with
    /// `NetworkClientError.Code.invalidRequest`. `localhost` and loopback addresses are exempt.
    public var requiringTLS: OriginPolicy {
        var policy = self
        policy.requiresTLS = true
        return policy
    }

    /// - Throws: `NetworkClientError.Code.invalidRequest` when there is no base URL to be bound to, or a malformed one;
    ///   when the credential would go out in clear, and must not.
    package func allows(_ request: TransportRequest, for middleware: String) throws -> Bool {
        guard try names(request, for: middleware) else { return false }
        if requiresTLS, request.origin?.isInClear == true {
            throw NetworkClientError(.invalidRequest, "\(middleware) must not send its credential without TLS")
        }
        return true
    }

    private func names(_ request: TransportRequest, for middleware: String) throws -> Bool {
        if request.options.isAuthenticationExempt { return false }
        if let origins { return request.origin.map(origins.contains) == true }
        guard let call = request.call, call.hasBaseURL else {
            throw NetworkClientError(
                .invalidRequest,
                "\(middleware) does not know where its credential may go: give the client a base URL, or name the origins"
            )
        }
        return call.destination(of: request) == .home
    }
}
