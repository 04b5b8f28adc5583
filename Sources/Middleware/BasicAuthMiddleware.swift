// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Sends a user name and a password with each request (RFC 7617), in UTF-8, without waiting to be asked.
///
/// Their bytes are sent unchanged. To send them in Normalization Form C (§2.1), call Foundation's
/// `precomposedStringWithCanonicalMapping` on them.
///
/// They go to the origins that they are bound to and nowhere else, and replace an `Authorization` that the request has.
/// Place: inside redirects and retries.
///
/// - Throws: `NetworkClientError.Code.invalidRequest` for a user name with a colon, and control characters.
public struct BasicAuthMiddleware: NetworkMiddleware {
    public typealias Credentials = (username: String, password: String)

    package let origins: OriginPolicy
    /// The token of this store is the value of the whole field.
    private let store: CredentialStore

    public init(username: String, password: String, origins: OriginPolicy = .baseURL) {
        self.origins = origins
        do {
            store = CredentialStore(token: try Self.fieldValue(username: username, password: password))
        } catch {
            // Each call throws the error.
            store = CredentialStore(provider: { throw error })
        }
    }

    /// - `credentials`: called for each request. When it returns `nil`, the request passes unchanged. A call waits for
    ///   it until its deadline at most; cancelling the call cancels it. Requests that it sends itself are sent without
    ///   credentials.
    public init(
        origins: OriginPolicy = .baseURL, credentials: @escaping @Sendable () async throws -> Credentials?
    ) {
        self.origins = origins
        store = CredentialStore(provider: {
            guard let (username, password) = try await credentials() else { return nil }
            return try Self.fieldValue(username: username, password: password)
        })
    }

    @_documentation(visibility: internal)
    public var placement: MiddlewarePlacement { .authentication(repeatsRequests: false) }

    @_documentation(visibility: internal)
    public func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        guard try !store.isRenewingInThisTask && origins.allows(request, for: "BasicAuthMiddleware") else {
            return try await next(request)
        }
        let call = request.callOrNew
        guard let value = try await store.current(for: call).credential?.token else { return try await next(request) }
        return try await next(request.setting(.authorization, to: value))
    }

    package static func fieldValue(username: String, password: String) throws -> String {
        func hasControl(_ text: String) -> Bool { text.unicodeScalars.contains(where: \.isControl) }
        guard !username.utf8.contains(UInt8(ascii: ":")), !hasControl(username), !hasControl(password) else {
            throw NetworkClientError(
                .invalidRequest,
                "a user name for Basic authentication must not have a colon, nor it or the password a control character"
            )
        }
        return "Basic \(Data("\(username):\(password)".utf8).base64EncodedString())"
    }
}
