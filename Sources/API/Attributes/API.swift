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
/// A struct, class or actor gets `endpoints`, the list of what it declares, and, unless it brings one, or a provider
/// that is computed or a constant with a value, `init(_: Provider)`, and the same for a client. Stored properties
/// without a value become parameters of these, which are as visible as the least visible property, internal at least; a
/// type with such a property inside of `#if` writes its `init(_: Provider)` itself. Attributes such as ``Headers(_:)``
/// on the type hold for all its endpoints.
///
/// On a `protocol UsersAPI` it makes two types: `UsersAPIClient`, which calls, and `UsersAPIMock`, which answers from a
/// script (see ``MockFunction``). Attributes cannot stand on the parameters of a requirement, so that there the wire
/// names come from the labels. The macro sees only what stands in it: what it inherits beside `Sendable` and `AnyObject`,
/// extensions of the client and of the mock have to bring, as a remark says.
///
/// - Parameter mock: whether a protocol gets a mock.
@attached(member, names: named(provider), named(apiProvider), named(init), named(apiCall), named(endpoints))
@attached(peer, names: suffixed(Client), suffixed(Mock))
public macro API(mock: Bool = true) = #externalMacro(module: "StrataAPIMacros", type: "APIMacro")
