// SPDX-License-Identifier: Apache-2.0

/// Makes a function without a body an endpoint: it sends GET to `path` and returns what the response decodes to.
///
///     @GET("/users/{username}/todos")
///     func todos(username: String, done: Bool?) async throws -> [Todo]      // GET /users/johne/todos?done=true
///
/// `path` is appended to the provider's base URL; a function with ``URL()`` needs none; one that begins with `https://` or `http://` is the whole target. Where the
/// parameters go:
///
/// 1. an attribute decides: ``Path``, ``Query``, ``Body``, ``Field``, ``Header``, ``HeaderMap``, ``Part``, ``Tag``;
/// 2. a parameter that has the name of a `{placeholder}` fills it, percent-encoded, `/` included;
/// 3. with POST, PUT and PATCH a parameter labelled `_` is the body, or else the remaining parameters are its fields;
/// 4. with every other method the remaining parameters are query items.
///
/// The name that is sent is the attribute's argument, else the parameter's label, else (when the label is `_`) its own name.
/// A placeholder may also have the parameter's own name. The attribute's argument is sent as it is written; the others follow
/// the key strategy of the encoder, in JSON, forms, parts and queries. `nil` is left out.
///
/// A function returns nothing (it still waits, and throws for a status outside 200..<300), a `Decodable`, an optional
/// (`nil` for 204, 205, an accepted 304, an empty body and `null`), a tuple with labels, `Data`, `String`,
/// ``HTTPHeaders``, `HTTPResponse`, `NetworkResponse` or, as a stream of events, an `AsyncStream` or
/// `AsyncThrowingStream`.
@attached(body) public macro GET(_ path: String = "") = #externalMacro(module: "StrataAPIMacros", type: "EndpointMacro")
/// As ``GET(_:)``, with POST: what no placeholder takes is the body's.
@attached(body) public macro POST(_ path: String = "") =
    #externalMacro(module: "StrataAPIMacros", type: "EndpointMacro")
/// As ``GET(_:)``, with PUT: what no placeholder takes is the body's.
@attached(body) public macro PUT(_ path: String = "") = #externalMacro(module: "StrataAPIMacros", type: "EndpointMacro")
/// As ``GET(_:)``, with PATCH: what no placeholder takes is the body's.
@attached(body) public macro PATCH(_ path: String = "") =
    #externalMacro(module: "StrataAPIMacros", type: "EndpointMacro")
/// As ``GET(_:)``, with DELETE.
@attached(body) public macro DELETE(_ path: String = "") =
    #externalMacro(module: "StrataAPIMacros", type: "EndpointMacro")
/// As ``GET(_:)``, with OPTIONS.
@attached(body) public macro OPTIONS(_ path: String = "") =
    #externalMacro(module: "StrataAPIMacros", type: "EndpointMacro")
/// As ``GET(_:)``, with HEAD. The response has no body: return nothing, ``HTTPHeaders`` or `HTTPResponse`.
@attached(body) public macro HEAD(_ path: String = "") =
    #externalMacro(module: "StrataAPIMacros", type: "EndpointMacro")
/// As ``GET(_:)``, with TRACE, which has no body.
@attached(body) public macro TRACE(_ path: String = "") =
    #externalMacro(module: "StrataAPIMacros", type: "EndpointMacro")
/// As ``GET(_:)``, with CONNECT.
@attached(body) public macro CONNECT(_ path: String = "") =
    #externalMacro(module: "StrataAPIMacros", type: "EndpointMacro")
/// As ``GET(_:)``, with any method: `@HTTP(method: "PROPFIND", path: "/files")`.
@attached(body) public macro HTTP(method: String, path: String = "") =
    #externalMacro(module: "StrataAPIMacros", type: "EndpointMacro")
