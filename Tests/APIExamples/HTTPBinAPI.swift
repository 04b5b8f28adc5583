// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataAPI

/// httpbin, by its routes: the tests of the example client, declared as its users would.
@API
struct HTTPBinAPI {
    @GET("/get") func get(param1: String, param2: Int) async throws -> HTTPBinReply
    @GET("/get") func getNamed(@Query("custom_name") value: String) async throws -> HTTPBinReply
    @POST("/post") func post(_ body: [String: String]) async throws -> HTTPBinReply
    @POST("/post") func postFields(name: String, age: Int, email: String) async throws -> HTTPBinReply
    @PUT("/put") func put(_ data: [String: String]) async throws -> HTTPBinReply
    @PATCH("/patch") func patch(name: String, age: Int) async throws -> HTTPBinReply
    @DELETE("/delete") func delete(id: String) async throws -> HTTPBinReply

    @GET("/anything/{id}") func path(id: String) async throws -> HTTPBinReply
    @GET("/anything/users/{user_id}") func pathNamed(@Path("user_id") userId: Int) async throws -> HTTPBinReply
    @GET("/anything/{a}/posts/{b}") func paths(a: Int, b: String) async throws -> HTTPBinReply
    @GET("/anything/{path}") func pathEncoded(@Path(encoded: true) path: String) async throws -> HTTPBinReply
    @GET("/get") func queryEncoded(@Query(encoded: true) q: String) async throws -> HTTPBinReply

    @Headers(["X-Static-One": "one", "X-Static-Two": "two"])
    @GET("/headers") func headers() async throws -> HTTPBinReply
    @GET("/headers") func header(@Header("X-Dynamic") value: String) async throws -> HTTPBinReply
    @GET("/headers") func headerMap(@HeaderMap fields: [String: String]) async throws -> HTTPBinReply
    @Headers(["User-Agent": "strata-example/1.0"])
    @GET("/user-agent") @ResponseKeyPath("user-agent") func userAgent() async throws -> String

    @FormUrlEncoded @POST("/post") func form(name: String, note: String) async throws -> HTTPBinReply
    @FormUrlEncoded @POST("/post") func formNamed(@Field("first") name: String) async throws -> HTTPBinReply

    @GET("/uuid") @ResponseKeyPath("uuid") func uuid() async throws -> UUID
    @GET("/ip") func ip() async throws -> [String: String]
    @GET("/uuid") func tuple() async throws -> (uuid: String, dummy: Int?)
    @GET("/get") func dictionary(values: [String: String]) async throws -> HTTPBinReply
    @GET("/anything/{id}") func mixed(id: Int, sort: String) async throws -> HTTPBinReply

    @EventStreaming @GET("/stream/{n}") func lines(n: Int) async throws -> AsyncThrowingStream<HTTPBinLine, any Error>
    @Multipart @PUT("/put")
    func upload(text: String, @Part(filename: "a.txt") title: Data) async throws -> (
        form: (text: String, more: String?), files: (title: String?, more: String?)
    )
    @GET("/headers") @ResponseKeyPath("headers.Host") func host() async throws -> String
    @GET("/status/{code}") func status(code: Int) async throws
    @HEAD("/get") func head() async throws -> HTTPHeaders
    @GET("/stream-bytes/{n}") func bytes(n: Int, seed: Int) async throws -> Data
}

struct HTTPBinReply: Decodable, Sendable {
    var args: [String: String]?
    var form: [String: String]?
    var headers: [String: String]
    var json: JSONValue?
    var url: String?

    /// Names compared without case.
    func header(_ name: String) -> String? { headers.first { $0.key.lowercased() == name.lowercased() }?.value }
}

struct HTTPBinLine: Decodable, Sendable { var id: Int }
