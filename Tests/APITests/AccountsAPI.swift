// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataAPI
import StrataCore
import StrataTesting

// `Tag` is `Testing`'s too, so that this stands in a file that does not import it.

@API
@Headers(["X-Scope": "type", "X-Type": "1"])
@ErrorModel(Problem.self)
@Tag(OperationKey.self, "accounts")
struct AccountsAPI {
    @GET("/files/{name}.json") func file(name: String) async throws -> String
    @GET("/files/{path}") func raw(@Path(encoded: true) path: String) async throws
    @GET("{path}") func anywhere(@Path(encoded: true) path: String) async throws
    @GET("/accounts/{id}") func maybe(id: Int?) async throws
    @GET("/list?fixed=1") func list(
        page: Int?, tags: [String], sorts: [Sort]?, since: Date?, sort: Sort?, version: Version,
        @Query("f") flag: Bool = true
    ) async throws -> [Account]
    @GET("/list?") func open(a: Int) async throws
    @GET("/raw") func rawQuery(@Query("q", encoded: true) text: String) async throws
    @GET("/raw") func rawNames(
        @Query("a%20filter[name]", encoded: true) text: String, @Query("a%5B", encoded: true) list: [String],
        @Query(encoded: true) map: [String: String]
    ) async throws
    @GET("/trailing/") func trailing() async throws

    @Headers(["x-scope": "function"])
    @GET("/fields")
    func fields(
        @Header("X-Scope") scope: String?, @Header token: String?, @Header("X-List") list: [Int],
        @HeaderMap more: [String: String]?
    ) async throws

    @GET("/fields") func numbers(@HeaderMap numbers: [String: Int?]) async throws

    @GET("/none") func nothing() async throws
    @GET("/data") func data() async throws -> Data
    @GET("/text") func text() async throws -> String
    @GET("/maybe") func optional() async throws -> Account?
    @GET("/head") func head() async throws -> HTTPResponse
    @GET("/response") func response() async throws -> NetworkResponse<Account>
    @GET("/empty") func emptyResponse() async throws -> NetworkResponse<Void>
    @GET("/generic") func generic<T: Decodable>(_ type: T.Type) async throws -> T
    @GET("/tuple") func tuple() async throws -> (id: Int, name: String?, tags: [String])
    @GET("/json-tuple") func jsonTuple() async throws -> (id: Int, more: JSONValue)
    @GET("/tuples") func tuples() async throws -> [(id: Int, owner: (id: Int, name: String)?)]
    @GET("/table") func table() async throws -> [String: (a: Int, b: [[Int]])]
    @JSON(decoder: snakeCaseDecoder())
    @GET("/table") func snakeTable() async throws -> [String: (
        firstName: String, tagCounts: Dictionary<String, (inAll: Int, inUse: Int)>
    )]
    @GET("/maybe-tuple") func optionalTuple() async throws -> (a: Int, b: Int)?
    @GET("/generic-tuple") func genericTuple<T: Decodable>(_ type: T.Type) async throws -> (value: T, count: Int)
    @GET("/path") @ResponseKeyPath("items.0.name") func named() async throws -> String
    @GET("/path") @ResponseKeyPath("items.0.name") func maybeNamed() async throws -> String?
    @Headers(["Content-Type": "application/vnd.a+json"]) @PUT("/typed") func content(_ account: Account?) async throws

    @GET("/typed") func typed() async throws(AccountsError) -> Account
    @GET("/typed") func typedClient() async throws(NetworkClientError) -> Account
    @GET("/plain") @ErrorModel(PlainProblem.self) func plainProblem() async throws -> Account

    @GET("/options")
    @Timeout(idle: .seconds(5), deadline: .seconds(30))
    @Options({ $0.acceptableStatus = .any })
    func options(@Tag(TenantKey.self) tenant: String?) async throws -> String
    @GET("/tagged") func tagged(@Tag(TenantKey.self) tenant: String) async throws

    @GET @URL func page(_ link: String, size: Int?) async throws -> String
    @POST @URL func post(@Url to: URL, _ account: Account) async throws -> String
    @PUT @URL func upload(_ data: Data, to url: URL) async throws
    @TRACE @URL func trace(_ link: String) async throws
    @CONNECT @URL func connect(_ link: String) async throws
    @HTTP(method: "PROPFIND", path: "/dav") func propfind(depth: Int) async throws
    @CONNECT("/c") func connect(a: Int) async throws
    @TRACE("/t") func trace() async throws
    @TRACE("/t") func trace(@Body text: String) async throws

    @POST("/any") func any(_ values: [String: Any]) async throws
    @POST("/any") func anyList(_ values: [[String: Any]]) async throws
    @POST("/any") func anySendable(_ values: [String: any Sendable]) async throws
    @POST("/any") func anyOptional(_ values: [Any?]) async throws
    @POST("/any") func anything(_ value: (any Encodable)?) async throws
    @POST("/any") func anyKeys(_ values: [AnyHashable: Any]) async throws
    @POST("/any") func ranks(_ ranks: [Sort: Set<Sort>]?) async throws
    @POST("/any") func versions(_ versions: [String: [Sort: [Version?]]]) async throws
    @GET("/gaps") func gaps(ids: [Int?], groups: [String: [Int]], @Header("X-Ids") header: [Int?]) async throws
    @GET("/sets") func sets(sorts: Set<Sort>, ids: Set<Int>, ranks: [Sort: Int]) async throws
    @GET("/slices") func slices(
        ids: ArraySlice<Int>, sorts: ArraySlice<Sort>?, groups: [String: ArraySlice<Int>],
        filters: KeyValuePairs<String, String>
    ) async throws
    @GET("/pairs") func pairs(sorts: KeyValuePairs<String, Sort>, more: KeyValuePairs<String, Any>?) async throws
    @POST("/accounts") func add(_ accounts: ArraySlice<Account>) async throws
    @POST("/anys") func anys(@Body values: [Any]) async throws
    @POST("/any-field") func anyField(filter: [String: Any]?, note: String?) async throws
    @POST("/raw") func rawBody(_ data: Data) async throws
    @GET("/search") func searchBody(@Body filter: Account, @Query limit: Int) async throws
    @FormUrlEncoded @POST("/form") func form(
        account: Account, @Field("x") other: Account, tags: [String], note: String?)
        async throws
    @FormUrlEncoded @POST("/form") func formBody(_ account: Account) async throws
    @FormUrlEncoded @POST("/form") func mixedForm(note: String, filter: [String: Any], account: Account?) async throws
    @FormUrlEncoded @POST("/form") func ratioForm(ratio: Ratio) async throws
    @FormUrlEncoded @POST("/form") func tagForm(note: String, tags: [String: String]) async throws
    @Multipart @POST("/form") func multipart(
        @Part(name: "n", filename: "a \"b\".txt") text: String, count: Int, parts: [MultipartPart], note: String?,
        account: Account
    ) async throws
    @JSON(encoder: SnakeEncoder()) @PUT("/snake") func snake(firstName: String) async throws

    @Headers(["User-Agent": "App/\(SnakeEncoder.version)"]) @GET("/agent") func agent() async throws
    @PUT("/borrowed") func borrowed(_ account: borrowing Account) async throws
    @GET("/isolated") func isolated(page: Int, isolation: isolated (any Actor)? = #isolation) async throws
    @GET("/keywords") func keywords(in: String, for: Int) async throws
    @GET("/operators") func operators(await: Bool, copy: Int) async throws
    @StrataAPI.GET("/module/{a}") func module(@StrataAPI.Path("a") b: Int) async throws
    @GET("/selves/{self}") func selves(_ `self`: Int, self other: Int) async throws
    @GET("/names/{call}") func names(call: Int, provider: String, `self value`: String, `in`: Int) async throws
    @available(*, deprecated) @GET("/old") func old() async throws
    @discardableResult @GET("/discard") func discard() async throws -> Account
    @GET("/variadic") func variadic(_ ids: Int...) async throws
}

extension AccountsAPI {
    @GET("/extended") func extended() async throws -> String
}
