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
                #"@GET("/x") func x()\#(effects) -> Int"#, .notAsyncThrows, at: column,
                fixed: #"@GET("/x") func x() async throws -> Int"#)
        }
        expectProblem(
            #"@GET("/x") func x() rethrows"#, .notAsyncThrows, at: 17,
            fixed: #"@GET("/x") func x() async throws"#)
        expectProblem(
            #"@GET("/x") func x() throws(E)"#, .notAsyncThrows, at: 17,
            fixed: #"@GET("/x") func x() async throws(E)"#)
    }

    @Test func anEndpointHasNoBody() {
        expectProblem(
            #"@GET("/x") func x() async throws { }"#, .hasBody, at: 34,
            fixed: #"@GET("/x") func x() async throws"#)
        expectProblem(
            """
            @GET("/x") func x() async throws -> Int {
                1
            }
            """, .hasBody, at: 41,
            fixed: #"@GET("/x") func x() async throws -> Int"#)
    }

    @Test func anEndpointIsAnInstanceFunction() {
        expectProblem(
            #"@GET("/x") public static func x() async throws"#, .notAnInstanceFunction, at: 19,
            fixed: #"@GET("/x") public func x() async throws"#)
    }

    @Test func aFunctionHasOneMethod() {
        expectProblem(
            #"@GET("/x") @POST("/x") func x() async throws"#, .twoMethods("GET", "POST"), at: 12,
            fixed: #"@GET("/x") func x() async throws"#)
        let three = problems(#"@GET("/x") @POST("/x") @PUT("/x") func x() async throws"#)
        #expect(three.map(\.message) == ["POST", "PUT"].map { Rule.twoMethods("GET", $0).message })
    }

    /// As the compiler does; the other tests expand all of them.
    @Test(arguments: ["struct", "protocol"])
    func ofTwoMethodsTheLastIsExpandedAlone(type: String) {
        let source = "@API \(type) A { @GET(\"/x\") @POST(\"/x\") func x() async throws }"
        let (_, diagnostics) = expand(source, only: ["API", "POST"])
        #expect(diagnostics.map(\.message) == [Rule.twoMethods("GET", "POST").message])
    }

    @Test func anEndpointNeedsItsType() {
        expectProblem(in: "struct A", #"@GET("/x") func x() async throws"#, .missingAPI("GET"), at: 1)
        expectProblem(source: #"@GET("/x") func x() async throws"#, .missingAPI("GET"), at: 1)
        expectProblem(
            in: "class A: B", #"@GET("/x") func x() async throws"#, .missingAPI("GET", inSubclass: true), at: 1)
    }

    @Test func apiGoesOnTypesThatHoldAProvider() {
        expectProblem(source: "@API enum A {}", .unsupportedType, at: 1)
    }

    @Test func whatIsSaidAboutAnEndpointNeedsOne() {
        expectProblem(
            "@Timeout(idle: .seconds(1)) func helper() async throws {}", .markerWithoutMethod("Timeout"), at: 1)
        expectProblem(in: "protocol A", "@JSON func x() async throws", .markerWithoutMethod("JSON"), at: 1)
        // Of a requirement the protocol's macro says it.
        let requirement = problems(in: "@API protocol A", #"@Headers(["A": "b"]) func x() async throws"#)
        #expect(requirement.map(\.message) == [Rule.requirementWithoutMethod.message])
    }

    /// The compiler lets it stand there.
    @Test(arguments: [#"Headers(["A": "b"])"#, "Multipart", "Timeout(idle: .seconds(1))", "JSON"])
    func whatIsSaidAboutAnExtensionIsAboutNothing(_ attribute: String) throws {
        let name = try #require(attribute.split(separator: "(").first)
        expectProblem(
            source: "@\(attribute) extension A { @PUT(\"/x\") func x(a: Int) async throws }",
            .markerOnExtension(String(name)), at: 1)
    }

    /// There, too.
    @Test(arguments: ["struct A {}", "enum A {}", "protocol A {}", "let a = 1", "typealias A = Int"])
    func norIsItAboutAnythingElse(declaration: String) {
        expectProblem(source: "@JSON \(declaration)", .misplacedMarker("JSON"), at: 1)
        expectProblem(source: "@API struct B { @JSON \(declaration) }", .misplacedMarker("JSON"), at: 17)
    }

    @Test func theTargetIsOneEndpointsOwn() {
        expectProblem(source: "@API @URL struct A {}", .targetOfType, at: 6)
        #expect(expand("@API @JSON struct A {}").diagnostics.isEmpty)
        // Of an attribute in a condition nobody can tell.
        #expect(
            !expand("#if DEBUG\n@API\n#endif\n@JSON struct A {}").diagnostics.contains {
                $0.message.contains("neither")
            })
    }

    @Test func aPublisherHasItsName() {
        expectProblem(
            #"@GET("/x") func x() -> some Publisher<[Int], any Error>"#, .opaqueReply, at: 24,
            fixed: #"@GET("/x") func x() -> AnyPublisher<[Int], any Error>"#)
        expectProblem(#"@GET("/x") func x() -> any Publisher"#, .opaqueReply, at: 24)
    }

    @Test func aPublisherIsHandedOutAtOnce() {
        for effects in [" async throws", " throws", " async"] {
            expectProblem(
                #"@GET("/x") func x()\#(effects) -> AnyPublisher<Int, any Error>"#, .publisherWithEffects, at: 17,
                fixed: #"@GET("/x") func x() -> AnyPublisher<Int, any Error>"#)
        }
    }

    @Test func noParameterHidesWhatAnAttributeNames() {
        expectProblem(
            #"@Headers(["X-Version": version]) @GET("/x") func x(version: String) async throws"#,
            .hiddenByParameter("version"), at: 52,
            fixed: #"@Headers(["X-Version": version]) @GET("/x") func x(version version2: String) async throws"#)
        for function in [
            #"@Options({ $0.names = all.map(\.name) }) @GET("/x") func x(name: String) async throws"#,
            #"@Options({ [limit = Config.limit] in $0.limit = limit }) @GET("/x") func x(limit: Int) async throws"#,
            #"@Headers(["X-Version": Names.version]) @GET("/x") func x(version: String) async throws"#,
            #"@Headers(["X-Version": version]) @GET("/x") func x(version other: String) async throws"#,
            #"@Options({ options in options.delivery = .buffered }) @GET("/x") func x(options: Int) async throws"#,
            #"@Options({ if let a = Config.a { $0.limit = a } }) @GET("/x") func x(a: Int) async throws"#,
            #"@Options({ (a: inout RequestOptions) in let b = 1; a.limit = b }) @GET("/x") func x(a: Int, b: Int) async throws"#,
        ] {
            #expect(problems(function).isEmpty, "\(function)")
        }
    }

    @Test(arguments: ["Query(name)", "Header(name)", "Field(name)", "Query(encoded: name)", "Tag(name)"])
    func noParameterHidesWhatTheAttributeOfAnotherNames(attribute: String) {
        expectProblem(
            #"@GET("/x") func x(@\#(attribute) a: Int, name: String) async throws"#, .hiddenByParameter("name"),
            at: 29 + attribute.count,
            fixed: #"@GET("/x") func x(@\#(attribute) a: Int, name name2: String) async throws"#)
        #expect(problems(#"@GET("/x") func x(@\#(attribute) a: Int, name b: String) async throws"#).isEmpty)
    }

    @Test func norWhatItsOwnAttributeNames() {
        expectProblem(
            #"@GET("/x") func x(@Query(name) name: String) async throws"#, .hiddenByParameter("name"), at: 32,
            fixed: #"@GET("/x") func x(@Query(name) name name2: String) async throws"#)
        expectProblem(
            #"@Multipart @PUT("/x") func x(@Part(mimeType: mime) a: Data, mime: String) async throws"#,
            .hiddenByParameter("mime"), at: 61,
            fixed: #"@Multipart @PUT("/x") func x(@Part(mimeType: mime) a: Data, mime mime2: String) async throws"#)
        // Of an attribute that is not ours nothing is written.
        #expect(problems(#"@GET("/x") func x(@Query @Clamped(limit) a: Int, limit: Int) async throws"#).isEmpty)
    }

    @Test func aConditionThatUnwrapsANameLooksItUp() {
        expectProblem(
            #"@Options({ if let a { $0.limit = a } }) @GET("/x") func x(a: Int) async throws"#,
            .hiddenByParameter("a"), at: 59,
            fixed: #"@Options({ if let a { $0.limit = a } }) @GET("/x") func x(a a2: Int) async throws"#)
    }

    @Test(arguments: [
        "let name: String", "var a = 1, (b, name) = (2, 3)", "var name: Int { 1 }", "static let name = 1",
        "func name(id: Int) {}", "struct name {}", "typealias name = Int", "#if DEBUG\nlet name = 1\n#endif",
        #"@GET("/x") func name() async throws"#,
    ])
    func noMemberHidesWhatAnAttributeOfTheTypeNames(member: String) {
        expectProblem(
            source: "@API @Headers([\"A\": name, \"B\": name]) struct A {\n\(member)\n}",
            .hiddenByMember("name"), at: 21)
        // What is hidden is not written where it would be something else.
        let (source, _) = expand("@API @Headers([\"A\": name]) struct A {\n\(member)\n}")
        #expect(!source.contains("call.header("), "\(source)")
        #expect(expand("@API @Headers([\"A\": Names.name]) struct A {\n\(member)\n}").diagnostics.isEmpty)
    }

    @Test(arguments: [
        "Options({ $0.limit = name })", "ErrorModel(name.self)", "JSON(decoder: name())", "Tag(K.self, Box<name>.self)",
    ])
    func norIsThereAnotherPlaceWhereItIsHidden(attribute: String) throws {
        let offset = try #require(attribute.ranges(of: "name").first?.lowerBound.utf16Offset(in: attribute))
        expectProblem(
            source: "@API @\(attribute) struct A { struct name {} }", .hiddenByMember("name"), at: 7 + offset)
        expectProblem(
            source: "@API @\(attribute) protocol A {\n@GET(\"/x\") func name() async throws\n}",
            .hiddenByMember("name"), at: 7 + offset)
    }

    @Test(arguments: ["provider", "endpoints", "apiCall"])
    func norDoesWhatTheMacroAdds(name: String) {
        let source = "@API @Headers([\"A\": \(name)]) struct A {"
        expectProblem(source: "\(source)}", .hiddenByMember(name), at: 21)
    }

    @Test(arguments: [
        "@Options({ name in name.limit = 1 })", #"@Headers(["A": .name])"#, "@Clamped(name)",
        #"@Options({ $0.names = all.map(\.name) })"#, "@Tag(Keys.name.self, 1)",
    ])
    func aNameThatIsNotLookedUpIsNotHidden(attribute: String) {
        #expect(expand("@API \(attribute) struct A { var name = 1 }").diagnostics.isEmpty)
    }

    @Test(arguments: [
        ("static let name = 1", #"@Headers(["A": name]) @GET("/x") func x() async throws"#, 16),
        ("static var name: Int { 1 }", #"@GET("/x") func x(@Query( name ) a: Int) async throws"#, 27),
        ("class func name() {}", #"@JSON(decoder: name()) @GET("/x") func x() async throws"#, 16),
        ("static let name = 1\nlet name = 2", #"@Options({ $0.limit = name }) @GET("/x") func x() async throws"#, 23),
    ])
    func anAttributeSaysThatAMemberIsStatic(member: String, function: String, column: Int) {
        func source(_ name: String) -> String {
            "@API class A {\n\(function.replacing("name", with: name))\n\(member)\n}"
        }
        expectProblem(source: source("name"), .staticMember("name"), at: column, line: 2, fixed: source("Self.name"))
        #expect(expand(source("A.name")).diagnostics.isEmpty)
    }

    @Test func whatIsNestedInTheTypeNeedsNoQualification() {
        let function = #"@ErrorModel(Failure.self) @Tag(Key.self, 1) @GET("/x") func x() async throws"#
        #expect(problems("\(function)\nstruct Failure {}\nenum Key { static let key = 1 }").isEmpty)
    }

    @Test(arguments: ["!true", "makesMocks"])
    func whetherThereIsAMockIsALiteral(value: String) {
        expectProblem(source: "@API(mock: \(value)) protocol P {}", .mockNotLiteral, at: 12)
        #expect(expand("@API(mock: true) protocol P {}").diagnostics.isEmpty)
    }

    // MARK: Attributes

    @Test func whatCountsOnceStandsThereOnce() {
        expectProblem(
            #"@Retry(count: 1) @Retry(count: 2) @GET("/x") func x() async throws"#, .givenTwice("Retry"), at: 18,
            fixed: #"@Retry(count: 1) @GET("/x") func x() async throws"#)
        expectProblem(
            source: "@API @ErrorModel(A.self) @ErrorModel(B.self) struct A {}", .givenTwice("ErrorModel"), at: 26,
            fixed: "@API @ErrorModel(A.self) struct A {}")
        let several = #"@Tag(K.self, 1) @Tag(L.self, 1) @Options(a) @Options(b) @GET("/x") func x() async throws"#
        #expect(problems(several).isEmpty)
    }

    @Test func noAttributeDependsOnACondition() {
        expectProblem(
            """
            @GET("/x")
            #if DEBUG
            @Headers(["A": "b"])
            #endif
            func x() async throws
            """, .conditionalAttribute, at: 1, line: 2)
        expectProblem(
            """
            @GET("/x")
            #if os(Linux)
            @available(*, deprecated)
            #else
            #if DEBUG
            @available(*, deprecated) @POST("/x")
            #endif
            #endif
            func x() async throws
            """, .conditionalAttribute, at: 1, line: 2)
        expectProblem(
            in: "@API protocol A",
            """
            #if DEBUG
            @GET("/x")
            #endif
            func x() async throws
            """, .conditionalAttribute, at: 1)
        for type in ["struct", "protocol"] {
            expectProblem(
                source: """
                    @API
                    #if DEBUG
                    @Headers(["A": "b"])
                    #endif
                    \(type) A {}
                    """, .conditionalAttribute, at: 1, line: 2)
        }
        let other = problems("@GET(\"/x\")\n#if DEBUG\n@available(*, deprecated)\n#endif\nfunc x() async throws")
        #expect(other.isEmpty)
    }

    @Test func whatStoodBeforeAnAttributeStaysWhenItGoes() {
        expectProblem(
            """
            @GET("/users") func x(
                @Path("id") id: Int,
                sort: String
            ) async throws
            """, .pathWithoutPlaceholder("id"), at: 5, line: 2,
            fixed: """
                @GET("/users") func x(
                    id: Int,
                    sort: String
                ) async throws
                """)
        expectProblem(
            """
            @GET("/users")
            static func x() async throws
            """, .notAnInstanceFunction, at: 1, line: 2,
            fixed: """
                @GET("/users")
                func x() async throws
                """)
        expectProblem(
            """
            @GET("/users")
            static public func x() async throws
            """, .notAnInstanceFunction, at: 1, line: 2,
            fixed: """
                @GET("/users")
                public func x() async throws
                """)
        expectProblem(
            """
            @GET("/users")
            @POST("/users")
            func x() async throws
            """, .twoMethods("GET", "POST"), at: 1, line: 2,
            fixed: """
                @GET("/users")
                func x() async throws
                """)
    }

    // MARK: Path

    @Test func everyPlaceholderHasAParameter() {
        expectProblem(
            #"@GET("/users/{id}") func x() async throws"#, .unmatchedPlaceholder("id"), at: 14,
            fixed: #"@GET("/users/{id}") func x(id: String) async throws"#)
        expectProblem(
            #"@GET("/a/{b}/{b}") func x(sort: Int) async throws"#, .unmatchedPlaceholder("b"), at: 10,
            fixed: #"@GET("/a/{b}/{b}") func x(b: String, sort: Int) async throws"#)
    }

    @Test func aParameterThatOnlyDiffersInSpellingIsMeant() {
        expectProblem(
            #"@GET("/users/{user_id}") func x(userID: Int) async throws"#, .unmatchedPlaceholder("user_id"), at: 14,
            fixed: #"@GET("/users/{user_id}") func x(@Path("user_id") userID: Int) async throws"#)
        // Attributes cannot stand on the parameters of a requirement.
        expectProblem(
            in: "@API protocol A", #"@GET("/users/{user_id}") func x(userID: Int) async throws"#,
            .unmatchedPlaceholder("user_id"), at: 14,
            fixed: #"@GET("/users/{user_id}") func x(user_id: String, userID: Int) async throws"#)
    }

    @Test func aPlaceholderIsNotWrittenWithAColon() {
        expectProblem(
            #"@GET("/users/:id/x?a=:b") func x(id: Int, b: Int) async throws"#, .colonPlaceholder("id"), at: 6,
            fixed: #"@GET("/users/{id}/x?a=:b") func x(id: Int, b: Int) async throws"#)
        expectProblem(
            #"@POST("/users/:uid") func x(_ uid: Int) async throws"#, .colonPlaceholder("uid"), at: 7,
            fixed: #"@POST("/users/{uid}") func x(_ uid: Int) async throws"#)
        for function in [
            #"@GET("/a/:batch") func x(id: Int) async throws"#,
            #"@GET("/a/:id") func x(@Query id: Int) async throws"#,
            #"@GET("/a:id") func x(id: Int) async throws"#,
            #"@GET("/a/:id/{id}") func x(id: Int) async throws"#,
        ] {
            #expect(problems(function).isEmpty)
        }
    }

    @Test func noParameterIsOfferedWhoseNameIsTaken() {
        expectProblem(
            #"@GET("/users/{id}") func x(@Query id: Int) async throws"#, .unmatchedPlaceholder("id"), at: 14)
    }

    @Test func everyPathParameterHasAPlaceholder() {
        expectProblem(
            #"@GET("/users") func x(@Path("id") id: Int) async throws"#, .pathWithoutPlaceholder("id"), at: 23,
            fixed: #"@GET("/users") func x(id: Int) async throws"#)
        expectProblem(
            #"@GET("/users/{gid}") func x(@Path("id", encoded: true) id: Int) async throws"#,
            .pathWithoutPlaceholder("id"), at: 29,
            fixed: #"@GET("/users/{gid}") func x(@Path("gid", encoded: true) id: Int) async throws"#)
    }

    @Test func aPathIsAPlainLiteral() {
        expectProblem("@GET(path) func x() async throws", .pathNotLiteral, at: 6)
        expectProblem(#"@GET("/\(a)") func x() async throws"#, .pathNotLiteral, at: 6)
    }

    @Test func aPathIsWellFormed() {
        expectProblem(#"@GET("/a/{b") func x(b: Int) async throws"#, .unbalancedBrace, at: 10)
        expectProblem(#"@GET("/a/b}") func x() async throws"#, .unbalancedBrace, at: 11)
        expectProblem(#"@GET("/a/{}") func x() async throws"#, .badPlaceholder(""), at: 10)
        expectProblem(#"@GET("/a/{+b}") func x() async throws"#, .badPlaceholder("+b"), at: 10)
        expectProblem(
            #"@GET("/a b/ü") func x() async throws"#, .illegalPathCharacter(" "), at: 9,
            fixed: #"@GET("/a%20b/%C3%BC") func x() async throws"#)
        expectProblem(
            #"@GET("/a#top") func x() async throws"#, .fragmentInPath, at: 9,
            fixed: #"@GET("/a") func x() async throws"#)
    }

    @Test func aMethodIsAToken() {
        expectProblem(#"@HTTP(method: "A B", path: "/") func x() async throws"#, .methodNotToken, at: 15)
        expectProblem(#"@HTTP(method: verb, path: "/") func x() async throws"#, .methodNotToken, at: 15)
    }

    @Test func aTargetIsAPathOrAURL() {
        expectProblem("@GET func x() async throws", .missingPath, at: 1)
        expectProblem(
            #"@GET("/x") @URL func x(_ a: String) async throws"#, .pathBesideURL, at: 6,
            fixed: #"@GET("/x") func x(_ a: String) async throws"#)
        expectProblem("@GET @URL func x(a: String) async throws", .missingTarget, at: 1)
    }

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

    // MARK: Formats, fields, replies

    @Test(arguments: ["FormUrlEncoded", "Multipart"])
    func aFormatNeedsABody(format: String) {
        expectProblem(
            #"@\#(format) @GET("/x") func x(a: Int) async throws"#, .formatWithoutBody(format, "GET"), at: 1,
            fixed: #"@GET("/x") func x(a: Int) async throws"#)
        #expect(problems(#"@\#(format) @GET("/x") func x(@Field a: Int) async throws"#).isEmpty)
    }

    @Test(arguments: ["FormUrlEncoded(decoder: d)", "JSON(encoder: e, decoder: d)"])
    func theDecoderOfAFormatThatGoesStays(format: String) {
        expectProblem(
            #"@\#(format) @GET("/x") func x(a: Int) async throws -> User"#,
            .formatWithoutBody(String(format.prefix { $0 != "(" }), "GET"), at: 1,
            fixed: #"@JSON(decoder: d) @GET("/x") func x(a: Int) async throws -> User"#)
    }

    @Test func theClientsOwnErrorHasNoModel() {
        expectProblem(
            #"@ErrorModel(E.self) @GET("/x") func x() async throws(NetworkClientError)"#, .unusedErrorModel, at: 1,
            fixed: #"@GET("/x") func x() async throws(NetworkClientError)"#)
        #expect(problems(#"@ErrorModel(E.self) @GET("/x") func x() async throws(UsersError)"#).isEmpty)
    }

    @Test func besideSelfNoParameterHidesAMember() {
        expectProblem(
            #"@GET("/x") func x(`self`: Int, apiCall: Int) async throws"#, .hiddenMember("apiCall"), at: 32,
            fixed: #"@GET("/x") func x(`self`: Int, apiCall apiCall2: Int) async throws"#)
        expectProblem(
            in: "@API protocol A", #"@GET("/x") func x(_ `self`: Int, b onX: Int) async throws"#,
            .hiddenMember("onX"), at: 36,
            fixed: #"@GET("/x") func x(_ `self`: Int, b onX2: Int) async throws"#)
        for parameters in ["self a: Int, apiCall: Int", "`self`: Int, apiCall b: Int", "`self`: Int, onX: Int"] {
            #expect(problems(#"@GET("/x") func x(\#(parameters)) async throws"#).isEmpty)
        }
    }

    @Test func aBodyHasOneFormat() {
        expectProblem(
            #"@JSON @Multipart @PUT("/x") func x(a: Int) async throws"#, .twoFormats("JSON", "Multipart"), at: 7,
            fixed: #"@JSON @PUT("/x") func x(a: Int) async throws"#)
        expectProblem(
            source: "@API @JSON @Multipart struct A {}", .twoFormats("JSON", "Multipart"), at: 12,
            fixed: "@API @JSON struct A {}")
    }

    @Test func fixedFieldsMayGoOnTheWire() {
        expectProblem(#"@Headers(["a b": "c"]) @GET("/x") func x() async throws"#, .illegalFieldName("a b"), at: 11)
        for value in [#"c\r\nd: e"#, #"c\0"#, #"\u{1}c"#, #"c\u{7f}"#] {
            expectProblem(source: #"@API @Headers(["a": "\#(value)"]) struct A {}"#, .illegalFieldValue("a"), at: 21)
        }
        #expect(expand(#"@API @Headers(["a": "c\td ü"]) struct A {}"#).diagnostics.isEmpty)
        expectProblem(#"@GET("/x") func x(@Header("a:") b: Int) async throws"#, .illegalFieldName("a:"), at: 27)
    }

    @Test func elementsOfTuplesHaveLabels() {
        expectProblem(
            #"@GET("/x") func x() async throws -> (id: Int, String)"#, .unlabelledElement, at: 47,
            fixed: #"@GET("/x") func x() async throws -> (id: Int, value1: String)"#)
        expectProblem(
            #"@GET("/x") func x() async throws -> [(a: Int, b: (Int, d: Int))?]"#, .unlabelledElement, at: 51,
            fixed: #"@GET("/x") func x() async throws -> [(a: Int, b: (value0: Int, d: Int))?]"#)
    }

    @Test func aTableIsOfOneEndpoint() {
        expectProblem(source: "@API @EventStreaming(decoding: Update.events) struct A {}", .tableOfType, at: 6)
        #expect(
            problems(#"@EventStreaming(decoding: T.t) @GET("/x") func x() async throws -> APIStream<Update>"#).isEmpty)
    }

    /// Allowed, because some servers want it; the expansion is not held back.
    @Test func theContentOfAGetIsRemarkedOn() {
        let (source, diagnostics) = expand(#"@API struct A { @GET("/x") func x(@Body a: Int) async throws }"#)
        #expect(diagnostics.map(\.message) == [Rule.contentOfGet.message])
        #expect(diagnostics.map(\.diagMessage.severity) == [.remark])
        #expect(source.contains("call.body(.init(a))"))
        for method in ["POST", "DELETE", #"HTTP(method: "GET", path:"#] {
            let attribute = method.hasPrefix("HTTP") ? #"@HTTP(method: "GET", path: "/x")"# : "@\(method)(\"/x\")"
            #expect(problems("\(attribute) func x(@Body a: Int) async throws").isEmpty)
        }
    }

    @Test func anEnumIsReportedOnce() {
        for source in ["@API enum A {}", #"@API enum A { @GET("/x") func x() async throws }"#] {
            #expect(expand(source).diagnostics.map(\.message) == [Rule.unsupportedType.message])
        }
    }

    @Test func aStreamIsReturnedAsOne() {
        expectProblem(
            #"@EventStreaming @GET("/x") func x() async throws -> (a: Int, b: Int)"#, .streamExpected, at: 53,
            fixed: #"@GET("/x") func x() async throws -> (a: Int, b: Int)"#)
        expectProblem(
            #"@EventStreaming @GET("/x") func x() async throws"#, .streamExpected, at: 1,
            fixed: #"@GET("/x") func x() async throws"#)
    }

    @Test(arguments: ["[Int]", "Event?", "String", "Foundation.Data", "Int", "HTTPHeaders", "NetworkResponse<Event>"])
    func whatIsNoStreamIsNotReturnedAsOne(type: String) {
        expectProblem(
            #"@EventStreaming @GET("/x") func x() async throws -> \#(type)"#, .streamExpected, at: 53,
            fixed: #"@GET("/x") func x() async throws -> \#(type)"#)
        // It may be an alias.
        #expect(problems(#"@EventStreaming @GET("/x") func x() async throws -> Events"#).isEmpty)
    }

    @Test func elementsOfStreamsAndPublishersAreNoTuples() {
        expectProblem(
            #"@EventStreaming @GET("/x") func x() async throws -> AsyncThrowingStream<(a: Int, b: Int), any Error>"#,
            .misplacedTuple, at: 73)
        expectProblem(
            #"@EventStreaming @GET("/x") func x() async throws -> sending AsyncStream<[(a: Int, Int)]>"#,
            .misplacedTuple, at: 73)
        expectProblem(
            #"@GET("/x") func x() -> Combine.AnyPublisher<(a: Int, b: Int)?, any Error>"#, .misplacedTuple, at: 45)
        for type in ["AnyPublisher<(), any Error>", "AnyPublisher<Void, any Error>", "AnyPublisher<[Int], any Error>"] {
            #expect(problems(#"@GET("/x") func x() -> \#(type)"#).isEmpty)
        }
    }

    @Test func aTupleStandsWhereItCanBeRead() {
        expectProblem(#"@GET("/x") func x() async throws -> Page<[(a: Int, b: Int)]>"#, .misplacedTuple, at: 42)
        expectProblem(#"@GET("/x") func x() async throws -> Page<Set<(a: Int, b: Int)>>"#, .misplacedTuple, at: 46)
        expectProblem(
            #"@GET("/x") func x() async throws -> (a: Page<(b: Int, c: Int)>, d: Int)"#, .misplacedTuple, at: 46)
        expectProblem(#"@GET("/x") func x() async throws -> [Int: (a: Int, b: Int)]"#, .tupleKey, at: 38)
        expectProblem(
            #"@GET("/x") func x() async throws -> Dictionary<UUID, [(a: Int, b: Int)]>?"#, .tupleKey, at: 48)
        for type in ["[Swift.String: (a: Int, b: Int)]", "[Int: [Int]]", "Page<Void>", "Page<(Int) -> Int>"] {
            #expect(problems(#"@GET("/x") func x() async throws -> \#(type)"#).isEmpty)
        }
    }

    @Test func aReplyIsConcrete() {
        expectProblem(#"@GET("/x") func x() async throws -> some P"#, .opaqueReply, at: 37)
    }

    @Test(arguments: [
        "String", "[Int]", "Data", "(a: Int, b: Int)", "Foundation.Data", "Swift.Int", "AsyncStream<Event>",
        "NetworkResponse<[Event]>", "NetworkResponse<HTTPHeaders>",
    ])
    func aHeadHasNoBody(type: String) {
        expectProblem(
            #"@HEAD("/x") func x() async throws -> \#(type)"#, .headReply, at: 38,
            fixed: #"@HEAD("/x") func x() async throws -> HTTPHeaders"#)
        // What may be an alias, and what is there without a body.
        for type in [
            "Head", "HTTPFields", "NetworkResponse<Void>", "NetworkResponse<()>", "NetworkResponse<Event>",
            "NetworkResponse<Event?>", "StrataCore.NetworkResponse<Data>",
        ] {
            #expect(problems(#"@HEAD("/x") func x() async throws -> \#(type)"#).isEmpty)
        }
    }

    @Test func aKeyPathLeadsSomewhere() {
        expectProblem(#"@ResponseKeyPath("") @GET("/x") func x() async throws"#, .emptyKeyPath, at: 18)
    }

    // MARK: Protocols

    @Test func everyRequirementIsAnEndpoint() {
        expectProblem(
            in: "@API protocol A", "func users() async throws", .requirementWithoutMethod, at: 6,
            fixed: #"@GET("/users") func users() async throws"#)
        expectProblem(
            in: "@API protocol A",
            """
            #if DEBUG
            func users() async throws
            #endif
            """, .requirementWithoutMethod, at: 6, line: 2,
            fixed: """
                #if DEBUG
                @GET("/users") func users() async throws
                #endif
                """)
        expectProblem(in: "@API protocol A", "var a: Int { get }", .unsupportedRequirement, at: 1)
        expectProblem(in: "@API protocol A", "associatedtype B", .unsupportedRequirement, at: 1)
        // No requirement.
        #expect(problems(in: "@API protocol A", "#warning(\"no paging yet\")").isEmpty)
    }

    @Test func severalProblemsAreAllReported() {
        let diagnostics = problems(#"@GET("/{a}/{b}") func x(@Query @Header c: Int) throws -> (Int, Int)"#)
        let rules: [Rule] = [
            .notAsyncThrows, .twoRoles("Query", "Header"), .unmatchedPlaceholder("a"), .unmatchedPlaceholder("b"),
            .unlabelledElement, .unlabelledElement,
        ]
        #expect(diagnostics.map(\.message).sorted() == rules.map(\.message).sorted())
    }
}
