// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataAPI

struct Span: Codable, Equatable, Sendable {
    var fromDay = 1
    var to = 2
}

/// An encoder with a key strategy, and names of both kinds in every place.
@API @JSON(encoder: ownEncoder())
struct NamesAPI {
    @POST("/n") func json(@Field("userID") id: Int, @Field("Custom Name") custom: String, firstName: String)
        async throws
    @POST("/n") func span(thisSpan: Span, @Field("thatSpan") other: Span) async throws
    @FormUrlEncoded @POST("/n") func form(@Field("userID") id: Int, firstName: String, @Field("theSpan") span: Span)
        async throws
    @Multipart @POST("/n") func parts(@Part(name: "userID") id: Int, firstName: String, tagNames: [String], ints: [Int])
        async throws
    @GET("/n") func query(@Query("userID") id: Int, perPage: Int, @Query("theSpan") span: Span) async throws
    @GET("/n/{userID}") func places(userID: Int, @Header("X-userID") id: Int, @Header firstName: String) async throws
    @JSON(encoder: SnakeEncoder()) @POST("/n") func custom(@Field("userID") id: Int, firstName: String) async throws
    @JSON @POST("/n") func clash(@Field("first_name") other: String, firstName: String) async throws
}

@API
struct ObjectsAPI {
    @GET("/o") func deep(@Query("created") one: Span, @Query("updated") other: Span) async throws
    @GET("/o") func flat(one: Span, other: Span) async throws
    @GET("/o") func beside(to: Int, span: Span) async throws
    @GET("/o") func same(@Query("a") one: Span, @Query("a") other: Span) async throws
    @GET("/o") func twice(@Query("id") one: Int, @Query("id") other: [Int]) async throws
    @GET("/o") func map(@Query("filter") filter: [String: String], @Query("by") ratings: [Rating: [Int]]) async throws
    @GET("/o") func encoded(@Query("filter", encoded: true) filter: [String: String]) async throws
    @GET("/o") func lists(ids: [Int], @Query("t") tags: [String], text: String) async throws
    @POST("/o") func null(name: String??, note: String?) async throws
    @FormUrlEncoded(encoder: FormEncoder(FormOptions(nils: .empty))) @POST("/o") func nullForm(
        name: String??, note: String?)
        async throws
    @GET("/o") func nullQuery(name: String??, note: String?) async throws
    @PUT("/o") func nullBody(_ name: String??) async throws
    @POST("/o") func raw(_ file: URL) async throws
    @POST("/o") func link(file: URL) async throws
    @FormUrlEncoded @POST("/o") func gaps(tags: [String?]) async throws
    @POST("/o") func infinite(items: [Ratio]) async throws
    @POST("/o") func rated(byRating: [Rating: [Rating: Int]], list: [[Rating: Int]]) async throws
    @POST("/o") func ratedBody(_ ratings: [Rating: Int]?) async throws
    @GET("/o") func ratings() async throws -> [Rating: Int]
    @GET("/o") func times(zone: TimeZone, place: Locale, limit: Duration) async throws
    @GET("/o/{span}") func path(span: Span) async throws
    @GET("/o/{ids}") func pathList(ids: [Int]) async throws
}
