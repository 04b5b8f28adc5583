// SPDX-License-Identifier: Apache-2.0

public import StrataCore

// Property wrappers, because macros cannot stand on parameters. They hold the value and nothing else: the endpoint's
// macro reads what the attribute says from the source.

/// Fills a `{placeholder}` of the path: `@Path("gid") groupID: Int`.
///
/// With `encoded: true` the value is percent-encoded already and goes in as it is, slashes included; a character that may
/// not stand in a path makes the call fail. A value that leaves a whole segment empty, or makes one `.` or `..`, fails too:
/// it would name another resource.
@propertyWrapper
public struct Path<Value> {
    @_documentation(visibility: internal)
    public var wrappedValue: Value

    /// - `name`: the placeholder. Default: the parameter's label, else its name.
    public init(wrappedValue: Value, _ name: String? = nil, encoded: Bool = false) { self.wrappedValue = wrappedValue }
}

/// Sends a parameter in the query, with any method: `@Query("q") keyword: String`.
///
/// A name given here is sent as it is written, whatever key strategy an encoder has; one that is not follows the strategy.
/// An array repeats the name, `nil` gives none, in an array too. The properties of an object and the entries of a
/// dictionary stay below a name given here, as in `filter[status]`, and else are items of their own.
/// With `encoded: true` the value is percent-encoded already and goes in as it is, the keys of a dictionary too; the
/// name is encoded unless it may stand in a query.
@propertyWrapper
public struct Query<Value> {
    @_documentation(visibility: internal)
    public var wrappedValue: Value

    /// - `name`: on the wire. Default: the parameter's label, else its name.
    public init(wrappedValue: Value, _ name: String? = nil, encoded: Bool = false) { self.wrappedValue = wrappedValue }
}

/// Sends a parameter as the whole body, with any method.
@propertyWrapper
public struct Body<Value> {
    @_documentation(visibility: internal)
    public var wrappedValue: Value

    @_documentation(visibility: internal)
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}

/// Sends a parameter as a field of the body, with any method: `@Field("new_name") name: String`.
///
/// A name given here is sent as it is written, whatever key strategy the encoder has; one that is not follows the strategy.
/// In a form, the properties of an object become fields of their own; a name given here stays in front of them, as in
/// `name[property]`.
@propertyWrapper
public struct Field<Value> {
    @_documentation(visibility: internal)
    public var wrappedValue: Value

    /// - `name`: on the wire. Default: the parameter's label, else its name.
    public init(wrappedValue: Value, _ name: String? = nil) { self.wrappedValue = wrappedValue }
}

/// Sends a parameter as a header field: `@Header("Authorization") token: String`. Replaces fields of ``Headers(_:)``.
///
/// A `Date` is written as in a query, but in the form of HTTP (RFC 9110 §5.6.7) where the field is a date by its
/// definition: `@Header("If-Modified-Since") date: Date`.
@propertyWrapper
public struct Header<Value> {
    @_documentation(visibility: internal)
    public var wrappedValue: Value

    /// - `name`: on the wire. Default: the parameter's label, else its name.
    public init(wrappedValue: Value, _ name: String? = nil) { self.wrappedValue = wrappedValue }
}

/// Sends each entry of a dictionary or of pairs, or each field of an ``HTTPHeaders``, as a header field. These replace
/// all others of the same name. A name that has neither a raw value nor a description makes the call fail, and so does
/// a value that has neither and is not `Encodable`.
@propertyWrapper
public struct HeaderMap<Value> {
    @_documentation(visibility: internal)
    public var wrappedValue: Value

    @_documentation(visibility: internal)
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}

/// Sends a parameter as a part of a ``Multipart(encoder:decoder:)`` body.
///
/// `Data` and `String` are the part's content, a file `URL` is read from disk as it is sent, with its name and a media
/// type guessed from it; a `MultipartPart` is the part. Other scalars are text, a list of any of these is a part for each
/// element, and anything else is written as JSON. A name given here is sent as it is written.
@propertyWrapper
public struct Part<Value> {
    @_documentation(visibility: internal)
    public var wrappedValue: Value

    /// - `name`: of the part. Default: the parameter's label, else its name.
    public init(wrappedValue: Value, name: String? = nil, filename: String? = nil, mimeType: String? = nil) {
        self.wrappedValue = wrappedValue
    }
}

/// Hands a parameter to the middleware as a typed attribute; it is not sent. `nil` leaves the type's.
///
///     enum TenantKey: RequestAttributeKey { static let defaultValue: String? = nil }
///
///     @GET("/users") func users(@Tag(TenantKey.self) tenant: String?) async throws -> [User]
///
/// `Testing` has a `Tag` too: a file that imports both writes `@StrataAPI.Tag(TenantKey.self)`.
@propertyWrapper
public struct Tag<Value> {
    @_documentation(visibility: internal)
    public var wrappedValue: Value

    public init<Key: RequestAttributeKey>(wrappedValue: Value, _ key: Key.Type) where Key.Value == Value {
        self.wrappedValue = wrappedValue
    }

    /// For a parameter that is no optional, with a key whose value is one.
    public init<Key: RequestAttributeKey>(wrappedValue: Value, _ key: Key.Type) where Key.Value == Value? {
        self.wrappedValue = wrappedValue
    }
}

/// Gives the absolute target of the call, on a parameter of a function with ``URL()``.
///
/// `URL` cannot be a wrapper's name: it would hide Foundation's type.
@propertyWrapper
public struct Url<Value> {
    @_documentation(visibility: internal)
    public var wrappedValue: Value

    @_documentation(visibility: internal)
    public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
}
