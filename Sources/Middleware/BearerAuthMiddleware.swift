// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import StrataCore

/// Signs requests with a bearer token (RFC 6750), and once more with a fresh one when the server refuses it.
///
///     configuration.middleware = [RetryMiddleware(), BearerAuthMiddleware(store)]
///     configuration.middleware = [BearerAuthMiddleware(token: "…")]
///
/// The token goes to the origins that it is bound to and nowhere else. It replaces an `Authorization` that the request
/// has. A request passes unchanged when there is no token, when it is `RequestOptions.isAuthenticationExempt`, and when
/// the store sends it to renew the token.
///
/// After a 401 the token is renewed, and the request is sent once more. The 401 is handed up when its challenge names
/// another error than `invalid_token`, when the body cannot be sent again, when there is no other token, and when the
/// second attempt gets a 401 too. The error of a failed renewal is thrown as it is. While a provider is asked, the body of the
/// 401 is kept in memory; of one of 64 KiB or more nothing is, and if there is no other token the call fails with `unacceptableStatus`.
///
/// A resource that refuses a fresh token does not want another one: for a minute its 401 is handed up without a renewal,
/// unless ``CredentialStore/replace(with:)`` is called meanwhile. The pipeline's report, and the record of a call, tell
/// when the token goes over plain `http`; ``OriginPolicy/requiringTLS`` refuses that.
///
/// Place: inside redirects and retries.
public struct BearerAuthMiddleware: NetworkMiddleware {
    package let store: CredentialStore
    package let origins: OriginPolicy

    public init(_ store: CredentialStore, origins: OriginPolicy = .baseURL) {
        self.store = store
        self.origins = origins
    }

    /// A token that stays as it is.
    public init(token: String, origins: OriginPolicy = .baseURL) {
        self.init(CredentialStore(token: token), origins: origins)
    }

    /// A token that is asked for each time.
    public init(
        origins: OriginPolicy = .baseURL, tokenProvider: @escaping @Sendable () async throws -> String?
    ) {
        self.init(CredentialStore(provider: tokenProvider), origins: origins)
    }

    @_documentation(visibility: internal)
    public var placement: MiddlewarePlacement { .authentication(repeatsRequests: store.canRenew) }

    @_documentation(visibility: internal)
    public func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        guard try !store.isRenewingInThisTask && origins.allows(request, for: "BearerAuthMiddleware") else {
            return try await next(request)
        }
        let call = request.callOrNew
        let snapshot = try await store.current(for: call)
        guard let credential = snapshot.credential, !credential.token.isEmpty else { return try await next(request) }
        var response = try await next(signed(request, with: credential))
        guard isRefusal(response) else {
            store.noteAcceptance { request.head.urlWithoutQuery }
            return response
        }
        let resource = request.head.urlWithoutQuery
        guard store.mayRenew(for: resource, by: call.clock) else { return response }

        store.refuse(snapshot)
        guard request.body.isReplayable else { return response }
        let fresh: Credential?
        if store.renewsBySource {
            // If there is no token afterwards, because the user has logged out meanwhile, the request is sent without
            // one.
            await response.body.discard()
            fresh = try await store.renewed(after: snapshot, for: call)?.credential
        } else {
            // A provider may send requests by the same client: they would wait for the slot that an unread body holds.
            let body = await response.body.whole(upTo: NetworkClientError.bodyLimit)
            fresh = try await store.renewed(after: snapshot, for: call)?.credential
            guard fresh != nil else {
                guard let body else { throw Self.lost(response) }
                response.body = body
                return response
            }
        }
        call.nextAttempt(.refresh)
        let second = try await next(signed(request, with: fresh))
        if isRefusal(second) { store.noteVainRenewal(for: resource, by: call.clock) }
        return second
    }

    /// The refusal when there is no other token, and its body was too long to be kept until then.
    private static func lost(_ response: TransportResponse) -> NetworkClientError {
        response.attached(to: NetworkClientError(.unacceptableStatus, response.statusMessage))
    }

    /// Whether another token may help.
    private func isRefusal(_ response: TransportResponse) -> Bool {
        response.head.status == .unauthorized && Self.asksForAnotherToken(response.head) && store.canRenew
    }

    private func signed(_ request: TransportRequest, with credential: Credential?) throws -> TransportRequest {
        guard let token = credential?.token, !token.isEmpty else { return request }
        return try request.setting(.authorization, to: "Bearer \(token)")
    }

    /// With the other errors of RFC 6750 §3.1, a new token would be refused too.
    private static func asksForAnotherToken(_ response: HTTPResponse) -> Bool {
        response.headerFields.challenges.allSatisfy { challenge in
            !challenge.isScheme("Bearer") || challenge.error == nil || challenge.error == "invalid_token"
        }
    }
}
