// SPDX-License-Identifier: Apache-2.0

import Foundation
public import StrataAPI
public import StrataCore
import StrataTesting

// The types under test. `Tag` is `Testing`'s too, so that they stand in a file that does not import it.

struct Account: Codable, Equatable, Sendable {
    var id: Int
    var name: String?
}

enum Sort: String { case up, down }
enum Rating: String, Codable { case good, bad }
enum Key: String { case tenant = "X-Tenant", trace = "X-Trace" }

extension String { static let plain = "text/plain" }

struct Version: CustomStringConvertible {
    var major: Int
    var description: String { "v\(major)" }
}

enum TenantKey: RequestAttributeKey { static let defaultValue: String? = nil }
enum OperationKey: RequestAttributeKey { static let defaultValue = "" }

struct Problem: APIErrorModel, Equatable {
    var message: String
    var failure: NetworkClientError?

    private enum CodingKeys: CodingKey { case message }

    static func == (one: Problem, other: Problem) -> Bool { one.message == other.message }
}

struct PlainProblem: Error, Decodable, Equatable { var message: String }

enum AccountsError: APIFailure, Equatable {
    case status(Int)
    case other

    init(failure: any Error) {
        let status = (failure as? NetworkClientError)?.response?.status.code
        self = status.map(AccountsError.status) ?? .other
    }
}

/// Collections of what is not `Encodable`, and values that only an encoder can turn into text.
@API
struct CollectionsAPI {
    @GET("/c") func pairs(ranks: KeyValuePairs<Sort, Int>) async throws
    @POST("/c") func pairsBody(_ ranks: KeyValuePairs<Sort, [Sort]>?) async throws
    @GET("/c") func contiguous(ids: ContiguousArray<Int>, sorts: ContiguousArray<Sort>?) async throws
    @POST("/c") func contiguousBody(_ sorts: [ContiguousArray<Sort>]) async throws
    @GET("/c") func sorts(@HeaderMap sorts: [String: Sort?], @HeaderMap lists: [String: [Sort]]?) async throws
    @GET("/c") func fields(@HeaderMap fields: KeyValuePairs<String, String>) async throws
    @GET("/c") func named(@HeaderMap fields: [HTTPField.Name: String], @HeaderMap sorts: [HTTPField.Name: Sort]?)
        async throws

    @GET("/c") func keyed(@HeaderMap fields: [Key: String], @HeaderMap pairs: KeyValuePairs<Key, Sort>?) async throws
    @GET("/c") func rated(_ ratings: [Rating: Int], more: [UInt8: [Rating]]?) async throws
    @FormUrlEncoded @POST("/c") func ratedForm(ratings: [Rating: Int], id: Int) async throws
    @Headers(["Accept": .plain]) @GET("/c") func plain() async throws
    @GET("/c") func dates(filter: [String: Any], days: [Sort: Date], values: [any Encodable]) async throws
    @POST("/c/{id}") func described(
        id: some CustomStringConvertible, note: (some CustomStringConvertible)?,
        @Query since: some CustomStringConvertible, @Header("X-Key") key: any CustomStringConvertible
    ) async throws
    @GET("/c/{id}") func existentials(
        id: (any CustomStringConvertible)?, note: (any CustomStringConvertible)?, count: (any BinaryInteger)?,
        both: (any Encodable & CustomStringConvertible)?, list: [any CustomStringConvertible]?,
        @Header("X-Key") key: (any CustomStringConvertible)?
    ) async throws
    @GET("/c") func dated(
        @Header("If-Modified-Since") since: Date?, @Header("X-Date") other: Date, @HeaderMap more: [String: Date]
    ) async throws
    @GET("/c") func field(@Header("X-Dates") dates: [any Encodable]) async throws
    @FormUrlEncoded @POST("/c") func form(filter: [String: Any]) async throws
    @JSON(encoder: ownEncoder()) @POST("/c") func body(_ values: [String: Any]) async throws
    @JSON(encoder: ownEncoder()) @POST("/c") func list(_ values: [any Encodable]) async throws
    @JSON(encoder: ownEncoder()) @POST("/c") func keyed(_ days: [Sort: Date]) async throws
    @JSON(encoder: ownEncoder()) @PATCH("/c") func change(allChanges: [String: Any]) async throws
}

@API @JSON(encoder: ownEncoder())
struct StampsAPI {
    @Multipart @POST("/c") func parts(meta: Stamp) async throws
}

struct Stamp: Encodable { var atNoon: Date }

func ownEncoder() -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.keyEncodingStrategy = .convertToSnakeCase
    return encoder
}

@API @Tag(TenantKey.self, "type") @Headers(["X-Tenant": "type"])
struct TenantsAPI {
    @GET("/t") func get(@Tag(TenantKey.self) tenant: String?, @Header("X-Tenant") name: String?) async throws
    @Tag(TenantKey.self, nil) @GET("/t") func none() async throws
}

struct Ratio: Encodable {
    static let scale = CodingUserInfoKey(rawValue: "scale")
    var ratio = Double.infinity

    private enum CodingKeys: CodingKey { case ratio, scale }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(ratio, forKey: .ratio)
        guard let key = Self.scale else { return }
        try container.encodeIfPresent(encoder.userInfo[key] as? Int, forKey: .scale)
    }
}

struct SnakeEncoder: RequestBodyEncoder {
    static let version = 2

    func encodeBody<Model: Encodable>(_ model: Model) throws -> EncodedBody {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        return try encoder.encodeBody(model)
    }
}

func snakeCaseDecoder() -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return decoder
}

@API @FormUrlEncoded(encoder: FormEncoder(FormOptions(arrays: .brackets)))
struct FormsAPI {
    @POST("/a") func form(tags: [String]) async throws
    @JSON @POST("/a") func json(tags: [String]) async throws
    @FormUrlEncoded @POST("/a") func again(tags: [String]) async throws
    @GET("/a") func query(tags: [String]) async throws
}

@API @FormUrlEncoded(encoder: FormEncoder(FormOptions(keys: .snakeCase, order: .sorted)))
struct SortedFormsAPI {
    @POST("/a") func form(zipCode: String, ids: [Int], tags: [String: String]) async throws
}

@API
struct EventsAPI {
    @EventStreaming @GET("/e") func models() async throws -> AsyncThrowingStream<Account, any Error>
    @EventStreaming @GET("/e") func silent() async throws -> AsyncStream<Account>
    @EventStreaming @GET("/e") func texts() async throws -> AsyncThrowingStream<String, any Error>
    @EventStreaming(until: "[DONE]") @GET("/e") func untilDone() async throws -> AsyncThrowingStream<String, any Error>
    @EventStreaming @GET("/e") func events() async throws -> AsyncThrowingStream<ServerSentEvent, any Error>
    @EventStreaming(until: .event("stop", isRequired: true)) @GET("/e")
    func eventsUntilStop() async throws -> AsyncThrowingStream<ServerSentEvent, any Error>
    @GET("/e") func bytes() async throws -> AsyncThrowingStream<Data, any Error>
    @GET("/e") func all<T: Decodable>(_ type: T.Type) async throws -> AsyncThrowingStream<T, any Error>
    @EventStreaming @ResponseKeyPath("delta.text") @POST("/e")
    func deltas(prompt: String) async throws -> AsyncThrowingStream<String?, any Error>
    @EventStreaming @ResponseKeyPath("choices.0.delta.content") @POST("/e")
    func choices(prompt: String) async throws -> AsyncThrowingStream<String?, any Error>
    @EventStreaming @ErrorModel(PlainProblem.self) @Timeout(idle: .seconds(9)) @GET("/e")
    func failing() async throws -> AsyncThrowingStream<String, any Error>
    @EventStreaming(options: .brief) @GET("/e") func brief() async throws -> AsyncThrowingStream<String, any Error>
}

extension ServerSentEvents.Options {
    static let brief: Self = {
        var options = Self()
        options.maximumEventSize = 16
        options.keepsUnfinishedEvent = true
        return options
    }()
}

/// A model that belongs to the main actor with its conformance, as those of an app may do by default.
@MainActor struct Ticket: @MainActor Decodable {
    let id: Int

    init(from decoder: any Decoder) throws {
        MainActor.assertIsolated()
        id = try decoder.singleValueContainer().decode(Int.self)
    }
}

@API @MainActor
struct TicketsAPI {
    @EventStreaming @GET("/t") func tickets() async throws -> AsyncThrowingStream<Ticket, any Error>
    @EventStreaming @GET("/t") func silent() async throws -> AsyncStream<Ticket>
}

@API @ResponseKeyPath("data")
struct EnvelopesAPI {
    @GET("/e") func inside() async throws -> Int
    @GET("/e") @ResponseKeyPath("more.count") func elsewhere() async throws -> Int
    @GET("/e") @ResponseKeyPath(nil) func whole() async throws -> [String: JSONValue]
}

struct Person: Decodable, Equatable, Sendable { var firstName: String }

@API @JSON(encoder: SnakeEncoder()) @EventStreaming(until: "[END]")
struct ChatsAPI {
    @EventStreaming @POST("/chat")
    func texts(nickName: String) async throws -> AsyncThrowingStream<String, any Error>
    @EventStreaming(until: .body) @POST("/chat")
    func allTexts(nickName: String) async throws -> AsyncThrowingStream<String, any Error>
    @EventStreaming(encoder: JSONEncoder(), decoder: snakeCaseDecoder()) @POST("/chat")
    func people(nickName: String) async throws -> AsyncThrowingStream<Person, any Error>
}

@API @EventStreaming(encoder: JSONEncoder())
struct EncodedChatsAPI {
    @JSON(encoder: SnakeEncoder()) @POST("/chat")
    func texts(nickName: String) async throws -> AsyncThrowingStream<String, any Error>
}

/// That it compiles is what matters: the call begins outside of the actor, with what is said about all calls.
@API @Headers(["Accept": .plain]) actor LabelledAPI {}

extension LabelledAPI {
    @GET("/c") nonisolated func peek() async throws
}

@API actor CountersAPI {
    @GET("/count") func count() async throws -> Int
    @GET("/peek") nonisolated func peek() async throws -> Int
    func twice() async throws -> Int { try await count() + count() }
}

@API final class RegionalAPI {
    let region: String
    var limit: Int? = 3
    @GET("/r") func get(@Header("X-Region") region: String) async throws -> String
    func local() async throws -> String { try await get(region: region) }
}

@API @Headers(["X-A": "1"])
class CitiesAPI {
    @GET("/cities") func all() async throws -> String
}

final class MayorsAPI: CitiesAPI {}

extension MayorsAPI {
    @GET("/mayors/{city}") func mayor(city: String) async throws -> String
}

/// A property whose value comes from the attribute.
@propertyWrapper
struct Preset {
    var wrappedValue: String?

    init(_ value: String) { wrappedValue = value }
}

@API struct PresetAPI {
    @Preset("eu") var region: String?
    @GET("/preset") func get(region: String?) async throws -> Int
    func local() async throws -> Int { try await get(region: region) }
}

@API struct PinnedAPI {
    let provider = Provider(baseURL: "https://api.example", transport: ScriptedTransport(.json("3")))
    @GET("/pinned") func get() async throws -> Int
}

extension Provider {
    static let four = Provider(baseURL: "https://api.example", transport: ScriptedTransport(.json("4")))
}

@API struct SharedAPI {
    let provider = Provider.four
    @GET("/shared") func get() async throws -> Int
}

/// A parameter of its initialiser is of a type that is not public.
@API public struct MembersAPI {
    let account: Account
    @GET("/members/{id}") func member(id: Int) async throws -> Int
    func mine() async throws -> Int { try await member(id: account.id) }
}

@API struct CountingAPI {
    let next: @Sendable () -> Int
    let region, language: String
    @GET("/c") func get(region: String, language: String, count: Int) async throws -> Int
    func local() async throws -> Int { try await get(region: region, language: language, count: next()) }
}

enum Namespace {
    @API @MainActor struct Isolated {
        @GET("/main") func get() async throws -> String
    }
}

@API
public protocol NotesAPI: Sendable {
    @GET("/notes/{id}") func note(id: Int) async throws -> String
    @GET("/notes/{id}") func note(id: Int, version: Int) async throws -> String
    @POST("/notes") func create(title: String, tags: [String]) async throws(NetworkClientError) -> (
        id: Int, url: String
    )
    @DELETE("/notes/{id}") func delete(id: Int) async throws
    @GET("/notes") func decode<T: Decodable>(_ type: T.Type) async throws -> T
    @EventStreaming @GET("/notes/watch") func watch() async throws -> AsyncStream<String>
}

@API(mock: false) @Headers(["X-A": "1"])
protocol PlainAPI {
    @PUT("/x") func put(_ text: String) async throws
}

/// A type that older versions of a platform do not have.
@available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
struct Novelty: Codable, Equatable { var id: Int }

/// What a mock cannot name as it is declared, and conditions.
@API
protocol ItemsAPI {
    @GET("/items") func find(id: Int) async throws -> String
    @GET("/items") func find(id: String) async throws -> String
    @PUT("/items") func store(items: [some Encodable], note: (some Encodable)?) async throws
    @GET("/items") func pair<T: Decodable>(_ type: T.Type) async throws -> (value: T, count: Int)
    @available(*, deprecated) @EventStreaming @GET("/old")
    func old(id: Int, token: String) async throws -> AsyncThrowingStream<Int, any Error>
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) @GET("/new")
    func new(id: Int) async throws -> Novelty
    #if os(Linux) || canImport(Darwin)
    @GET("/here") func here() async throws -> String
    #else
    @GET("/elsewhere") func elsewhere() async throws -> String
    #endif
}

/// Names that the generated types use themselves.
@API
protocol LogsAPI: AnyObject, Sendable {
    @GET("/provider") func provider() async throws -> String
    @GET("/log") func log() async throws -> String
    @GET("/all") func `list all`(`user-id`: Int) async throws -> String
}

/// The other spelling of `: AnyObject`.
@API
protocol ClassesAPI where Self: AnyObject, Self: Sendable {
    @GET("/classes") func get() async throws -> Int
}

/// Names that the mock's properties would have.
@API
protocol HooksAPI {
    @GET("/message") func message() async throws -> String
    @GET("/on-message") func onMessage() async throws -> String
}

/// Names that stored properties have too.
@API
struct PartnersAPI {
    let client: String
    @GET("/partners") func partners(client: String) async throws -> Int
    func mine() async throws -> Int { try await partners(client: client) }
}

/// Names that hide the instance.
@API
protocol SelvesAPI {
    @GET("/selves/{self}") func find(`self`: String, page: Int) async throws -> String
}
