// SPDX-License-Identifier: Apache-2.0

/// Makes a type whose functions are endpoints: `@GET("/user")` and its kin.
///
///     @API
///     struct UsersAPI {
///         @GET("/users/{id}") func user(id: Int) async throws -> User
///     }
///
///     let user = try await UsersAPI(Provider(baseURL: "https://api.example")).user(id: 7)
///
/// A struct, class or actor gets `endpoints`, the list of its endpoints, and two initialisers: one from a ``Provider``
/// and one from a client. It gets no initialiser if it has one from a provider already, or if its provider is computed
/// or a constant with a value.
///
/// Stored properties without a value become parameters of the initialisers. These are as visible as the least visible
/// of the properties, but at least internal. A type with such a property inside of `#if` has to write its `init(_:
/// Provider)` itself.
///
/// Attributes such as ``Headers(_:)`` on the type hold for all its endpoints.
///
/// On a `protocol UsersAPI` it makes two types: `UsersAPIClient`, which calls, and `UsersAPIMock`, which answers from a
/// script (see ``MockFunction``). The parameters of a requirement cannot have attributes, so their labels give the
/// names. The macro sees only what is written in the protocol itself. For requirements that the protocol inherits,
/// extend the client and the mock; a remark of the compiler says so. Nothing is needed for `Sendable` and `AnyObject`.
///
/// - Parameter mock: whether a protocol gets a mock.
@attached(member, names: named(provider), named(apiProvider), named(init), named(apiCall), named(endpoints))
@attached(peer, names: suffixed(Client), suffixed(Mock))
public macro API(mock: Bool = true) = #externalMacro(module: "StrataAPIMacros", type: "APIMacro")
