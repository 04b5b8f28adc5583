// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataRequests
import StrataTesting
import Testing

struct ServiceTests {
    enum Plain: Service {
        static let baseURL = URL(string: "https://example.com/")!
        static let get = Request(.get, parent: Self.self)
    }

    @Test func aServiceHasDefaults() {
        #expect(Plain.sharedProperties == .empty)
        #expect(Plain.allProperties == .empty)
        #expect(Plain.configuration == .default)
        #expect(Plain.session === URLSession.shared)
        #expect(Plain.client == nil)
        #expect(Plain.get.url.absoluteString == "https://example.com/")
    }

    /// Three levels, each with something to say.
    enum Shop: Service {
        static let baseURL = URL(string: "https://shop.example/api?key=k")!
        static let session = URLSession(configuration: .ephemeral)
        static let transport = ScriptedTransport(.json(#"{"first_name": "Ada"}"#))
        static let client = NetworkClient(configuration: NetworkConfiguration(baseURL: nil, transport: transport))
        static let configuration = Request.Configuration(timeoutInterval: 5, parseHTTPStatusErrors: true)
        static let decoder = {
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            return decoder
        }()

        static var sharedProperties: Request.Properties {
            Headers {
                Header.authorization(.bearer("service"))
                Header.accept("a/a")
            }
            QueryItems { ("level", 1) }
            Body { Data("service".utf8) }
        }

        enum Users: Endpoint {
            typealias Parent = Shop
            static let path = "/users/all suf%20fix"

            static var sharedProperties: Request.Properties {
                Headers {
                    ("AUTHORIZATION", "Bearer endpoint")
                    Header.accept("b/b")
                }
                QueryItems { ("level", 2) }
            }

            enum Orders: Endpoint {
                typealias Parent = Users
                static let path = "orders?sort=up"
                static let configuration = Request.Configuration(timeoutInterval: 9)

                static func order(_ id: String) -> Request {
                    Request(.put, parent: Self.self) {
                        PathComponents { id }
                        QueryItems { ("level", 3) }
                        Headers { Header.accept("c/c") }
                        Body { User(name: "Ada") }
                    }
                }

                @RequestBuilder<Orders> static var all: Request { Request.HTTPMethod.get }
            }
        }
    }

    @Test func levelsAddUpTheParentFirst() throws {
        let built = try Shop.Users.Orders.order("7/a").makeTransportRequest()
        #expect(
            built.url
                == "https://shop.example/api/users/all%20suf%20fix/orders/7%2Fa?key=k&sort=up&level=1&level=2&level=3")
        #expect(built.head.headerFields[values: .accept] == ["a/a,b/b,c/c"])
        #expect(built.head.headerFields[values: .authorization] == ["Bearer endpoint"])
        #expect(built.head.headerFields[values: .contentType] == ["application/json"])
        #expect(built.body.data == Data(#"{"name":"Ada"}"#.utf8))
    }

    enum Written: Service {
        static let baseURL = "https://example.com/v1?key=k"

        enum Users: Endpoint {
            typealias Parent = Written
            static let path = "users"
        }
    }

    enum Misspelt: Service {
        static let baseURL = "https//example.com"

        enum Users: Endpoint {
            typealias Parent = Misspelt
            static let path = "users"
        }
    }

    enum NoURL: Service {
        static let baseURL = "http://user:hunter2@[bad"

        enum Users: Endpoint {
            typealias Parent = NoURL
            static let path = "users"
        }
    }

    @Test func theBaseURLMayBeText() throws {
        let request = Request(.get, parent: Written.self, path: "me")
        #expect(try request.makeTransportRequest().url == "https://example.com/v1/me?key=k")
        let users = Request(.get, parent: Written.Users.self, path: "7")
        #expect(try users.makeTransportRequest().url == "https://example.com/v1/users/7?key=k")
    }

    private static let withoutURL = [
        Request(.get, parent: Misspelt.self, path: "me"), Request(.get, parent: Misspelt.Users.self),
        Request(.get, parent: NoURL.self, path: "me"), Request(.get, parent: NoURL.Users.self, path: "me"),
    ]

    @Test(arguments: withoutURL)
    func textThatIsNoURLFailsByName(_ request: Request) {
        #expect {
            try request.makeTransportRequest()
        } throws: { error in
            (error as? NetworkClientError)?.code == .malformedURL && !"\(error)".contains("hunter2")
        }
    }

    enum Slashes: Endpoint {
        typealias Parent = Plain
        static let path = "//users//all"
    }

    @Test func thereIsOneSlashBeforeThePathOfAnEndpoint() {
        #expect(Slashes.baseURL.absoluteString == "https://example.com/users//all")
    }

    @Test func aBodyIsInheritedWhereThereIsNoOther() {
        #expect(Shop.Users.Orders.all.body == Data("service".utf8))
    }

    @Test func settingsAreInheritedAndOverridden() throws {
        let request = Shop.Users.Orders.all
        #expect(request.session === Shop.session)
        #expect(request.configuration.timeoutInterval == 9)
        #expect(!request.configuration.parseHTTPStatusErrors)
        #expect(Shop.Users.configuration == Shop.configuration)
        let own = Request(.get, parent: Shop.Users.self, configuration: .default)
        #expect(own.configuration == .default)
    }

    private struct Person: Codable { var firstName: String }

    @Test func theClientAndTheDecoderAreInherited() async throws {
        let count = Shop.transport.requests.count
        let person: Person = try await Shop.Users.Orders.all.send()
        #expect(person.firstName == "Ada")
        #expect(Shop.transport.requests.count == count + 1)
    }

    @Test func aClientWinsOverASessionWhereverItIsNamed() {
        let request = Request(.get, parent: Shop.Users.self, session: .shared)
        #expect(request.client != nil)
        #expect(request.session === URLSession.shared)
        let both = Request(.get, parent: Shop.Users.self, session: .shared, client: Shop.client)
        #expect(both.client != nil)
    }

    enum Overriding: Endpoint {
        typealias Parent = Shop
        static let path = "other"
        static let session = URLSession.shared
        static let client: (any NetworkClientProtocol)? = nil
        static let decoder = JSONDecoder()
    }

    @Test func aLevelCanGoWithoutTheClientAboveIt() async throws {
        let request = Request(.get, parent: Overriding.self)
        #expect(request.client == nil)
        #expect(request.session === URLSession.shared)
        #expect(request.decoder as? JSONDecoder === Overriding.decoder)
    }

    /// A format of one's own, for a whole service.
    struct LineDecoder: ResponseBodyDecoder {
        let acceptedContentTypes = ["text/x-name"]
        func decode<Model: Decodable>(_ type: Model.Type, from data: Data, response: HTTPResponse) throws -> Model {
            try JSONDecoder().decode(type, from: Data("{\"name\": \"\(String(decoding: data, as: UTF8.self))\"}".utf8))
        }
    }

    enum Lines: Service {
        static let baseURL = URL(string: "https://lines.example")!
        static let decoder = LineDecoder()
        static let transport = ScriptedTransport(.text("Ada"))
        static let client: any NetworkClientProtocol = NetworkClient(
            configuration: NetworkConfiguration(baseURL: nil, transport: transport))
    }

    @Test func decodersOfOtherFormatsAreTaken() async throws {
        let user: User = try await Request(.get, parent: Lines.self).send()
        #expect(user == User(name: "Ada"))
        #expect(Lines.transport.requests.first?["Accept"] == "text/x-name")
    }

    enum AnyDecoder: Service {
        static let baseURL = Lines.baseURL
        static let decoder: any ResponseBodyDecoder = LineDecoder()

        enum Below: Endpoint {
            typealias Parent = AnyDecoder
            static let path = "below"
        }
    }

    @Test func aDecoderWhoseTypeIsNotNamedIsTaken() {
        #expect(Request(.get, parent: AnyDecoder.self).decoder is LineDecoder)
        #expect(Request(.get, parent: AnyDecoder.Below.self).decoder is LineDecoder)
    }
}
