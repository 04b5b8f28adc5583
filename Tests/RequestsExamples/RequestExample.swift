// SPDX-License-Identifier: Apache-2.0

import Foundation
import SeedSupport
import StrataRequests
import Testing

/// A numbered example of the result-builder style, as it is written there, and what goes over the wire for it.
///
/// It is sent through the client that is in force (`Request.withClient`), which leads to a server that echoes.
package struct RequestExample: Sendable, CustomStringConvertible {
    /// `S4.1`.
    package let number: String
    /// What it shows.
    let title: String
    package let run: @Sendable () async throws -> Void

    package var description: String { "\(number) \(title)" }

    package static let all = [
        RequestExample(number: "S4.1", title: "a request to a URL", run: s4_1),
        RequestExample(number: "S4.2", title: "fields and query", run: s4_2),
        RequestExample(number: "S4.3", title: "a model as body", run: s4_3),
        RequestExample(number: "S4.4", title: "a session inherited, and overridden", run: s4_4),
        RequestExample(number: "S4.5", title: "a session of a request without a parent", run: s4_5),
        RequestExample(number: "S4.6", title: "a configuration", run: s4_6),
        RequestExample(number: "S4.7", title: "properties added to a request, and a field set", run: s4_7),
        RequestExample(number: "S4.8", title: "a service with shared properties", run: s4_8),
        RequestExample(number: "S4.9", title: "the same, by an endpoint and RequestBuilder", run: s4_9),
    ]

    struct User: Codable, Hashable, Sendable {
        var name: String
    }

    static let mySession = URLSession(configuration: .ephemeral)

    private static func echo(_ request: Request) async throws -> Echo { try await request.send() }

    private static func s4_1() async throws {
        // Creates a GET request to 'https://example.com/users'
        // with no headers, query parameters, or body.
        let request = Request(.get, url: URL(string: "https://example.com/users")!)

        #expect(request.url.absoluteString == "https://example.com/users")
        #expect(request.headers.isEmpty && request.queryItems.isEmpty && request.body == nil)
        let answer = try await request.send()
        #expect(answer.urlResponse.statusCode == 200)
        #expect(answer.urlResponse.url == request.url)
        #expect(answer.request == request)
        let echo = try JSONDecoder().decode(Echo.self, from: answer.data)
        #expect(echo.method == "GET")
        #expect(echo.target == "/users")
        #expect(echo["Content-Type"] == nil && echo["Authorization"] == nil)
        #expect(echo.body.isEmpty)
    }

    private static func s4_2() async throws {
        let request = Request(.get, url: URL(string: "https://example.com/users")!) {
            Headers {
                Header.contentType(.applicationJSON)
            }
            QueryItems {
                ("name", "firstname")
            }
        }

        #expect(request.url.absoluteString == "https://example.com/users?name=firstname")
        let echo = try await echo(request)
        #expect(echo.method == "GET")
        #expect(echo.target == "/users?name=firstname")
        #expect(echo["Content-Type"] == "application/json")
        #expect(echo.body.isEmpty)
    }

    private static func s4_3() async throws {
        let request = Request(.post, url: URL(string: "https://example.com/users")!) {
            Body {
                // Assume that User is an Encodable type
                User(name: "firstname")
            }
        }

        let echo = try await echo(request)
        #expect(echo.method == "POST")
        #expect(echo.target == "/users")
        #expect(echo["Content-Type"] == "application/json")
        #expect(echo.text == #"{"name":"firstname"}"#)
    }

    enum MyService: Service {
        static let baseURL = URL(string: "https://example.com/")!
        static let session: URLSession = mySession  // use a specific URLSession already defined

        // request will use session defined in MyService, mySession
        static let get = Request(.get, parent: MyService.self)

        // request will use URLSession.shared, overriding the parent session
        static let getSharedSession = Request(.get, parent: MyService.self, session: .shared)
    }

    private static func s4_4() async throws {
        #expect(MyService.get.session === mySession)
        #expect(MyService.getSharedSession.session === URLSession.shared)
        for request in [MyService.get, MyService.getSharedSession] {
            let echo = try await echo(request)
            #expect(echo.method == "GET")
            #expect(echo.target == "/")
            #expect(echo["Content-Type"] == nil)
        }
    }

    private static func s4_5() async throws {
        // a request using URLSession.shared
        let request = Request(.get, url: URL(string: "https://example.com/")!)

        // a request using a specific URLSession
        let customSessionRequest = Request(.get, url: URL(string: "https://example.com/")!, session: mySession)

        #expect(request.session === URLSession.shared)
        #expect(customSessionRequest.session === mySession)
        for request in [request, customSessionRequest] {
            let echo = try await echo(request)
            #expect(echo.method == "GET")
            #expect(echo.target == "/")
        }
    }

    private static func s4_6() async throws {
        let request = Request(
            .post,
            url: URL(string: "https://example.com/users")!,
            configuration: Request.Configuration(timeout: 90)
        ) {
            Body {
                // Assume that User is an Encodable type
                User(name: "firstname")
            }
        }

        #expect(request.configuration == Request.Configuration(timeoutInterval: 90))
        #expect(request.configuration.timeoutInterval == 90)
        #expect(request.urlRequest.timeoutInterval == 90)
        #expect(Request.Configuration.default.timeoutInterval == 60)
        #expect(try request.makeTransportRequest().options.timeouts.idle == .seconds(90))
        let echo = try await echo(request)
        #expect(echo.method == "POST")
        #expect(echo.target == "/users")
        #expect(echo["Content-Type"] == "application/json")
        #expect(echo.text == #"{"name":"firstname"}"#)
    }

    private static func s4_7() async throws {
        let request = Request(.get, url: URL(string: "https://example.com/users")!) {
            QueryItems {
                ("filter", true)
            }
        }

        // adds the query item to any existing query items already part of the request
        let added =
            try await request
            .adding(
                QueryItems { ("name", "firstname") }
            )
            .send()

        // sets a header on the request
        let set =
            try await request
            .settingHeader(name: "name", value: "value")
            .send()

        #expect(request.url.absoluteString == "https://example.com/users?filter=true")
        let echoes = try [added, set].map { try JSONDecoder().decode(Echo.self, from: $0.data) }
        #expect(echoes.map(\.method) == ["GET", "GET"])
        #expect(echoes.map(\.target) == ["/users?filter=true&name=firstname", "/users?filter=true"])
        #expect(echoes.map { $0["name"] } == [nil, "value"])
    }

    enum UserService: Service {
        static let baseURL = URL(string: "https://example.com/users")!

        static var sharedProperties: Request.Properties {
            Headers {
                Header.authorization(.basic, value: "secret password")
            }
        }

        // get all users
        static let getUsers = Request(.get, parent: Self.self)

        // get user with name
        static func getUser(name: String) -> Request {
            Request(.get, parent: Self.self) {
                QueryItems { ("name", name) }
            }
        }
    }

    private static func s4_8() async throws {
        let all = try await echo(UserService.getUsers)
        #expect(all.method == "GET")
        #expect(all.target == "/users")
        #expect(all["Authorization"] == "Basic secret password")

        let one = try await echo(UserService.getUser(name: "firstname"))
        #expect(one.method == "GET")
        #expect(one.target == "/users?name=firstname")
        #expect(one["Authorization"] == "Basic secret password")
        #expect(one.body.isEmpty)
    }

    /// A service with an endpoint, its requests built by `RequestBuilder`.
    enum Nested {
        enum UserService: Service {
            static let baseURL = URL(string: "https://example.com/")!

            static var sharedProperties: Request.Properties {
                Headers {
                    Header.authorization(.basic, value: "secret password")
                }
            }

            enum Users: Endpoint {
                static let path = "users"
                typealias Parent = UserService

                @RequestBuilder<Users>
                static var getUsers: Request {
                    Request.HTTPMethod.get
                }

                @RequestBuilder<Users>
                static func getUser(name: String) -> Request {
                    Request.HTTPMethod.get
                    QueryItems { ("name", name) }
                }
            }
        }
    }

    private static func s4_9() async throws {
        let all = try await echo(Nested.UserService.Users.getUsers)
        let one = try await echo(Nested.UserService.Users.getUser(name: "firstname"))
        #expect(all.method == "GET" && one.method == "GET")
        #expect(all.target == "/users")
        #expect(one.target == "/users?name=firstname")
        #expect(all["Authorization"] == "Basic secret password")
        #expect(one["Authorization"] == "Basic secret password")
    }
}
