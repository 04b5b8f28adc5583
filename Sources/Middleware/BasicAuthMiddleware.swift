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
/// They go to the origins that they are bound to and nowhere else, in place of an `Authorization` that the request has. Place:
/// inside redirects and retries.
///
/// - Throws: `NetworkClientError.Code.invalidRequest` for a user name with a colon, and control characters.
public struct BasicAuthMiddleware: NetworkMiddleware {
    public typealias Credentials = (username: String, password: String)

    public let origins: OriginPolicy
    private let provider: @Sendable () async throws -> Credentials?

    public init(username: String, password: String, origins: OriginPolicy = .baseURL) {
        self.init(origins: origins) { (username, password) }
    }

    /// - `credentials`: asked for each time; without any, the request passes unchanged.
    public init(
        origins: OriginPolicy = .baseURL, credentials: @escaping @Sendable () async throws -> Credentials?
    ) {
        self.origins = origins
        provider = credentials
    }

    public var placement: MiddlewarePlacement { .authentication }

    public func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        guard try origins.allows(request, for: "BasicAuthMiddleware"), let credentials = try await provider() else {
            return try await next(request)
        }
        let value = try Self.fieldValue(username: credentials.username, password: credentials.password)
        return try await next(request.setting(.authorization, to: value))
    }

    static func fieldValue(username: String, password: String) throws -> String {
        func hasControl(_ text: String) -> Bool {
            text.unicodeScalars.contains { $0.value < 0x20 || 0x7f...0x9f ~= $0.value }
        }
        guard !username.utf8.contains(UInt8(ascii: ":")), !hasControl(username), !hasControl(password) else {
            throw NetworkClientError(
                .invalidRequest,
                "a user name for Basic authentication must not have a colon, nor it or the password a control character"
            )
        }
        return "Basic \(Data("\(username):\(password)".utf8).base64EncodedString())"
    }
}
