// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StrataCore
import Synchronization

/// A transport that answers by method and path, as a server does, and counts the calls of each route.
///
///     let transport = RoutedTransport {
///         $0.get("/users/{id}") { request in .json(#"{"id": "\#(request.parameters["id"] ?? "")"}"#) }
///         $0.post("/users", .status(201))
///     }
///     …
///     #expect(transport.count(.get, "/users/{id}") == 1)
///     try transport.verify()
///
/// A segment of a template is a literal, a `{parameter}`, or a parameter with a literal before or behind it (`{name}.json`); the
/// last may be `{+rest}`, which takes all segments that are left. Segments are compared and handed over decoded; an encoded slash
/// does not separate segments. Where several routes fit, literals win over parameters, segment by segment from the left, and
/// `{+rest}` comes last. Behind a `?` stand items that the query has to have: `/users?page={page}`, `/users?admin=1`; other items of the
/// request do not matter. A template may begin with an origin, `https://api.example/users`, which then has to fit too. A route that is
/// added again replaces the first.
///
/// HEAD is answered by the route of GET where it has none of its own. A ``ScriptedTransport`` carries the exchanges.
public final class RoutedTransport: NetworkTransport {
    private let routes: RouteTable
    private let base: ScriptedTransport

    /// - `unmatched`: what a request gets that fits no route. Default: it fails.
    /// - `build`: adds the routes.
    public init(
        unmatched: Unmatched = .fail, features: TransportCapabilities.Features = ScriptedTransport.allFeatures,
        _ build: (inout Routes) -> Void
    ) {
        var routes = Routes()
        build(&routes)
        let table = RouteTable(routes, unmatched)
        self.routes = table
        base = ScriptedTransport(features: features) { try await table.answer($0) }
    }

    @_documentation(visibility: internal)
    public var capabilities: TransportCapabilities { base.capabilities }

    /// Every request so far, in the order of arrival.
    public var requests: [RecordedRequest] { base.requests }

    /// How often a route was called.
    ///
    /// - `template`: as it was given.
    /// - Returns: 0 also when there is no such route.
    public func count(_ method: HTTPMethod, _ template: String) -> Int { routes.count(method, template) }

    /// The routes that were never called, such as `GET /users/{id}`.
    public var unusedRoutes: [String] { routes.unused }

    /// The requests that no route fitted.
    public var unmatchedRequests: [RecordedRequest] { routes.unmatchedRequests }

    /// - Throws: ``RouteError`` that names the routes that were never called, and the requests that none fitted. With
    ///   ``Unmatched/notFound`` or a reply of your own, only the routes.
    public func verify() throws { try routes.verify() }

    @_documentation(visibility: internal)
    public func send(_ request: TransportRequest) async throws -> TransportResponse { try await base.send(request) }

    public func shutdown() async { await base.shutdown() }

    public func drain(within limit: Duration) async { await base.drain(within: limit) }

    /// What a request gets that fits no route.
    public struct Unmatched: Sendable {
        enum Kind: Sendable {
            case fail, notFound
            case reply(@Sendable (RecordedRequest) async throws -> ScriptedReply)
        }

        let kind: Kind

        /// `unsupportedByTransport`, which no layer repeats, with the nearest routes.
        public static let fail = Unmatched(kind: .fail)
        /// 404, or 405 with `Allow` where the path has routes for other methods.
        public static let notFound = Unmatched(kind: .notFound)

        public static func reply(
            _ answer: @escaping @Sendable (RecordedRequest) async throws -> ScriptedReply
        ) -> Unmatched {
            Unmatched(kind: .reply(answer))
        }
    }
}

/// A request with what the parameters of its route stand for.
@dynamicMemberLookup
public struct RoutedRequest: Sendable {
    public let request: RecordedRequest
    /// Decoded, by the names in the template.
    public let parameters: [String: String]

    public subscript<Value>(dynamicMember member: KeyPath<RecordedRequest, Value>) -> Value { request[keyPath: member] }

    /// A field's value, by its name in any case.
    public subscript(_ name: String) -> String? { request[name] }
}

/// Why a ``RoutedTransport`` is not content.
public struct RouteError: Error, Sendable, CustomStringConvertible {
    /// It shows no query and no body.
    public let description: String
}
