// SPDX-License-Identifier: Apache-2.0

public import StrataCore
import Synchronization

public import Foundation

/// A part of an API that requests belong to, and from which they inherit whatever they do not set themselves.
///
///     enum UserService: Service {
///         static let baseURL = "https://example.com/users"
///
///         static var sharedProperties: Request.Properties {
///             Headers { Header.authorization(.basic(username: "Ada", password: "secret")) }
///         }
///
///         static let getUsers = Request(.get, parent: Self.self)
///     }
///
/// Only the base URL is required. See ``Endpoint`` for the levels below it.
///
/// Shared properties, configuration and session must have exactly the types below. A `static let sharedProperties =
/// Headers { … }` has another type, and nothing reads it.
public protocol APIComponent {
    /// The type of ``baseURL``: `URL` or `String`.
    associatedtype BaseURLType: ServiceURL = URL
    /// The type of ``client``: any client, optional or not.
    associatedtype ClientType = (any NetworkClientProtocol)?
    /// The type of ``decoder``: any decoder.
    associatedtype DecoderType = JSONDecoder

    /// The URL that requests start from. With a text that is none, they fail with `malformedURL`.
    static var baseURL: BaseURLType { get }

    /// What all requests of this level, and of those below, have. Default: nothing.
    @Request.Properties.Builder static var sharedProperties: Request.Properties { get }

    /// The shared properties, with those of the levels above.
    static var allProperties: Request.Properties { get }

    /// Default: the parent's; ``Request/Configuration-swift.struct/default`` at the top.
    static var configuration: Request.Configuration { get }

    /// What requests are sent through when there is no ``client``. Default: the parent's; `URLSession.shared` at the top.
    ///
    /// On Linux a session is that of FoundationNetworking, in which the responses of some servers end the process. So
    /// requests are sent through one there only where a level names it, and else through the platform's transport.
    static var session: URLSession { get }

    /// What requests are sent through. Default: the parent's; none at the top.
    ///
    /// It wins over the session, also over one that a level below names: such a level sets it to `nil`.
    static var client: ClientType { get }

    /// Reads the models of responses. Default: the parent's; a `JSONDecoder` at the top.
    static var decoder: DecoderType { get }
}

/// The top of an API.
public typealias Service = APIComponent

extension APIComponent {
    public static var sharedProperties: Request.Properties { .empty }
    @_documentation(visibility: internal)
    public static var allProperties: Request.Properties { sharedProperties }
    @_documentation(visibility: internal)
    public static var configuration: Request.Configuration { .default }
    public static var session: URLSession {
        DefaultSession.use?.note()
        return .shared
    }

    /// The session that this level, or one above, names; `nil` when none does.
    static var namedSession: URLSession? {
        let use = DefaultSession.Use()
        let session = DefaultSession.$use.withValue(use) { Self.session }
        return use.isNoted ? nil : session
    }

    /// The client, whatever its type.
    static var namedClient: (any NetworkClientProtocol)? { client as Any as? any NetworkClientProtocol }

    /// The decoder, whatever its type.
    static var namedDecoder: any ResponseBodyDecoder { decoder as Any as? any ResponseBodyDecoder ?? JSONDecoder() }
}

/// Tells a session that a component names from the default, which is the same object when it names `URLSession.shared`.
private enum DefaultSession {
    @TaskLocal static var use: Use?

    final class Use: Sendable {
        private let noted = Atomic(false)

        var isNoted: Bool { noted.load(ordering: .relaxed) }

        func note() { noted.store(true, ordering: .relaxed) }
    }
}

extension APIComponent where ClientType == (any NetworkClientProtocol)? {
    public static var client: (any NetworkClientProtocol)? { nil }
}

extension APIComponent where DecoderType == JSONDecoder {
    public static var decoder: JSONDecoder { JSONDecoder() }
}
