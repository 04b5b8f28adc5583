// SPDX-License-Identifier: Apache-2.0

import SwiftDiagnostics
import Testing

@testable import StrataAPIExpansion

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
}
