// SPDX-License-Identifier: Apache-2.0

import SwiftDiagnostics
import Testing

@testable import StrataAPIMacros

/// Each rule, where it is reported, and what its fix-it makes of the source.
struct DiagnosticTests {
    // MARK: The function

    @Test func anEndpointIsAsyncThrows() {
        for (effects, column) in [("", 17), (" async", 17), (" throws", 17)] {
            expectProblem(
                "@API struct A {\n@GET(\"/x\") func x()\(effects) -> Int\n}", .notAsyncThrows, at: 2, column,
                fixed: "@API struct A {\n@GET(\"/x\") func x() async throws -> Int\n}")
        }
        expectProblem(
            "@API struct A {\n@GET(\"/x\") func x() rethrows\n}", .notAsyncThrows, at: 2, 17,
            fixed: "@API struct A {\n@GET(\"/x\") func x() async throws\n}")
        expectProblem(
            "@API struct A {\n@GET(\"/x\") func x() throws(E)\n}", .notAsyncThrows, at: 2, 17,
            fixed: "@API struct A {\n@GET(\"/x\") func x() async throws(E)\n}")
    }

    @Test func anEndpointHasNoBody() {
        expectProblem(
            "@API struct A {\n@GET(\"/x\") func x() async throws { }\n}", .hasBody, at: 2, 34,
            fixed: "@API struct A {\n@GET(\"/x\") func x() async throws\n}")
        expectProblem(
            "@API struct A {\n@GET(\"/x\") func x() async throws -> Int {\n    1\n}\n}", .hasBody, at: 2, 41,
            fixed: "@API struct A {\n@GET(\"/x\") func x() async throws -> Int\n}")
    }

    @Test func anEndpointIsAnInstanceFunction() {
        expectProblem(
            "@API struct A {\n@GET(\"/x\") public static func x() async throws\n}", .notAnInstanceFunction, at: 2, 19,
            fixed: "@API struct A {\n@GET(\"/x\") public func x() async throws\n}")
    }

    @Test func aFunctionHasOneMethod() {
        expectProblem(
            "@API struct A {\n@GET(\"/x\") @POST(\"/x\") func x() async throws\n}", .twoMethods("GET", "POST"), at: 2,
            12,
            fixed: "@API struct A {\n@GET(\"/x\") func x() async throws\n}")
    }

    @Test func anEndpointNeedsItsType() {
        expectProblem("struct A {\n@GET(\"/x\") func x() async throws\n}", .missingAPI("GET"), at: 2, 1)
        expectProblem("@GET(\"/x\") func x() async throws", .missingAPI("GET"), at: 1, 1)
    }

    @Test func apiGoesOnTypesThatHoldAProvider() {
        expectProblem("@API enum A {}", .unsupportedType, at: 1, 1)
    }

    // MARK: Path

    @Test func everyPlaceholderHasAParameter() {
        expectProblem(
            "@API struct A {\n@GET(\"/users/{id}\") func x() async throws\n}", .unmatchedPlaceholder("id"), at: 2, 14,
            fixed: "@API struct A {\n@GET(\"/users/{id}\") func x(id: String) async throws\n}")
        expectProblem(
            "@API struct A {\n@GET(\"/a/{b}/{b}\") func x(sort: Int) async throws\n}", .unmatchedPlaceholder("b"),
            at: 2, 10,
            fixed: "@API struct A {\n@GET(\"/a/{b}/{b}\") func x(b: String, sort: Int) async throws\n}")
    }

    @Test func aParameterThatOnlyDiffersInSpellingIsMeant() {
        expectProblem(
            "@API struct A {\n@GET(\"/users/{user_id}\") func x(userID: Int) async throws\n}",
            .unmatchedPlaceholder("user_id"), at: 2, 14,
            fixed: "@API struct A {\n@GET(\"/users/{user_id}\") func x(@Path(\"user_id\") userID: Int) async throws\n}")
        // Attributes cannot stand on the parameters of a requirement.
        expectProblem(
            "@API protocol A {\n@GET(\"/users/{user_id}\") func x(userID: Int) async throws\n}",
            .unmatchedPlaceholder("user_id"), at: 2, 14,
            fixed:
                "@API protocol A {\n@GET(\"/users/{user_id}\") func x(user_id: String, userID: Int) async throws\n}")
    }

    @Test func everyPathParameterHasAPlaceholder() {
        expectProblem(
            "@API struct A {\n@GET(\"/users\") func x(@Path(\"id\") id: Int) async throws\n}",
            .pathWithoutPlaceholder("id"), at: 2, 23,
            fixed: "@API struct A {\n@GET(\"/users\") func x(id: Int) async throws\n}")
        expectProblem(
            "@API struct A {\n@GET(\"/users/{gid}\") func x(@Path(\"id\", encoded: true) id: Int) async throws\n}",
            .pathWithoutPlaceholder("id"), at: 2, 29,
            fixed:
                "@API struct A {\n@GET(\"/users/{gid}\") func x(@Path(\"gid\", encoded: true) id: Int) async throws\n}")
    }

    @Test func aPathIsAPlainLiteral() {
        expectProblem("@API struct A {\n@GET(path) func x() async throws\n}", .pathNotLiteral, at: 2, 6)
        expectProblem("@API struct A {\n@GET(\"/\\(a)\") func x() async throws\n}", .pathNotLiteral, at: 2, 6)
    }

    @Test func aPathIsWellFormed() {
        expectProblem("@API struct A {\n@GET(\"/a/{b\") func x(b: Int) async throws\n}", .unbalancedBrace, at: 2, 10)
        expectProblem("@API struct A {\n@GET(\"/a/b}\") func x() async throws\n}", .unbalancedBrace, at: 2, 11)
        expectProblem("@API struct A {\n@GET(\"/a/{}\") func x() async throws\n}", .badPlaceholder(""), at: 2, 10)
        expectProblem("@API struct A {\n@GET(\"/a/{+b}\") func x() async throws\n}", .badPlaceholder("+b"), at: 2, 10)
        expectProblem(
            "@API struct A {\n@GET(\"/a b/ü\") func x() async throws\n}", .illegalPathCharacter(" "), at: 2, 9,
            fixed: "@API struct A {\n@GET(\"/a%20b/%C3%BC\") func x() async throws\n}")
        expectProblem(
            "@API struct A {\n@GET(\"/a#top\") func x() async throws\n}", .fragmentInPath, at: 2, 9,
            fixed: "@API struct A {\n@GET(\"/a\") func x() async throws\n}")
    }

    @Test func aMethodIsAToken() {
        expectProblem(
            "@API struct A {\n@HTTP(method: \"A B\", path: \"/\") func x() async throws\n}", .methodNotToken, at: 2, 15)
        expectProblem(
            "@API struct A {\n@HTTP(method: verb, path: \"/\") func x() async throws\n}", .methodNotToken, at: 2, 15)
    }

    @Test func aTargetIsAPathOrAURL() {
        expectProblem("@API struct A {\n@GET func x() async throws\n}", .missingPath, at: 2, 1)
        expectProblem(
            "@API struct A {\n@GET(\"/x\") @URL func x(_ a: String) async throws\n}", .pathBesideURL, at: 2, 6,
            fixed: "@API struct A {\n@GET(\"/x\") func x(_ a: String) async throws\n}")
        expectProblem("@API struct A {\n@GET @URL func x(a: String) async throws\n}", .missingTarget, at: 2, 1)
    }

    // MARK: Parameters

    @Test func aParameterHasOneRole() {
        expectProblem(
            "@API struct A {\n@GET(\"/x\") func x(@Query @Header a: Int) async throws\n}", .twoRoles("Query", "Header"),
            at: 2, 26, fixed: "@API struct A {\n@GET(\"/x\") func x(@Query a: Int) async throws\n}")
    }

    @Test func aRequestHasOneBody() {
        expectProblem(
            "@API struct A {\n@POST(\"/x\") func x(@Body a: Int, @Body b: Int) async throws\n}", .twoBodies, at: 2, 34,
            fixed: "@API struct A {\n@POST(\"/x\") func x(@Body a: Int, b: Int) async throws\n}", leaves: 1)
        expectProblem(
            "@API struct A {\n@POST(\"/x\") func x(_ a: Int, _ b: Int) async throws\n}", .twoBodies, at: 2, 30,
            fixed: "@API struct A {\n@POST(\"/x\") func x(_ a: Int, @Query _ b: Int) async throws\n}")
    }

    @Test func aBodyHasNoFieldsBesideIt() {
        expectProblem(
            "@API struct A {\n@POST(\"/x\") func x(_ a: Int, notify: Bool = true) async throws\n}",
            .bodyBesideFields("notify"), at: 2, 30,
            fixed: "@API struct A {\n@POST(\"/x\") func x(_ a: Int, @Query notify: Bool = true) async throws\n}")
        expectProblem(
            "@API struct A {\n@GET(\"/x\") func x(@Body a: Int, @Field b: Int) async throws\n}", .bodyBesideFields("b"),
            at: 2, 33)
        expectProblem(
            "@API protocol A {\n@POST(\"/x\") func x(_ a: Int, notify: Bool) async throws\n}",
            .bodyBesideFields("notify"), at: 2, 30)
    }

    @Test func fieldsDifferInName() {
        expectProblem(
            "@API struct A {\n@POST(\"/x\") func x(a: Int, @Field(\"a\") b: Int) async throws\n}", .duplicateField("a"),
            at: 2, 28)
    }

    @Test func partsNeedMultipart() {
        expectProblem(
            "@API struct A {\n@PUT(\"/x\") func x(@Part a: Data) async throws\n}", .partOutsideMultipart, at: 2, 19,
            fixed: "@API struct A {\n@Multipart @PUT(\"/x\") func x(@Part a: Data) async throws\n}")
        // The type may say it, and an extension's type is out of sight.
        #expect(
            expand("@API @Multipart struct A { @PUT(\"/x\") func x(@Part a: Data) async throws }").diagnostics.isEmpty)
        #expect(expand("extension A { @PUT(\"/x\") func x(@Part a: Data) async throws }").diagnostics.isEmpty)
    }

    @Test func partsHaveNames() {
        expectProblem(
            "@API struct A {\n@Multipart @PUT(\"/x\") func x(_ photo: Data) async throws\n}", .unnamedPart, at: 2, 30,
            fixed: "@API struct A {\n@Multipart @PUT(\"/x\") func x(photo: Data) async throws\n}")
    }

    @Test func parametersAreNotWritten() {
        expectProblem(
            "@API struct A {\n@GET(\"/x\") func x(a: inout Int) async throws\n}", .inoutParameter, at: 2, 22)
    }

    @Test func parametersHaveNames() {
        expectProblem(
            "@API struct A {\n@POST(\"/x\") func x(_: User) async throws\n}", .unnamedParameter, at: 2, 20,
            fixed: "@API struct A {\n@POST(\"/x\") func x(_ value: User) async throws\n}")
        expectProblem(
            "@API struct A {\n@DELETE(\"/x/{id}\") func x(id _: Int) async throws\n}", .unnamedParameter, at: 2, 27,
            fixed: "@API struct A {\n@DELETE(\"/x/{id}\") func x(id value: Int) async throws\n}")
        // A metatype is not sent, but told to a mock.
        let metatype = "{\n@GET(\"/x\") func x<T: Decodable>(_: T.Type) async throws -> T\n}"
        #expect(expand("@API struct A \(metatype)").diagnostics.isEmpty)
        expectProblem(
            "@API protocol A \(metatype)", .unnamedParameter, at: 2, 33,
            fixed: "@API protocol A {\n@GET(\"/x\") func x<T: Decodable>(_ value: T.Type) async throws -> T\n}")
    }

    @Test func aPlaceholdersNameIsALiteral() {
        expectProblem(
            "@API struct A {\n@GET(\"/x\") func x(@Path(name) a: Int) async throws\n}", .nameNotLiteral, at: 2, 25)
    }

    @Test func aTagHasAKey() {
        expectProblem(
            "@API struct A {\n@GET(\"/x\") func x(@Tag a: Int) async throws\n}", .missingTagKey, at: 2, 19)
    }

    // MARK: Formats, fields, replies

    @Test(arguments: ["FormUrlEncoded", "Multipart"])
    func aFormatNeedsABody(format: String) {
        expectProblem(
            "@API struct A {\n@\(format) @GET(\"/x\") func x(a: Int) async throws\n}",
            .formatWithoutBody(format, "GET"),
            at: 2, 1, fixed: "@API struct A {\n@GET(\"/x\") func x(a: Int) async throws\n}")
        #expect(
            expand("@API struct A {\n@\(format) @GET(\"/x\") func x(@Field a: Int) async throws\n}").diagnostics.isEmpty
        )
    }

    @Test func besideSelfNoParameterHidesAMember() {
        expectProblem(
            "@API struct A {\n@GET(\"/x\") func x(`self`: Int, apiCall: Int) async throws\n}", .hiddenMember("apiCall"),
            at: 2, 32, fixed: "@API struct A {\n@GET(\"/x\") func x(`self`: Int, apiCall apiCall2: Int) async throws\n}"
        )
        expectProblem(
            "@API protocol A {\n@GET(\"/x\") func x(_ `self`: Int, b onX: Int) async throws\n}", .hiddenMember("onX"),
            at: 2, 36, fixed: "@API protocol A {\n@GET(\"/x\") func x(_ `self`: Int, b onX2: Int) async throws\n}")
        for parameters in ["self a: Int, apiCall: Int", "`self`: Int, apiCall b: Int", "`self`: Int, onX: Int"] {
            #expect(expand("@API struct A {\n@GET(\"/x\") func x(\(parameters)) async throws\n}").diagnostics.isEmpty)
        }
    }

    @Test func aBodyHasOneFormat() {
        expectProblem(
            "@API struct A {\n@JSON @Multipart @PUT(\"/x\") func x(a: Int) async throws\n}",
            .twoFormats("JSON", "Multipart"), at: 2, 7,
            fixed: "@API struct A {\n@JSON @PUT(\"/x\") func x(a: Int) async throws\n}")
        expectProblem(
            "@API @JSON @Multipart struct A {}", .twoFormats("JSON", "Multipart"), at: 1, 12,
            fixed: "@API @JSON struct A {}")
    }

    @Test func fixedFieldsMayGoOnTheWire() {
        expectProblem(
            "@API struct A {\n@Headers([\"a b\": \"c\"]) @GET(\"/x\") func x() async throws\n}",
            .illegalFieldName("a b"),
            at: 2, 11)
        expectProblem(
            "@API @Headers([\"a\": \"c\\r\\nd: e\"]) struct A {}", .illegalFieldValue("a"), at: 1, 21)
        expectProblem(
            "@API struct A {\n@GET(\"/x\") func x(@Header(\"a:\") b: Int) async throws\n}", .illegalFieldName("a:"),
            at: 2,
            27)
    }

    @Test func elementsOfTuplesHaveLabels() {
        expectProblem(
            "@API struct A {\n@GET(\"/x\") func x() async throws -> (id: Int, String)\n}", .unlabelledElement, at: 2,
            47,
            fixed: "@API struct A {\n@GET(\"/x\") func x() async throws -> (id: Int, value1: String)\n}")
        expectProblem(
            "@API struct A {\n@GET(\"/x\") func x() async throws -> [(a: Int, b: (Int, d: Int))?]\n}",
            .unlabelledElement, at: 2, 51,
            fixed: "@API struct A {\n@GET(\"/x\") func x() async throws -> [(a: Int, b: (value0: Int, d: Int))?]\n}")
    }

    @Test func aStreamIsReturnedAsOne() {
        expectProblem(
            "@API struct A {\n@EventStreaming @GET(\"/x\") func x() async throws -> (a: Int, b: Int)\n}",
            .streamExpected,
            at: 2, 53, fixed: "@API struct A {\n@GET(\"/x\") func x() async throws -> (a: Int, b: Int)\n}")
        expectProblem(
            "@API struct A {\n@EventStreaming @GET(\"/x\") func x() async throws\n}", .streamExpected, at: 2, 1,
            fixed: "@API struct A {\n@GET(\"/x\") func x() async throws\n}")
    }

    @Test func aReplyIsConcrete() {
        expectProblem("@API struct A {\n@GET(\"/x\") func x() async throws -> some P\n}", .opaqueReply, at: 2, 37)
    }

    @Test(arguments: ["String", "[Int]", "Data", "(a: Int, b: Int)", "Foundation.Data"])
    func aHeadHasNoBody(type: String) {
        expectProblem(
            "@API struct A {\n@HEAD(\"/x\") func x() async throws -> \(type)\n}", .headReply, at: 2, 38,
            fixed: "@API struct A {\n@HEAD(\"/x\") func x() async throws -> HTTPHeaders\n}")
        #expect(expand("@API struct A {\n@HEAD(\"/x\") func x() async throws -> Head\n}").diagnostics.isEmpty)
    }

    @Test func aKeyPathLeadsSomewhere() {
        expectProblem(
            "@API struct A {\n@ResponseKeyPath(\"\") @GET(\"/x\") func x() async throws\n}", .emptyKeyPath, at: 2, 18)
    }

    // MARK: Protocols

    @Test func everyRequirementIsAnEndpoint() {
        expectProblem(
            "@API protocol A {\nfunc users() async throws\n}", .requirementWithoutMethod, at: 2, 6,
            fixed: "@API protocol A {\n@GET(\"/users\") func users() async throws\n}")
        expectProblem(
            "@API protocol A {\n#if DEBUG\nfunc users() async throws\n#endif\n}", .requirementWithoutMethod, at: 3, 6,
            fixed: "@API protocol A {\n#if DEBUG\n@GET(\"/users\") func users() async throws\n#endif\n}")
        expectProblem("@API protocol A {\nvar a: Int { get }\n}", .unsupportedRequirement, at: 2, 1)
        expectProblem("@API protocol A {\nassociatedtype B\n}", .unsupportedRequirement, at: 2, 1)
    }

    @Test func severalProblemsAreAllReported() {
        let (_, diagnostics) = expand(
            "@API struct A {\n@GET(\"/{a}/{b}\") func x(@Query @Header c: Int) throws -> (Int, Int)\n}")
        let rules: [Rule] = [
            .notAsyncThrows, .twoRoles("Query", "Header"), .unmatchedPlaceholder("a"), .unmatchedPlaceholder("b"),
            .unlabelledElement, .unlabelledElement,
        ]
        #expect(diagnostics.map(\.message).sorted() == rules.map(\.message).sorted())
    }
}
