// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataRequests
import Testing

/// The numbered examples of the result-builder style, as they are written there, and what goes over the wire for each.
///
/// They are sent through the client that is in force (`Request.withClient`), which leads to a server that echoes.
package enum SeedExamples {
    struct User: Codable, Hashable, Sendable {
        var name: String
    }

    static let mySession = URLSession(configuration: .ephemeral)

    private static func echo(_ request: Request) async throws -> Echo { try await request.send() }

    /// A request to a URL.
    package static func s4_1() async throws {
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

    /// Fields and query.
    package static func s4_2() async throws {
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

    /// A model as body.
    package static func s4_3() async throws {
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
        #expect(echo.body == #"{"name":"firstname"}"#)
    }

    enum MyService: Service {
        static let baseURL = URL(string: "https://example.com/")!
        static let session: URLSession = mySession  // use a specific URLSession already defined

        // request will use session defined in MyService, mySession
        static let get = Request(.get, parent: MyService.self)

        // request will use URLSession.shared, overriding the parent session
        static let getSharedSession = Request(.get, parent: MyService.self, session: .shared)
    }

    /// A session inherited, and overridden.
    package static func s4_4() async throws {
        #expect(MyService.get.session === mySession)
        #expect(MyService.getSharedSession.session === URLSession.shared)
        for request in [MyService.get, MyService.getSharedSession] {
            let echo = try await echo(request)
            #expect(echo.method == "GET")
            #expect(echo.target == "/")
            #expect(echo["Content-Type"] == nil)
        }
    }

    /// A session of a request without a parent.
    package static func s4_5() async throws {
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

    /// A configuration.
    package static func s4_6() async throws {
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
        #expect(echo.body == #"{"name":"firstname"}"#)
    }

    /// Properties added to a request, and a field set.
    package static func s4_7() async throws {
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

    /// A service with shared properties.
    package static func s4_8() async throws {
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

    /// The same requests as of the service before.
    package static func s4_9() async throws {
        let all = try await echo(Nested.UserService.Users.getUsers)
        let one = try await echo(Nested.UserService.Users.getUser(name: "firstname"))
        #expect(all.method == "GET" && one.method == "GET")
        #expect(all.target == "/users")
        #expect(one.target == "/users?name=firstname")
        #expect(all["Authorization"] == "Basic secret password")
        #expect(one["Authorization"] == "Basic secret password")
    }
}
