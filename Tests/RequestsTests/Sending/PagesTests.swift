// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataRequests
import StrataTesting
import Testing

struct PagesTests {
    private let request = Request(.get, url: usersURL) {
        Headers {
            Header.authorization(.bearer("s3cret"))
            ("X-Tenant", "acme")
            ("X-Plan", "free")
        }
        QueryItems { ("page", 1) }
    }

    private func page(_ number: Int, link: String?, status: Int = 200) -> ScriptedReply {
        let name = HTTPField.Name("Link")
        var fields = HTTPFields()
        if let name, let link { fields[name] = link }
        return .json(#"[{"name": "\#(number)"}]"#, status: status, fields: fields)
    }

    private func names(_ transport: ScriptedTransport, _ request: Request? = nil) async throws -> [String] {
        var names: [String] = []
        for try await page in (request ?? self.request).pages(of: [User].self, client: client(transport)) {
            names += page.responseModel.map(\.name)
        }
        return names
    }

    private func namesBeforeTheError(_ transport: ScriptedTransport) async -> [String] {
        var names: [String] = []
        await #expect(throws: RequestError.self) {
            for try await page in request.pages(of: [User].self, client: client(transport)) {
                names += page.responseModel.map(\.name)
            }
        }
        return names
    }

    @Test func linksAreFollowedToTheLastPage() async throws {
        let transport = ScriptedTransport(
            page(1, link: #"<https://example.com/users?page=2&q=a%20b>; rel="next", </users?page=9>; rel="last""#),
            page(2, link: #"<?page=3>; rel=prev, <?page=3>; rel="alternate NEXT""#),
            page(3, link: "</users?page=1>; rel=first"))
        #expect(try await names(transport) == ["1", "2", "3"])
        #expect(transport.requests.map(\.target) == ["/users?page=1", "/users?page=2&q=a%20b", "/users?page=3"])
        #expect(transport.requests.allSatisfy { $0["Authorization"] == "Bearer s3cret" && $0["X-Plan"] == "free" })
    }

    @Test func pagesAreSentWhenTheyAreAskedFor() async throws {
        let transport = ScriptedTransport(page(1, link: "<?page=2>; rel=next"), page(2, link: "<?page=3>; rel=next"))
        var pages = request.pages(client: client(transport)).makeAsyncIterator()
        #expect(transport.requests.isEmpty)
        let first = try await pages.next()
        #expect(first?.data == Data(#"[{"name": "1"}]"#.utf8))
        #expect(transport.requests.count == 1)
        for try await _ in request.pages(client: client(transport)) { break }
        #expect(transport.requests.count == 2)
    }

    @Test func pagesGoThroughTheClientOfTheScopeInWhichTheyAreAskedFor() async throws {
        let (own, scoped) = (ScriptedTransport(page(1, link: nil)), ScriptedTransport(page(1, link: nil)))
        let pages = Request(.get, url: usersURL, client: client(own)).pages(of: [User].self)
        try await Request.withClient(client(scoped)) {
            for try await _ in pages {}
        }
        #expect(own.requests.isEmpty)
        #expect(scoped.requests.count == 1)
    }

    @Test func pagesThatAreMadeInAScopeKeepItsClient() async throws {
        let (own, scoped) = (ScriptedTransport(page(1, link: nil)), ScriptedTransport(page(1, link: nil)))
        let request = Request(.get, url: usersURL, client: client(own))
        let pages = await Request.withClient(client(scoped)) { request.pages() }
        for try await _ in pages {}
        #expect(own.requests.isEmpty)
        #expect(scoped.requests.count == 1)
    }

    @Test func everyLoopBeginsAtTheFirstPage() async throws {
        let transport = ScriptedTransport { request in
            page(request.number, link: request.target.hasSuffix("=1") ? "<?page=2>; rel=next" : nil)
        }
        let pages = request.pages(client: client(transport))
        for _ in 0..<2 {
            var count = 0
            for try await _ in pages { count += 1 }
            #expect(count == 2)
        }
    }

    @Test func secretsDoNotFollowToAnotherOrigin() async throws {
        let transport = ScriptedTransport(
            page(1, link: "<https://other.example/users?page=2>; rel=next"), page(2, link: nil))
        let fields = Headers {
            ("Host", "example.com")
            ("Origin", "https://example.com")
        }
        let marked = request.adding(fields).settingOptions { options in
            if let tenant = HTTPField.Name("X-Tenant") { options.sensitiveFields.insert(tenant) }
        }
        #expect(try await names(transport, marked) == ["1", "2"])
        let second = transport.requests[1]
        #expect(second.url == "https://other.example/users?page=2")
        for name in ["Authorization", "X-Tenant", "Host", "Origin"] {
            #expect(transport.requests[0][name] != nil && second[name] == nil, "\(name)")
        }
        #expect(second["X-Plan"] == "free")
    }

    @Test func whatARedirectLeftBehindDoesNotComeBackWithALink() async throws {
        let transport = ScriptedTransport { request in
            switch request.url {
            case "https://example.com/users?page=1": .redirect(to: "https://other.example/users")
            case "https://other.example/users": page(1, link: "<https://example.com/users?page=2>; rel=next")
            default: page(2, link: nil)
            }
        }
        #expect(try await names(transport) == ["1", "2"])
        #expect(transport.requests.map { $0["Authorization"] != nil } == [true, false, false])
    }

    @Test(arguments: [nil, "https://example.com/api"] as [String?])
    func theClientsSecretsDoNotGoToAnotherOrigin(_ base: String?) async throws {
        let transport = ScriptedTransport(
            page(1, link: "<https://other.example/users?page=2>; rel=next"), page(2, link: "<?page=3>; rel=next"),
            page(3, link: "<https://example.com/users?page=4>; rel=next"), page(4, link: nil))
        var configuration = NetworkConfiguration(baseURL: base.flatMap { URL(string: $0) }, transport: transport)
        configuration.defaultFields[.authorization] = "Bearer s3cret"
        configuration.interceptor = { request in
            var request = request
            request.head.headerFields[.cookie] = "a=s3cret"
            return request
        }
        let client = NetworkClient(configuration: configuration)
        for try await _ in Request(.get, url: usersURL).pages(client: client) {}
        // Only a client with a base URL knows that it is back.
        let isBack = base != nil
        #expect(transport.requests.map { $0["Authorization"] != nil } == [true, false, false, isBack])
        #expect(transport.requests.map { $0["Cookie"] != nil } == [true, false, false, isBack])
    }

    @Test func credentialsOfTheURLStayWithItsOrigin() async throws {
        let transport = ScriptedTransport(
            page(1, link: "</users?page=2>; rel=next"), page(2, link: "<?page=3>; rel=next"),
            page(3, link: "<https://other.example/users?page=4>; rel=next"), page(4, link: nil))
        let request = Request(.get, url: URL(string: "https://ada:p%40w@example.com/users")!)
        #expect(try await names(transport, request) == ["1", "2", "3", "4"])
        let basic = "Basic \(Data("ada:p@w".utf8).base64EncodedString())"
        #expect(transport.requests.map { $0["Authorization"] } == [basic, basic, basic, nil])
        #expect(transport.requests.map(\.target) == ["/users", "/users?page=2", "/users?page=3", "/users?page=4"])
    }

    @Test(arguments: [
        "<http://example.com/users?page=2>; rel=next", "<?page=1>; rel=next", "<#top>; rel=next",
        "<javascript:alert(1)>; rel=next", "<https://ada:s3cret@example.com/>; rel=next",
    ])
    func targetsThatMustNotBeFollowedAreErrorsAfterTheirPage(_ link: String) async {
        let transport = ScriptedTransport(page(1, link: link), page(2, link: nil))
        #expect(await namesBeforeTheError(transport) == ["1"])
        #expect(transport.requests.count == 1)
    }

    @Test func circlesAreNoticedAfterTheirLastPage() async {
        let transport = ScriptedTransport { request in
            page(request.number, link: request.number % 2 == 0 ? "<?page=2>; rel=next" : "<?page=3>; rel=next")
        }
        #expect(await namesBeforeTheError(transport) == ["0", "1", "2"])
        #expect(transport.requests.count == 3)
    }

    @Test func aFieldThatCannotBeReadHidesNoOther() async throws {
        var first = HTTPFields()
        for value in ["<?page=9", "<?page=2>; rel=next"] {
            first.append(HTTPField(name: try #require(HTTPField.Name("Link")), value: value))
        }
        let transport = ScriptedTransport(.json(#"[{"name": "1"}]"#, fields: first), page(2, link: nil))
        #expect(try await names(transport) == ["1", "2"])
    }

    @Test func linksOfAnotherContextAreNotFollowed() async throws {
        let links = ["<?page=2>; rel=next; anchor=\"/other\"", "<?page=2>; rel=next; anchor=\"#part\"", "<?page=2"]
        for link in links { #expect(try await names(ScriptedTransport(page(1, link: link))) == ["1"]) }
        for anchor in ["?page=1", ""] {
            let link = "<?page=2>; rel=next; anchor=\"\(anchor)\""
            let own = ScriptedTransport(page(1, link: link), page(2, link: nil))
            #expect(try await names(own) == ["1", "2"])
        }
    }

    @Test func aPageThatIsAnErrorIsNotTheEnd() async throws {
        let transport = ScriptedTransport(page(1, link: "<?page=2>; rel=next"), page(2, link: nil, status: 503))
        var seen = 0
        let error = await #expect(throws: RequestError.self) {
            for try await _ in request.pages(client: client(transport)) { seen += 1 }
        }
        guard case .httpStatus(_, let httpError) = error else { return #expect(Bool(false), "\(error as Any)") }
        #expect(httpError.statusCode == 503)
        #expect(seen == 1)
    }

    private struct CursorPage: Codable {
        var items: [Int]
        var cursor: String?
    }

    @Test func aClosureMakesTheNextRequest() async throws {
        let transport = ScriptedTransport(
            .json(#"{"items": [1, 2], "cursor": "a+b"}"#), .json(#"{"items": [3], "cursor": "c"}"#),
            .json(#"{"items": []}"#))
        let request = Request(.get, url: usersURL)
        let pages = request.pages(of: CursorPage.self, client: client(transport)) { page in
            page.responseModel.cursor.map { cursor in request.adding(QueryItems { ("cursor", cursor) }) }
        }
        var items: [Int] = []
        for try await page in pages { items += page.responseModel.items }
        #expect(items == [1, 2, 3])
        #expect(transport.requests.map(\.target) == ["/users", "/users?cursor=a%2Bb", "/users?cursor=c"])
    }

    @Test func theRequestThatAClosureMakesGoesThroughTheClientThatItNamesOrTheFirstOnes() async throws {
        let first = ScriptedTransport(page(1, link: nil), page(3, link: nil))
        let second = ScriptedTransport(page(2, link: nil))
        let named = Request(.get, url: usersURL, client: client(second))
        let pages = Request(.get, url: usersURL, client: client(first)).pages(of: [User].self) { page in
            switch page.responseModel.first?.name {
            case "1": named
            case "2": Request(.get, url: usersURL)
            default: nil
            }
        }
        var names: [String] = []
        for try await page in pages { names += page.responseModel.map(\.name) }
        #expect(names == ["1", "2", "3"])
        #expect(second.requests.count == 1)
    }
}
