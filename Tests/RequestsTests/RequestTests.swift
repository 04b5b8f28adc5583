// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataRequests
import StrataTesting
import Testing

struct RequestTests {
    @Test func aRequestHasDefaults() {
        let request = Request(.get, url: usersURL)
        #expect(request.httpMethod == .get)
        #expect(request.url == usersURL)
        #expect(request.configuration == .default)
        #expect(request.session === URLSession.shared)
        #expect(request.client == nil)
        #expect(request.headers.isEmpty && request.queryItems.isEmpty && request.pathComponents.isEmpty)
        #expect(request.body == nil)
        #expect(request.urlRequest.url == usersURL)
        #expect(request.urlRequest.httpMethod == "GET")
    }

    @Test func propertiesCanBeRead() {
        let request = Request(.put, url: usersURL) {
            PathComponents { "a" }
            QueryItems { ("q", 1) }
            Headers { ("h", "v") }
            Body { User(name: "Ada") }
        }
        #expect(request.pathComponents == ["a"])
        #expect(request.queryItems == [URLQueryItem(name: "q", value: "1")])
        #expect(request.headers == ["h": "v"])
        #expect(request.body == Data(#"{"name":"Ada"}"#.utf8))
        #expect(request.url.absoluteString == "https://example.com/users/a?q=1")
        let urlRequest = request.urlRequest
        #expect(urlRequest.httpMethod == "PUT")
        #expect(urlRequest.httpBody == request.body)
        #expect(urlRequest.value(forHTTPHeaderField: "h") == "v")
        #expect(urlRequest.value(forHTTPHeaderField: "content-type") == "application/json")
    }

    @Test(arguments: [
        ("https://example.com", "https://example.com/a%20b/%2F/%C3%BC%3F%23%25?q=%2B%26%3D%20%C3%BC&flag"),
        ("https://example.com/", "https://example.com/a%20b/%2F/%C3%BC%3F%23%25?q=%2B%26%3D%20%C3%BC&flag"),
        (
            "https://example.com/v%201?k=a%20b#top",
            "https://example.com/v%201/a%20b/%2F/%C3%BC%3F%23%25?k=a%20b&q=%2B%26%3D%20%C3%BC&flag"
        ),
    ])
    func everythingIsEncodedOnceAndTheBasesQueryStays(_ base: String, _ expected: String) throws {
        let request = Request(.get, url: try #require(URL(string: base))) {
            PathComponents {
                "a b"
                "/"
                "ü?#%"
            }
            QueryItems {
                ("q", "+&= ü")
                ("flag", nil)
            }
        }
        #expect(try request.makeTransportRequest().url == expected)
    }

    @Test(arguments: [".", ".."])
    func aComponentCannotClimb(_ component: String) {
        let request = Request(.get, url: usersURL) { PathComponents { component } }
        #expect(request.url == usersURL)
        let error = #expect(throws: NetworkClientError.self) { try request.makeTransportRequest() }
        #expect(error?.code == .malformedURL)
    }

    /// `DELETE /users` is not what is meant when the identifier is missing.
    @Test(arguments: [nil, ""] as [String?]) func aMissingComponentDoesNotNameTheParent(_ id: String?) throws {
        for request in [
            Request(.delete, url: usersURL) { PathComponents { id } },
            Request(.delete, url: usersURL) {
                PathComponents {
                    id; "posts"
                }
            },
            Request(.delete, url: usersURL) { PathComponents { [id ?? ""] } },
        ] {
            let error = #expect(throws: NetworkClientError.self) { try request.makeTransportRequest() }
            #expect(error?.code == .malformedURL && error?.message.contains("nil or empty") == true)
        }
        let left = Request(.get, url: usersURL) { PathComponents { if let id, !id.isEmpty { id } } }
        #expect(try left.makeTransportRequest().url == usersURL.absoluteString)
        let none: [String] = []
        #expect(
            try Request(.get, url: usersURL) { PathComponents { none } }.makeTransportRequest().head.path == "/users")
    }

    @Test func aSlashIsAddedBeforeTheQuery() throws {
        var request = Request(.get, url: usersURL) { QueryItems { ("q", 1) } }
        request.configuration.appendTrailingSlashToPath = true
        #expect(request.url.absoluteString == "https://example.com/users/?q=1")
        request = Request(.get, url: try #require(URL(string: "https://example.com/users/"))).setting(
            request.configuration)
        #expect(request.url.absoluteString == "https://example.com/users/")
    }

    @Test(arguments: ["file:///etc/passwd", "users", "ftp://example.com/", "https://"])
    func onlyAbsoluteWebURLsAreSent(_ text: String) throws {
        let request = Request(.get, url: try #require(URL(string: text)))
        let client = NetworkClient(
            configuration: NetworkConfiguration(
                baseURL: URL(string: "https://base.example/")!, transport: ScriptedTransport()))
        let error = #expect(throws: NetworkClientError.self) { try request.makeTransportRequest(client: client) }
        #expect(error?.code == .malformedURL)
    }

    @Test(arguments: ["a\r\nInjected: 1", "a\nb", "a\0b"])
    func fieldsCannotBeInjected(_ value: String) {
        let request = Request(.get, url: usersURL) { Headers { ("X-Text", value) } }
        let error = #expect(throws: NetworkClientError.self) { try request.makeTransportRequest() }
        #expect(error?.code == .invalidRequest)
        #expect(request.urlRequest.value(forHTTPHeaderField: "X-Text") == nil)
    }

    @Test func aTypeThatTheCallerSetWins() throws {
        let request = Request(.post, url: usersURL) {
            Headers { ("content-type", "application/vnd.api+json") }
            Body { User(name: "Ada") }
        }
        let built = try request.makeTransportRequest()
        #expect(built.head.headerFields[values: .contentType] == ["application/vnd.api+json"])
    }

    @Test func equalityLooksAtMethodURLPropertiesConfigurationAndSession() {
        let request = Request(.get, url: usersURL) { QueryItems { ("q", 1) } }
        let same = Request(.get, url: usersURL) { QueryItems { ("q", 1) } }
        #expect(request == same)
        #expect(request.hashValue == same.hashValue)
        #expect(request != Request(.post, url: usersURL) { QueryItems { ("q", 1) } })
        #expect(request != Request(.get, url: URL(string: "https://example.com/")!) { QueryItems { ("q", 1) } })
        #expect(request != Request(.get, url: usersURL))
        #expect(request != request.setting(Request.Configuration(timeout: 5)))
        var other = request
        other.session = URLSession(configuration: .ephemeral)
        #expect(request != other)
    }

    @Test func descriptionsHoldNoSecrets() {
        let request = Request(.get, url: URL(string: "https://ada:s3cret@example.com/users?token=s3cret#s3cret")!) {
            Headers { Header.authorization(.bearer("s3cret")) }
            Body { "s3cret" }
        }
        var dumped = ""
        dump(request, to: &dumped)
        for text in ["\(request)", String(reflecting: request), dumped] { #expect(!text.contains("s3cret")) }
        #expect("\(request)" == "GET https://example.com/users")
    }

    @Test func theRequestAsACommandLine() throws {
        let request = Request(.post, url: usersURL) {
            Headers { Header.authorization(.bearer("s3cret")) }
            Body { User(name: "it's") }
        }
        let command = try request.curlCommand()
        #expect(command.hasPrefix("curl 'https://example.com/users' "))
        #expect(command.contains(" --header 'Authorization: Bearer ***' "))
        #expect(command.hasSuffix(#" --data-raw '{"name":"it'\''s"}'"#))
        #expect(try request.curlCommand(maskingSecrets: false).contains("s3cret"))
    }

    /// Requests are values that any task may use.
    enum Requests {
        static let users = Request(.get, url: usersURL)
        static let session = URLSession(configuration: .ephemeral)
    }

    @Test func staticRequestsAreSharedBetweenTasks() async throws {
        let transport = ScriptedTransport(.json(#"{"name": "Ada"}"#))
        let client = client(transport)
        try await withThrowingTaskGroup(of: User.self) { group in
            for number in 0..<50 {
                group.addTask { try await Requests.users.adding(QueryItems { ("n", number) }).send(client: client) }
            }
            for try await user in group { #expect(user == User(name: "Ada")) }
        }
        #expect(Set(transport.requests.map(\.target)).count == 50)
    }

    @MainActor @Test func aRequestIsSentFromTheMainActor() async throws {
        let user: User = try await Requests.users.send(client: client(ScriptedTransport(.json(#"{"name": "Ada"}"#))))
        MainActor.assertIsolated()
        #expect(user == User(name: "Ada"))
    }
}
