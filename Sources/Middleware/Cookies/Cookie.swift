// SPDX-License-Identifier: Apache-2.0

public import StrataCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A cookie as a ``CookieJar`` keeps it (RFC 6265bis §5.7). Its value stays out of descriptions and dumps.
public struct Cookie: Hashable, Sendable {
    /// The bytes of the name as the server sent them. Most often UTF-8, but they need not be.
    public var nameBytes: [UInt8]
    /// The bytes of the value as the server sent them, with their quotes if they have some.
    public var valueBytes: [UInt8]
    /// The host that set it, or the domain that the server named: in lower case and ASCII, without a dot in front.
    public var domain: String
    /// Whether it is for ``domain`` alone, and not for the domains below it.
    public var isHostOnly: Bool
    /// Begins with a slash.
    public var path: String
    /// `nil`: until the client goes, which is called a session cookie.
    public var expires: Date?
    /// Whether it goes to secure origins alone.
    public var isSecure: Bool
    /// Whether scripts in pages must not see it. Kept for other programs: here there are no scripts.
    public var isHTTPOnly: Bool
    /// What the server said about requests from other sites. It is kept and has no effect, for a client has no site:
    /// every request is its user's own.
    public var sameSite: SameSite?
    /// When it was first set. A cookie that replaces it keeps the moment (RFC 6265bis §5.7).
    public var created: Date
    /// When it was last sent, for the choice of what has to go when a jar is full.
    public var lastAccess: Date

    /// The name as text.
    public var name: String { String(decoding: nameBytes, as: UTF8.self) }
    /// The value as text.
    public var value: String { String(decoding: valueBytes, as: UTF8.self) }

    /// A cookie of an app's own, for ``CookieJar/insert(_:now:)``.
    ///
    /// - `domain`: a host, for which alone the cookie is; with a dot in front, a domain with all that is below it.
    public init(
        name: String, value: String, domain: String, path: String = "/", expires: Date? = nil, isSecure: Bool = false,
        isHTTPOnly: Bool = false, sameSite: SameSite? = nil, created: Date = Date()
    ) {
        let isDomain = domain.hasPrefix(".")
        self.init(
            nameBytes: Array(name.utf8), valueBytes: Array(value.utf8),
            domain: Origin(scheme: "http", host: String(isDomain ? domain.dropFirst() : domain[...])).host,
            isHostOnly: !isDomain, path: path.hasPrefix("/") ? path : "/", expires: expires, isSecure: isSecure,
            isHTTPOnly: isHTTPOnly, sameSite: sameSite, created: created)
    }

    init(
        nameBytes: [UInt8], valueBytes: [UInt8], domain: String, isHostOnly: Bool, path: String, expires: Date?,
        isSecure: Bool, isHTTPOnly: Bool, sameSite: SameSite?, created: Date
    ) {
        self.nameBytes = nameBytes
        self.valueBytes = valueBytes
        self.domain = domain
        self.isHostOnly = isHostOnly
        self.path = path
        self.expires = expires
        self.isSecure = isSecure
        self.isHTTPOnly = isHTTPOnly
        self.sameSite = sameSite
        self.created = created
        lastAccess = created
    }

    /// The values of the attribute `SameSite`; another value counts as none.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum SameSite: String, Codable, Hashable, Sendable {
        case strict = "Strict"
        case lax = "Lax"
        case none = "None"
    }

    /// Whether its time has passed.
    public func isExpired(at date: Date) -> Bool { expires.map { $0 <= date } ?? false }

    /// Whether its name and value can stand in a `Cookie` field, and are read there as this one cookie (RFC 6265bis §4.2.1).
    var isSendable: Bool {
        let end = UInt8(ascii: ";")
        return nameBytes.allSatisfy { !$0.isControl && $0 != end && $0 != UInt8(ascii: "=") }
            && valueBytes.allSatisfy { (!$0.isControl || $0 == 0x09) && $0 != end }
    }

    /// Whether another cookie takes this one's place: same name, domain and path. A host-only cookie and one of the same
    /// domain are two.
    func isReplaced(by other: Cookie) -> Bool {
        nameBytes == other.nameBytes && domain == other.domain && isHostOnly == other.isHostOnly && path == other.path
    }
}

extension Cookie: DumpedAsDescription {
    /// Name, domain and path: `session for example.com/`.
    public var description: String { "\(name) for \(isHostOnly ? "" : ".")\(domain)\(path)" }
}

extension Cookie: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, value, domain, isHostOnly, path, expires, isSecure, isHTTPOnly, sameSite, created, lastAccess
    }

    @_documentation(visibility: internal)
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            nameBytes: try container.decode(CookieBytes.self, forKey: .name).bytes,
            valueBytes: try container.decode(CookieBytes.self, forKey: .value).bytes,
            domain: try container.decode(String.self, forKey: .domain),
            isHostOnly: try container.decode(Bool.self, forKey: .isHostOnly),
            path: try container.decode(String.self, forKey: .path),
            expires: try container.decodeIfPresent(Date.self, forKey: .expires),
            isSecure: try container.decode(Bool.self, forKey: .isSecure),
            isHTTPOnly: try container.decode(Bool.self, forKey: .isHTTPOnly),
            sameSite: try container.decodeIfPresent(SameSite.self, forKey: .sameSite),
            created: try container.decode(Date.self, forKey: .created))
        lastAccess = try container.decode(Date.self, forKey: .lastAccess)
    }

    @_documentation(visibility: internal)
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(CookieBytes(bytes: nameBytes), forKey: .name)
        try container.encode(CookieBytes(bytes: valueBytes), forKey: .value)
        try container.encode(domain, forKey: .domain)
        try container.encode(isHostOnly, forKey: .isHostOnly)
        try container.encode(path, forKey: .path)
        try container.encodeIfPresent(expires, forKey: .expires)
        try container.encode(isSecure, forKey: .isSecure)
        try container.encode(isHTTPOnly, forKey: .isHTTPOnly)
        try container.encodeIfPresent(sameSite, forKey: .sameSite)
        try container.encode(created, forKey: .created)
        try container.encode(lastAccess, forKey: .lastAccess)
    }
}

/// Bytes that are text most often: text where they are UTF-8, else a list of numbers.
private struct CookieBytes: Codable {
    let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            bytes = Array(text.utf8)
        } else {
            bytes = try container.decode([UInt8].self)
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let text = String(validating: bytes, as: UTF8.self) {
            try container.encode(text)
        } else {
            try container.encode(bytes)
        }
    }
}
