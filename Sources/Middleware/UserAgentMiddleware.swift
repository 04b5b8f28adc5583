// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import StrataCore

/// Says who is asking (RFC 9110 §10.1.5). Place: anywhere.
public struct UserAgentMiddleware: NetworkMiddleware {
    public let userAgent: String
    /// Whether a field that the request has already is replaced. Default: yes.
    public let replacesExisting: Bool

    public init(_ userAgent: String, replacesExisting: Bool = true) {
        self.userAgent = userAgent
        self.replacesExisting = replacesExisting
    }

    /// `App/1.0 (Linux)`
    ///
    /// - `comment`: stands in parentheses; by default the name of the platform, `nil` for none.
    public init(
        product: String, version: String, comment: String? = Self.platform, replacesExisting: Bool = true
    ) {
        self.init("\(product)/\(version)\(comment.map { " (\($0))" } ?? "")", replacesExisting: replacesExisting)
    }

    public static var platform: String {
        #if os(Linux)
        "Linux"
        #elseif os(macOS)
        "macOS"
        #elseif os(iOS)
        "iOS"
        #elseif os(tvOS)
        "tvOS"
        #elseif os(watchOS)
        "watchOS"
        #elseif os(visionOS)
        "visionOS"
        #elseif os(Android)
        "Android"
        #elseif os(Windows)
        "Windows"
        #else
        "unknown"
        #endif
    }

    public var placement: MiddlewarePlacement { MiddlewarePlacement(role: .decoration) }

    public func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        try await next(request.setting(.userAgent, to: userAgent, replacing: replacesExisting))
    }
}
