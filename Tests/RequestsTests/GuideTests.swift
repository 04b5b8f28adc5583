// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataRequests
import StrataTesting
import TestSupport
import Testing

private let transport = ScriptedTransport(.json("{}"))

/// The samples of `BuildingRequests.md`.
struct GuideTests {
    private struct UserPage: Codable {
        var users: [User]
        var cursor: String?
    }

    @Test func theGuideIsCompiled() throws {
        #expect(try GuideSamples.missing(of: "BuildingRequests.md", in: #filePath) == [])
    }

    func search(_ text: String, tags: [String], page: Int?) -> Request {
        Request(.get, url: URL(string: "https://api.example.com/users")!) {
            PathComponents { "search" }
            QueryItems {
                QueryItem("q", text)
                for tag in tags { ("tag", tag) }
                if let page { ("page", page) }
            }
        }
    }

    @Test func searching() {
        #expect(
            search("swift + http", tags: ["a", "b"], page: nil).url.absoluteString
                == "https://api.example.com/users/search?q=swift%20%2B%20http&tag=a&tag=b")
    }

    @Test func pathsInALine() {
        let userName = "a/b"
        let posts = Request(.get, url: "https://api.example.com/users/\(userName)/posts")
        #expect(posts.url.absoluteString == "https://api.example.com/users/a%2Fb/posts")
    }

    enum Shop: Service {
        static let baseURL = URL(string: "https://shop.example.com/v1")!
        static let configuration = Request.Configuration(timeout: 10, parseHTTPStatusErrors: true)

        static var sharedProperties: Request.Properties {
            Headers { Header.authorization(.basic(username: "Ada", password: "secret")) }
        }

        enum Orders: Endpoint {
            typealias Parent = Shop
            static let path = "orders"

            static let all = Request(.get, parent: Self.self)

            @RequestBuilder<Orders>
            static func order(_ id: Int) -> Request {
                Request.HTTPMethod.get
                PathComponents { id }
            }
        }
    }

    enum Users: Service {
        static let baseURL = URL(string: "https://api.example.com/users")!
        static let client = NetworkClient(configuration: NetworkConfiguration(baseURL: nil, transport: transport))
    }

    @Test func theSamplesRun() async throws {
        let server = ScriptedTransport { request in
            switch request["Accept"] {
            case "text/event-stream": return .events("data: a\n\n")
            case _ where request.path.hasPrefix("/v1/orders"): return .status(404)
            default: return .json(request.query == "notify=true" || request.query == nil ? #"{"name":"Ada"}"# : "[]")
            }
        }
        try await Request.withClient(client(server)) { try await samples() }
        #expect(server.requests.contains { $0.path == "/v1/orders/7" })
    }

    private func samples() async throws {
        let request = Request(.post, url: URL(string: "https://api.example.com/users")!) {
            Headers {
                Header.accept(.applicationJSON)
                ("X-Tenant", "acme")
            }
            QueryItems { ("notify", true) }
            Body { User(name: "Ada") }
        }
        let created: User = try await request.send()
        #expect(created == User(name: "Ada"))

        let form = Body {
            Form {
                ("name", "Ada Lovelace")
                ("age", 36)
            }
        }
        let model = Body(User(name: "Ada"), encoder: FormEncoder())
        let parts = Body { MultipartForm([.text("holiday", name: "album")]) }
        let text = Body.text("plain text")
        for body in [form, model, parts, text] { #expect(body.error == nil && body.contentType != nil) }
        #expect(parts.contentType?.hasPrefix("multipart/form-data; boundary=") == true)

        let page = Shop.Orders.all
            .adding(QueryItems { ("page", 2) })
            .settingHeader(name: "X-Tenant", value: "acme")
            .settingOptions { $0.redirects = .manual }
        #expect(page.url.absoluteString == "https://shop.example.com/v1/orders?page=2")

        let response = try await request.send()
        print(response.urlResponse.statusCode, response.data.count)

        let user: User = try await request.send()
        let answer: Request.ResponseModel<User> = try await request.send()
        print(user.name, answer.urlResponse.statusCode)

        try await forms(request)
        try await failures()
        try await streams(request)
        try await tests(request)
    }

    private func forms(_ request: Request) async throws {
        let task = request.send { (result: Result<User, RequestError>) in print(result) }
        task.cancel()

        let users: AnyPublisher<User, RequestError> = request.send()
        let cancellable = users.sink { completion in
            print(completion)
        } receiveValue: { user in
            print(user.name)
        }
        cancellable.cancel()
    }

    private func failures() async throws {
        do {
            _ = try await Shop.Orders.order(7).send()
        } catch RequestError.httpStatus(_, let error) where error.type == .notFound {
            print("no such order", error.response.data)
        } catch RequestError.urlError(_, let error) where error.code == .timedOut {
            print("try again later")
        } catch let error as RequestError {
            print(error, (error.underlyingError as? NetworkClientError)?.exchange?.description ?? "")
        }
    }

    private func streams(_ original: Request) async throws {
        do {
            let request = original.removingHeader(.accept)
            for try await event in try await request.send(as: .events) { print(event.type, event.data) }
            for try await line in try await request.send(as: .lines) { print(line) }
            for try await user in try await request.send(as: .jsonLines(of: User.self)) { print(user.name) }
        }
        let request = original.setting(QueryItems { ("page", 1) })
        do {
            for try await page in request.pages(of: [User].self) { print(page.responseModel.count) }

            let byCursor = request.pages(of: UserPage.self) { page in
                page.responseModel.cursor.map { cursor in request.adding(QueryItems { ("cursor", cursor) }) }
            }
            for try await page in byCursor { print(page.responseModel.users.count) }
        } catch RequestError.decoding {
            // The server of this test has no pages with cursors.
        }
    }

    private func tests(_ request: Request) async throws {
        let built = try request.makeTransportRequest()
        print(built.head.method, built.url)
        print(try request.curlCommand())

        let scripted = ScriptedTransport(.json(#"{"name": "Ada"}"#))
        let double = NetworkClient(configuration: NetworkConfiguration(baseURL: nil, transport: scripted))
        let loaded: User = try await Request.withClient(double) { try await request.send() }
        #expect(loaded.name == "Ada")
        #expect(scripted.requests.first?.text == #"{"name":"Ada"}"#)
    }
}
