// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataAPI
import StrataMiddleware

// The samples of `DescribingAnAPI.md`, compiled.

struct Star: Decodable {
    var fullName: String
    var starredAt: Date
}

func starDecoder() -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    decoder.dateDecodingStrategy = .iso8601
    return decoder
}

@API
@JSON(decoder: starDecoder())
struct StarsAPI {
    @GET("/user/starred")
    func stars() async throws -> [Star]
}

enum Guide {
    struct User: Codable, Sendable { var id: Int }
    struct Filter: Codable, Sendable {}
    struct Meta: Codable, Sendable {}
    struct File: Codable, Sendable {}
    struct Message: Codable, Sendable {}
    struct Order: Codable, Sendable {}
    struct Report: Codable, Sendable {}
    struct Note: Codable, Sendable { var title: String }

    @API
    @Headers(["Accept-Language": "en"])
    struct UsersAPI {
        @GET("/users/{id}")
        func user(id: Int) async throws -> User

        @GET("/users")
        func users(role: String?, tags: [String] = [], @Query("per_page") count: Int = 20) async throws -> [User]

        @POST("/users")
        func create(name: String, email: String) async throws -> (id: Int, token: String)

        @PUT("/users/{id}")
        func replace(id: Int, _ user: User) async throws

        @HEAD("/users/{id}")
        func check(id: Int) async throws -> HTTPHeaders
    }

    typealias Clock = @Sendable () -> Date

    @API
    struct NewsAPI {
        let now: Clock

        init(_ provider: Provider, now: @escaping Clock) {
            self.provider = provider
            self.now = now
        }

        @GET("/news")
        func news(before: Date) async throws -> [String]

        func latest() async throws -> [String] { try await news(before: now()) }
    }

    @API
    struct FilesAPI {
        @FormUrlEncoded
        @POST("/search")
        func search(term: String, filter: Filter) async throws -> [File]

        @Multipart
        @POST("/files")
        func upload(file: URL, @Part(filename: "thumb.png") thumbnail: Data, meta: Meta) async throws -> File

        @PATCH("/files/{id}")
        func change(id: Int, _ changes: [String: Any]) async throws -> File

        @GET("/files") @ResponseKeyPath("data.items")
        func files() async throws -> [File]
    }

    struct ChatChunk: Decodable {
        struct Choice: Decodable { var delta: Delta }
        struct Delta: Decodable { var content: String?; var tool_calls: [ToolCall]? }
        /// The first piece of a call has its identifier and name; the arguments come piece by piece.
        struct ToolCall: Decodable { var index: Int; var id: String?; var function: Function }
        struct Function: Decodable { var name: String?; var arguments: String? }

        var choices: [Choice]
    }

    @API
    struct ChatAPI {
        @EventStreaming @ResponseKeyPath("choices.0.delta.content")
        @POST("/chat/completions")
        func stream(model: String, messages: [Message], stream: Bool = true)
            async throws -> APIStream<String?>

        @EventStreaming
        @POST("/chat/completions")
        func chunks(model: String, messages: [Message], stream: Bool = true) async throws -> APIStream<ChatChunk>
    }

    enum Update {
        case text(String)
        case tool(name: String)
        /// A piece of the tool's arguments, which are JSON.
        case toolInput(String)

        struct Start: Decodable {
            struct Block: Decodable { var type: String; var name: String? }
            var content_block: Block
        }

        struct Change: Decodable {
            struct Delta: Decodable { var text: String?; var partial_json: String? }
            var delta: Delta
        }

        static var events: EventDecoding<Update> {
            EventDecoding()
                .on("content_block_start", decoding: Start.self) { $0.content_block.name.map { .tool(name: $0) } }
                .on("content_block_delta", decoding: Change.self) {
                    $0.delta.text.map { .text($0) } ?? $0.delta.partial_json.map { .toolInput($0) }
                }
                .until(.event("message_stop", isRequired: true))
        }
    }

    @API
    struct MessagesAPI {
        @EventStreaming(decoding: Update.events)
        @POST("/v1/messages")
        func updates(model: String, messages: [Message], stream: Bool = true) async throws -> APIStream<Update>

        @EventStreaming(until: .event("message_stop"), events: ["content_block_delta"]) @ResponseKeyPath("delta.text")
        @POST("/v1/messages")
        func texts(model: String, messages: [Message], stream: Bool = true) async throws -> APIStream<String?>
    }

    struct Problem: APIErrorModel {
        var detail: String
        var failure: NetworkClientError?

        private enum CodingKeys: CodingKey { case detail }
    }

    @API
    @ErrorModel(Problem.self)
    struct OrdersAPI {
        @GET("/orders/{id}")
        func order(id: Int) async throws -> Order

        @DELETE("/orders/{id}")
        func cancel(id: Int) async throws(NetworkClientError)
    }

    enum TenantKey: RequestAttributeKey { static let defaultValue: String? = nil }

    @API
    struct ReportsAPI {
        @GET("/reports/{id}")
        @Timeout(idle: .seconds(120), deadline: .seconds(600))
        @Retry(count: 5)
        func report(id: Int, @Tag(TenantKey.self) tenant: String?) async throws -> Data

        @GET @URL
        func next(_ page: URL) async throws -> NetworkResponse<[Report]>

        @HTTP(method: "PURGE", path: "/reports")
        @Options({ $0.acceptableStatus = .codes(200, 404) })
        func purge() async throws
    }

    @API
    protocol NotesAPI: Sendable {
        @GET("/notes/{id}") func note(id: Int) async throws -> Note
        @POST("/notes") func create(title: String) async throws -> Note
    }

    static func calls() async throws {
        let provider = Provider(baseURL: "https://api.example/v1", middleware: [RetryMiddleware()])
        let user = try await UsersAPI(provider).user(id: 7)
        print(user)
    }

    static func streams(_ provider: Provider, _ messages: [Message]) async throws {
        for try await piece in try await ChatAPI(provider).stream(model: "small", messages: messages) {
            print(piece ?? "", terminator: "")
        }
    }

    static func mocks(_ provider: Provider) async throws -> NotesAPIMock {
        let notes: any NotesAPI = NotesAPIClient(provider)

        let mock = NotesAPIMock()
        mock.onNote.reply(Note(title: "first"))
        mock.onCreate.fail(NetworkClientError(.cannotConnect, "offline"))
        _ = try await mock.note(id: 1)
        print(mock.onNote.calls, mock.log.calls)  // [1] ["note(id:)"]
        _ = notes
        return mock
    }

    static func lists() {
        for endpoint in UsersAPI.endpoints { print(endpoint) }
        // GET /users/{id}  user(id:) -> User  path: id
    }

    static let source = #filePath
}
