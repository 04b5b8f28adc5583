// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import StrataCore

/// Says who is asking (RFC 9110 §10.1.5). Place: anywhere.
public struct UserAgentMiddleware: NetworkMiddleware {
    package let userAgent: String
    /// Whether a field that the request has already is replaced. Default: yes.
    package let replacesExisting: Bool

    public init(_ userAgent: String, replacesExisting: Bool = true) {
        self.userAgent = userAgent
        self.replacesExisting = replacesExisting
    }

    /// `App/1.0 (Linux)`
    ///
    /// - `product`, `version`: each character that may not be in a token becomes a hyphen. An empty version is left out.
    /// - `comment`: is put in parentheses; parentheses in it are escaped. Default: the name of the platform. `nil` for
    ///   none.
    public init(
        product: String, version: String, comment: String? = Self.platform, replacesExisting: Bool = true
    ) {
        var userAgent = Self.token(product)
        if !version.isEmpty { userAgent += "/" + Self.token(version) }
        if let comment { userAgent += " (\(Self.escaped(comment)))" }
        self.init(userAgent, replacesExisting: replacesExisting)
    }

    @_documentation(visibility: internal)
    public var placement: MiddlewarePlacement { MiddlewarePlacement(role: .decoration) }

    @_documentation(visibility: internal)
    public func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        try await next(request.setting(.userAgent, to: userAgent, replacing: replacesExisting))
    }

    /// RFC 9110 §5.6.2.
    private static func token(_ text: String) -> String {
        String(
            text.unicodeScalars.map { scalar -> Character in
                scalar.isASCII && UInt8(scalar.value).isTokenCharacter ? Character(scalar) : "-"
            })
    }

    /// RFC 9110 §5.6.5. By scalars: a parenthesis with a combining mark behind it is one, too.
    private static func escaped(_ comment: String) -> String {
        var escaped = ""
        for scalar in comment.unicodeScalars {
            if scalar == "(" || scalar == ")" || scalar == "\\" { escaped.unicodeScalars.append("\\") }
            escaped.unicodeScalars.append(scalar)
        }
        return escaped
    }

    /// The platform's name: `Linux`, `macOS` …; `unknown` for one that this version does not know.
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
}
