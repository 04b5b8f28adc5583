// SPDX-License-Identifier: Apache-2.0

import SwiftDiagnostics
import Testing

@testable import StrataAPIExpansion

extension DiagnosticTests {
    // MARK: Parameters

    @Test func aParameterHasOneRole() {
        expectProblem(
            #"@GET("/x") func x(@Query @Header a: Int) async throws"#, .twoRoles("Query", "Header"), at: 26,
            fixed: #"@GET("/x") func x(@Query a: Int) async throws"#)
    }

    @Test(arguments: ["() -> Int", "@escaping (Int) -> Void", "@autoclosure () -> Int", "(() -> Int)?"])
    func aClosureIsNotSent(type: String) {
        expectProblem("@GET(\"/x\") func x(a: \(type)) async throws", .closureParameter, at: 22)
        expectProblem(
            in: "@API protocol A", "@POST(\"/x\") func x(a: \(type)) async throws", .closureParameter, at: 23)
        #expect(problems("@GET(\"/x\") func x(@Tag(K.self) a: \(type)) async throws").isEmpty)
    }

    @Test func aRequestHasOneBody() {
        expectProblem(
            #"@POST("/x") func x(@Body a: Int, @Body b: Int) async throws"#, .twoBodies, at: 34,
            fixed: #"@POST("/x") func x(@Body a: Int, b: Int) async throws"#, leaves: 1)
        expectProblem(
            #"@POST("/x") func x(_ a: Int, _ b: Int) async throws"#, .twoBodies, at: 30,
            fixed: #"@POST("/x") func x(_ a: Int, @Query _ b: Int) async throws"#)
    }

    @Test func aBodyHasNoFieldsBesideIt() {
        expectProblem(
            #"@POST("/x") func x(_ a: Int, notify: Bool = true) async throws"#, .bodyBesideFields("notify"), at: 30,
            fixed: #"@POST("/x") func x(_ a: Int, @Query notify: Bool = true) async throws"#)
        expectProblem(#"@GET("/x") func x(@Body a: Int, @Field b: Int) async throws"#, .bodyBesideFields("b"), at: 33)
        expectProblem(
            in: "@API protocol A", #"@POST("/x") func x(_ a: Int, notify: Bool) async throws"#,
            .bodyBesideFields("notify"), at: 30)
    }

    @Test func fieldsDifferInName() {
        expectProblem(#"@POST("/x") func x(a: Int, @Field("a") b: Int) async throws"#, .duplicateField("a"), at: 28)
        expectProblem(
            ##"@POST("/x") func x(@Field("a") a: Int, @Field(#"a"#) b: Int) async throws"##,
            .duplicateField("a"), at: 40)
        expectProblem(
            #"@POST("/x") func x(@Field(Names.a) a: Int, @Field(Names.a) b: Int) async throws"#,
            .duplicateField("Names.a"), at: 44)
    }

    @Test func headerFieldsDifferInNameAndTagsInKey() {
        expectProblem(
            #"@GET("/x") func x(@Header("X-A") a: String, @Header("x-a") b: String) async throws"#,
            .duplicateHeader("x-a"), at: 45)
        expectProblem(
            ##"@GET("/x") func x(@Header("X-A") a: Int, @Header xA: Int, @Header(#"x-A"#) b: Int) async throws"##,
            .duplicateHeader("x-A"), at: 59)
        expectProblem(
            #"@GET("/x") func x(@Tag(K.self) a: Int, @Tag(K.self) b: Int) async throws"#,
            .duplicateTag("K.self"), at: 40)
        #expect(problems(#"@GET("/x") func x(@Header(N.a) a: Int, @Header(N.A) b: Int) async throws"#).isEmpty)
        // One or the other.
        #expect(problems(#"@GET("/x") func x(@Header("A") a: Int?, @Header("A") b: Int? = nil) async throws"#).isEmpty)
        #expect(problems(#"@GET("/x") func x(@Tag(K.self) a: Int?, @Tag(K.self) b: Int?) async throws"#).isEmpty)
    }

    @Test func partsNeedMultipart() {
        expectProblem(
            #"@PUT("/x") func x(@Part a: Data) async throws"#, .partOutsideMultipart, at: 19,
            fixed: #"@Multipart @PUT("/x") func x(@Part a: Data) async throws"#)
        expectProblem(
            #"@JSON @PUT("/x") func x(@Part a: Data) async throws"#, .partOutsideMultipart, at: 25,
            fixed: #"@Multipart @PUT("/x") func x(@Part a: Data) async throws"#)
        expectProblem(
            #"@FormUrlEncoded(encoder: e) @PUT("/x") func x(@Part a: Data) async throws"#,
            .partOutsideMultipart, at: 47)
        // The type may say it, and an extension's type is out of sight.
        #expect(
            expand(#"@API @Multipart struct A { @PUT("/x") func x(@Part a: Data) async throws }"#).diagnostics.isEmpty)
        #expect(expand(#"extension A { @PUT("/x") func x(@Part a: Data) async throws }"#).diagnostics.isEmpty)
    }

    @Test(arguments: ["Data", "String?", "Foundation.Data", "Optional<URL>", "borrowing Data"])
    func partsHaveNames(type: String) {
        expectProblem(
            #"@Multipart @PUT("/x") func x(_ photo: \#(type)) async throws"#, .unnamedPart, at: 30,
            fixed: #"@Multipart @PUT("/x") func x(photo: \#(type)) async throws"#)
        #expect(problems(#"@Multipart @PUT("/x") func x(_ form: Form?) async throws"#).isEmpty)
    }

    @Test(arguments: ["@API @Multipart struct A", "extension A"])
    func partsMayHaveOneName(type: String) {
        let member = #"@PUT("/x") func x(@Part(name: "f") a: Data, @Part(name: "f") b: Data) async throws"#
        #expect(problems(in: type, member).isEmpty)
    }

    @Test func parametersAreNotWritten() {
        expectProblem(#"@GET("/x") func x(a: inout Int) async throws"#, .inoutParameter, at: 22)
    }

    @Test func norAreTheyPacks() {
        expectProblem(
            #"@GET("/x") func x<each A: Encodable>(a: repeat each A) async throws"#, .packParameter, at: 41)
    }

    @Test func parametersHaveNames() {
        expectProblem(
            #"@POST("/x") func x(_: User) async throws"#, .unnamedParameter, at: 20,
            fixed: #"@POST("/x") func x(_ value: User) async throws"#)
        expectProblem(
            #"@DELETE("/x/{id}") func x(id _: Int) async throws"#, .unnamedParameter, at: 27,
            fixed: #"@DELETE("/x/{id}") func x(id value: Int) async throws"#)
        // A metatype is not sent, but told to a mock.
        let metatype = #"@GET("/x") func x<T: Decodable>(_: T.Type) async throws -> T"#
        #expect(problems(metatype).isEmpty)
        expectProblem(
            in: "@API protocol A", metatype, .unnamedParameter, at: 33,
            fixed: #"@GET("/x") func x<T: Decodable>(_ value: T.Type) async throws -> T"#)
    }

    @Test func aPlaceholderIsFilledOnce() {
        expectProblem(
            #"@GET("/{id}") func x(@Path("id") a: Int, @Path("id") b: Int) async throws"#,
            .duplicatePlaceholder("id"), at: 42)
        // The one that another parameter fills is not offered.
        expectProblem(
            #"@GET("/{gid}") func x(@Path("id") a: Int, @Path("gid") b: Int) async throws"#,
            .pathWithoutPlaceholder("id"), at: 23,
            fixed: #"@GET("/{gid}") func x(a: Int, @Path("gid") b: Int) async throws"#)
        #expect(problems(#"@GET("/a/{id}/b/{id}") func x(id: Int) async throws"#).isEmpty)
    }

    @Test func aRequestHasOneTarget() {
        expectProblem(
            #"@GET @URL func x(@Url a: URL, @Url b: URL) async throws"#, .twoTargets, at: 31,
            fixed: #"@GET @URL func x(@Url a: URL, b: URL) async throws"#)
        expectProblem(
            #"@GET("/x") func x(@Url link: URL) async throws"#, .targetWithoutURL, at: 19,
            fixed: #"@GET("/x") func x(link: URL) async throws"#)
    }

    @Test func aPlaceholdersNameIsALiteral() {
        expectProblem(#"@GET("/x") func x(@Path(name) a: Int) async throws"#, .nameNotLiteral, at: 25)
    }

    @Test func aTagHasAKey() {
        expectProblem(#"@GET("/x") func x(@Tag a: Int) async throws"#, .missingTagKey, at: 19)
    }
}
