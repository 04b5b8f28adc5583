// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A field of a request. Names compare without case.
///
/// Name and value are checked when the request is sent: a name that is no token, and a value with a line break, are
/// errors.
public struct Header: Hashable, Sendable, CustomStringConvertible {
    public var name: String
    public var value: String

    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    public init(_ name: Name, _ value: String) {
        self.init(name.rawValue, value)
    }

    /// Name and value: not for logs.
    public var description: String { "\(name): \(value)" }

    @_documentation(visibility: internal)
    public static func == (left: Header, right: Header) -> Bool {
        left.value == right.value && left.name.lowercased() == right.name.lowercased()
    }

    @_documentation(visibility: internal)
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name.lowercased())
        hasher.combine(value)
    }
}

extension Header {
    /// The name of a field. Add your own as static members.
    public struct Name: RawRepresentable, Hashable, Sendable {
        public var rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }
        public init(_ rawValue: String) { self.rawValue = rawValue }

        public static let accept = Name("Accept")
        public static let acceptLanguage = Name("Accept-Language")
        public static let authorization = Name("Authorization")
        public static let cacheControl = Name("Cache-Control")
        public static let contentType = Name("Content-Type")
        public static let userAgent = Name("User-Agent")
    }

    /// A media type. Add your own as static members.
    public struct ContentType: RawRepresentable, Hashable, Sendable {
        public var rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }
        public init(_ rawValue: String) { self.rawValue = rawValue }

        public static let applicationJSON = ContentType("application/json")
        public static let textPlain = ContentType("text/plain")
    }

    /// A scheme of the `Authorization` field.
    public struct AuthorizationType: RawRepresentable, Hashable, Sendable {
        public var rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }
        public init(_ rawValue: String) { self.rawValue = rawValue }

        public static let basic = AuthorizationType("Basic")
        public static let bearer = AuthorizationType("Bearer")
        public static let digest = AuthorizationType("Digest")
    }

    /// What goes into the `Authorization` field, encoded as its scheme wants it.
    public struct Credentials: Hashable, Sendable {
        fileprivate let value: String

        /// RFC 7617: UTF-8 in base64. The user name must not hold a colon; what follows one is read as the password.
        public static func basic(username: String, password: String) -> Credentials {
            Credentials(value: "Basic \(Data("\(username):\(password)".utf8).base64EncodedString())")
        }

        /// RFC 6750.
        public static func bearer(_ token: String) -> Credentials { Credentials(value: "Bearer \(token)") }
    }
}

extension Header {
    public static func accept(_ value: String) -> Header { Header(.accept, value) }
    public static func accept(_ type: ContentType) -> Header { Header(.accept, type.rawValue) }
    public static func acceptLanguage(_ value: String) -> Header { Header(.acceptLanguage, value) }
    public static func cacheControl(_ value: String) -> Header { Header(.cacheControl, value) }
    public static func contentType(_ value: String) -> Header { Header(.contentType, value) }
    public static func contentType(_ type: ContentType) -> Header { Header(.contentType, type.rawValue) }

    /// The whole value, scheme included.
    public static func authorization(_ value: String) -> Header { Header(.authorization, value) }

    /// The scheme and a value, which is sent as it is. For `Basic` see ``basic(username:password:)``, which encodes.
    public static func authorization(_ type: AuthorizationType, value: String) -> Header {
        Header(.authorization, "\(type.rawValue) \(value)")
    }

    /// `.authorization(.basic(username: "Ada", password: "secret"))`
    public static func authorization(_ credentials: Credentials) -> Header {
        Header(.authorization, credentials.value)
    }

    /// User name and password, encoded (RFC 7617).
    public static func basic(username: String, password: String) -> Header {
        .authorization(.basic(username: username, password: password))
    }
}
