// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StrataAPIMacros

/// What `@API` adds.
struct APIMacroTests {
    /// The members that a type gets: the lines of its expansion that are not in the source.
    private func members(_ source: String) -> String {
        expand(source, only: ["API"]).source
    }

    /// Without indentation and empty lines.
    private func lines(_ source: String) -> String {
        source.split(separator: "\n").map { $0.drop { $0 == " " } }.joined(separator: "\n")
    }

    @Test func aStructGetsAProviderAndItsCalls() {
        #expect(
            members(
                """
                @API @Headers(["A": "b", "C": d]) @FormUrlEncoded
                struct UsersAPI {
                }
                """) == """
                    @Headers(["A": "b", "C": d]) @FormUrlEncoded
                    struct UsersAPI {

                        let provider: StrataAPI.Provider

                        init(_ provider: StrataAPI.Provider) {
                            self.provider = provider
                        }

                        init(_ client: some StrataAPI.NetworkClientProtocol) {
                            self.init(StrataAPI.Provider(client))
                        }

                        /// The start of a call: everything that is declared for all of them.
                        func apiCall(_ method: Swift.String, _ template: Swift.String) -> StrataAPI.APICall {
                            var call = StrataAPI.APICall(self.provider, method: method, template: template)
                            call.header("A", "b")
                            call.header("C", .init((d) as Swift.String))
                            call.format(.form)
                            return call
                        }

                        /// What is declared: method, template and parameters of each endpoint.
                        static var endpoints: [StrataAPI.APIEndpoint] {
                            []
                        }
                    }
                    """)
    }

    @Test(arguments: [
        ("public", "public "), ("package", "package "), ("open", "public "), ("private", ""), ("final", ""),
    ])
    func accessFollowsTheDeclaration(modifier: String, access: String) {
        let source = members("@API\n\(modifier) class A {}")
        #expect(source.contains("    \(access)init(_ provider: StrataAPI.Provider)"))
        #expect(source.contains("    \(access)convenience init(_ client: some StrataAPI.NetworkClientProtocol)"))
        #expect(source.contains("    \(access)static var endpoints: [StrataAPI.APIEndpoint]"))
        // These are for the generated code alone.
        #expect(source.contains("\n    let provider: StrataAPI.Provider"))
        #expect(source.contains("\n    nonisolated func apiCall("))
    }

    @Test(arguments: [
        ("public", "public "), ("package", "package "), ("internal", ""), ("private", ""),
        ("public private(set)", "public "),
    ])
    func theInitializerIsAsPublicAsThePropertiesThatItSets(modifier: String, access: String) {
        let source = members(
            """
            @API
            public struct A {
                public let limit: Int
                \(modifier) var region: Region
                let isOn = true
            }
            """)
        for (name, type) in [("provider", "StrataAPI.Provider"), ("client", "some StrataAPI.NetworkClientProtocol")] {
            #expect(source.contains("    \(access)init(_ \(name): \(type), limit: Int, region: Region)"), "\(source)")
        }
        #expect(source.contains("    public static var endpoints: [StrataAPI.APIEndpoint]"))
    }

    @Test func storedPropertiesWithoutAValueAreParameters() {
        let source = members(
            """
            @API
            struct A {
                let region: String
                var limit: Int?
                var isOn = true
                static let shared: Int
                var name: String { region }
                var observed: Int { didSet {} }
                @UserDefault("token") var token: String?
                @Logged var page: Int
                @available(*, deprecated) var old: Int
            }
            """)
        for part in [
            "init(_ provider: StrataAPI.Provider, region: String, limit: Int? = nil, observed: Int, page: Int, old: Int) {",
            "self.region = region",
            """
            self.init(StrataAPI.Provider(client), region: region, limit: limit, observed: observed, page: page, old: old)
            """,
        ] {
            #expect(source.contains(part), "\(part) in \(source)")
        }
        #expect(!source.contains("token: String? = nil") && !source.contains("self.token"))
    }

    @Test func whatTheTypeBringsIsNotMadeAgain() {
        let own = members(
            "@API\nstruct A {\n    let provider: Provider\n    init(_ provider: Provider) { self.provider = provider }\n}"
        )
        #expect(!own.contains("StrataAPI.Provider)"))
        #expect(!own.contains("let provider: StrataAPI.Provider"))
        let client = members(
            "@API\nstruct A {\n    init(_ client: some NetworkClientProtocol) { self.init(Provider(client)) }\n}")
        #expect(client.contains("init(_ provider: StrataAPI.Provider) {"))
        #expect(!client.contains("some StrataAPI.NetworkClientProtocol"))
        let ownRegion = "init(_ client: some NetworkClientProtocol, region: String) {}"
        #expect(
            !members("@API\nstruct A {\n    let region: String\n    \(ownRegion)\n}")
                .contains("some StrataAPI.NetworkClientProtocol"))
        #expect(
            members("@API\nstruct A {\n    var region = \"eu\"\n    \(ownRegion)\n}")
                .contains("init(_ client: some StrataAPI.NetworkClientProtocol) {"))
        let taken = members("@API\nstruct A {\n    var provider = 3\n}")
        #expect(taken.contains("let apiProvider: StrataAPI.Provider"))
        #expect(taken.contains("StrataAPI.APICall(self.apiProvider"))
        let function = members("@API\nstruct A {\n    @GET(\"/p\") func provider() async throws -> Int\n}")
        #expect(function.contains("let apiProvider: StrataAPI.Provider"))
    }

    @Test(arguments: [
        #"let provider = Provider(baseURL: "https://api.example")"#, "let provider = StrataAPI.Provider(client)",
        "let provider = Provider.init(client)", "let provider = Provider.shared",
        "let provider = StrataAPI.Provider.make(client)",
        "let provider: Provider = .shared", "var provider: Provider { .shared }",
        "var provider: StrataAPI.Provider { get { .shared } }",
    ])
    func aProviderThatTheTypeHasForGoodIsNoParameter(provider: String) {
        let source = members("@API\nstruct A {\n    \(provider)\n    let region: String\n}")
        #expect(source.contains("StrataAPI.APICall(self.provider,"))
        for part in ["init(_", "apiProvider", "let provider: StrataAPI.Provider"] {
            #expect(!source.contains(part), "\(part) in \(source)")
        }
    }

    @Test func aProviderWithADefaultIsAParameter() {
        let source = members("@API\nstruct A {\n    var provider: Provider = .shared { didSet {} }\n}")
        #expect(source.contains("init(_ provider: StrataAPI.Provider) {"))
        #expect(source.contains("self.provider = provider"))
    }

    @Test(arguments: [
        "let tracer: Tracer", "init(_ provider: Provider) {}", "init(_ client: any NetworkClientProtocol) {}",
    ])
    func whatTheInitializerDependsOnHasNoCondition(member: String) {
        let conditional = "#if DEBUG\n#if os(Linux)\n\(member)\n#endif\n#endif"
        expectProblem(source: "@API struct A {\n\(conditional)\n}", .conditionalInitializer, at: 1, line: 4)
        let own = "init(_ provider: Provider, region: String) {}"
        #expect(expand("@API struct A {\n\(conditional)\n\(own)\n}").diagnostics.isEmpty)
    }

    @Test(arguments: [
        "var tracer: Tracer?", "var tracer: Tracer!", "let isOn = true", "static let shared: A",
        "init(region: String) {}", "init(_ provider: Provider, recorder: Recorder) {}",
        "init(_ client: any NetworkClientProtocol, recorder: Recorder) {}",
    ])
    func whatTheInitializerDoesNotSetMayHaveACondition(member: String) {
        #expect(expand("@API struct A {\n#if DEBUG\n\(member)\n#endif\n}").diagnostics.isEmpty)
    }

    @Test func onlyAMemberOfAnInstanceTakesAName() {
        let conditional = members("@API\nstruct A {\n    #if DEBUG\n    var provider = 3\n    #endif\n}")
        #expect(conditional.contains("let apiProvider: StrataAPI.Provider"))
        let ofTheType = members("@API\nstruct A {\n    static let provider: Provider = .shared\n}")
        #expect(ofTheType.contains("let provider: StrataAPI.Provider"))
    }

    @Test func theFirstParameterIsNamedAsNoPropertyIs() {
        let source = members("@API\nstruct A {\n    let client: String\n    let provider: Int\n}")
        for part in [
            "init(_ provider2: StrataAPI.Provider, client: String, provider: Int) {", "self.apiProvider = provider2",
            "init(_ client2: some StrataAPI.NetworkClientProtocol, client: String, provider: Int) {",
            "self.init(StrataAPI.Provider(client2), client: client, provider: provider)",
        ] {
            #expect(source.contains(part), "\(part) in \(source)")
        }
    }

    /// What the compiler says of an import that is not public is said there.
    @Test func whatIsVisibleOutsideIsReportedWhereTheAttributeStands() {
        let directive = "#sourceLocation(file: \"test.swift\", line: 1)"
        for source in ["public struct A {}", "package final class A {}", "public protocol A {}"] {
            let expanded = members("\n@API \(source)")
            #expect(expanded.contains(directive), "\(expanded)")
            #expect(expanded.contains("#sourceLocation()"), "\(expanded)")
        }
        #expect(!members("\n@API struct A {}").contains("#sourceLocation"))
    }

    @Test func accessFollowsTheExtensionAroundIt() {
        let type = members("public extension Shop {\n@API struct A {}\n}")
        #expect(type.contains("public init(_ provider: StrataAPI.Provider)"))
        #expect(type.contains("public static var endpoints"))
        let source = members("public extension Shop {\n@API protocol A {\n@GET(\"/u\") func u() async throws\n}\n}")
        for part in [
            "public init(_ provider: StrataAPI.Provider)", "public func u()", "public let onU:", "public init() {",
        ] {
            #expect(source.contains(part), "\(part) in \(source)")
        }
        // The extension gives these its access itself.
        #expect(!source.contains("public struct") && !source.contains("public final class"))
        let own = members("public extension Shop {\n@API internal struct A {}\n}")
        #expect(!own.contains("public init"))
    }

    @Test func callsBeginOutsideOfTheTypesActorWhereTheyCan() {
        let start = "nonisolated func apiCall("
        #expect(members("@API\nactor A {}").contains(start))
        // An extension may have an endpoint that is not of the actor, and no attribute names an instance's.
        #expect(members("@API @Headers([\"A\": token])\nactor A {}").contains(start))
        // These may name what belongs to the actor.
        #expect(!members("@API @Headers([\"A\": token])\n@MainActor struct A {}").contains(start))
        #expect(!members("@API\nactor A {\n    var provider: Provider\n}").contains(start))
        for function in ["nonisolated func x()", "@concurrent func x()", "func x(on: isolated (any Actor)?)"] {
            let endpoint = "@GET(\"/x\") \(function) async throws"
            #expect(members("@API @Headers([\"A\": token])\n@MainActor struct A {\n    \(endpoint)\n}").contains(start))
        }
    }

    @Test func endpointsAreListedWithTheirParameters() {
        let source = members(
            """
            @API
            struct A {
                @PUT("/users/{id}") func put(id: Int, _ user: User, @Query("dry_run") dry: Bool?) async throws -> (a: Int, b: Int)
                @GET @URL func page(_ link: String) async throws
                func helper() {}
            }
            """)
        #expect(
            source.contains(
                """
                .init(
                    "put(id:_:dry:)", "PUT", "/users/{id}",
                    parameters: [.init("id", in: .path, type: "Int"), .init("user", in: .body, type: "User"), .init("dry_run", in: .query, type: "Bool?")],
                    returns: "(a: Int, b: Int)"))
                """.split(separator: "\n").map { "            " + $0 }.joined(separator: "\n").dropFirst(12)))
        #expect(source.contains("\"page(_:)\", \"GET\", nil,"))
        #expect(!source.contains("helper()\","))
    }

    @Test func whatAnAttributeNamesIsNotHidden() {
        let source = members("@API @Headers([\"A\": template, \"B\": call])\nstruct A {\n}")
        for part in [
            "func apiCall(_ method: Swift.String, _ template2: Swift.String) -> StrataAPI.APICall {",
            "var call2 = StrataAPI.APICall(self.provider, method: method, template: template2)",
            "call2.header(\"A\", .init((template) as Swift.String))",
            "call2.header(\"B\", .init((call) as Swift.String))", "return call2",
        ] {
            #expect(source.contains(part), "\(part) in \(source)")
        }
    }

    @Test func aPropertyMayBeNamedAsWhatBeginsAnExpression() {
        let source = members("@API\nstruct A {\nlet await: Bool\n}")
        for part in ["await: Bool) {", "self.await = `await`", "Provider(client), await: `await`)"] {
            #expect(source.contains(part), "\(part) in \(source)")
        }
    }

    /// The compiler warns of backticks around a keyword that is a label.
    @Test func aPropertyMayBeNamedAsAKeyword() {
        let source = members("@API\nstruct A {\nlet `default`, `a b`, `inout`: Int\n}")
        for part in [
            "`default`: Int, `a b`: Int, `inout`: Int) {", "self.`default` = `default`",
            "Provider(client), default: `default`, `a b`: `a b`, `inout`: `inout`)",
        ] {
            #expect(source.contains(part), "\(part) in \(source)")
        }
    }

    @Test func typesAreListedOnOneLineWithoutComments() {
        let source = members(
            """
            @API
            struct A {
                @GET("/a") func a(ids: [ /* all */String], sort: /* or none */ Sort?, more: Int...) async throws -> (
                    id: Int,  // the identifier
                    names: Page<
                        String
                    > /* all */
                )
            }
            """)
        for part in [
            #".init("ids", in: .query, type: "[String]")"#, #".init("sort", in: .query, type: "Sort?")"#,
            #".init("more", in: .query, type: "[Int]")"#, #"returns: "(id: Int, names: Page<String>)""#,
        ] {
            #expect(source.contains(part), "\(part) in \(source)")
        }
    }

    @Test func functionsEscapeIntoTheirProperties() {
        let source = members(
            "@API\nstruct A {\nlet now: @Sendable () -> Date\nlet next: (() -> Int)\nvar done: (() -> Void)?\n}")
        #expect(
            source.contains(
                "now: @escaping @Sendable () -> Date, next: @escaping (() -> Int), done: (() -> Void)? = nil) {"))
    }

    @Test func propertiesShareTheTypeThatFollows() {
        let source = members("@API\nstruct A {\nlet a, b: Int\nvar c = 1, d: Int\nvar e, f: Int?, g: String\n}")
        #expect(source.contains("a: Int, b: Int, d: Int, e: Int? = nil, f: Int? = nil, g: String) {"))
    }

    @Test func propertiesInATupleAreNoParameters() {
        expectProblem("let (a, b): (Int, Int)", .propertiesInTuple, at: 5)
        let member = "let (a, b): (Int, Int)"
        // Or the compiler would miss one.
        let source = members("@API class A {\n\(member)\n}")
        #expect(lines(source).contains("init(_ provider: StrataAPI.Provider) {\nSwift.fatalError()\n}"), "\(source)")
        #expect(problems("\(member) = (1, 2)").isEmpty)
        #expect(problems("\(member)\ninit(_ provider: Provider) { (a, b) = (1, 2) }").isEmpty)
    }

    @Test func conditionsStandAroundTheList() {
        let source = members(
            """
            @API
            struct A {
                #if os(Linux)
                @GET("/a") func a() async throws
                #elseif os(Windows)
                #else
                #if DEBUG
                @GET("/b") func b() async throws
                #endif
                #endif
                #if os(macOS)
                func helper() {}
                #endif
            }
            """)
        let list = """
            var list: [StrataAPI.APIEndpoint] = []
            list.reserveCapacity(2)
            #if os(Linux)
            list.append(
            .init(
            "a()", "GET", "/a",
            parameters: [],
            returns: "Void"))
            #elseif os(Windows)
            #else
            #if DEBUG
            list.append(
            .init(
            "b()", "GET", "/b",
            parameters: [],
            returns: "Void"))
            #endif
            #endif
            return list
            """
        #expect(lines(source).contains(list), "\(source)")
    }

    @Test func conditionsStandAroundRequirements() {
        let source = members(
            """
            @API
            protocol A {
                #if os(Linux)
                @GET("/a") func a() async throws
                #else
                @GET("/b") func b() async throws
                #endif
            }
            """)
        for part in [
            """
            #if os(Linux)
            func a() async throws {
            let call = self.apiCall("GET", "/a")
            try await call.send()
            }
            #else
            func b() async throws {
            """,
            """
            #if os(Linux)
            let onA: StrataAPI.MockFunction<(), Swift.Void>
            #else
            let onB: StrataAPI.MockFunction<(), Swift.Void>
            #endif
            """,
            """
            #if os(Linux)
            self.onA = StrataAPI.MockFunction("a()", log: log)
            #else
            self.onB = StrataAPI.MockFunction("b()", log: log)
            #endif
            """,
            """
            #if os(Linux)
            func a() async throws {
            return try await self.onA(())
            }
            #else
            """,
        ] {
            #expect(lines(source).contains(part), "\(part) in \(source)")
        }
    }

    @Test func namesOfAMockDoNotDependOnOtherClauses() {
        let source = members(
            """
            @API
            protocol A {
                #if os(Linux)
                @GET("/a") func a(b: Int) async throws
                #else
                @GET("/c") func a(b: Int) async throws
                #if DEBUG
                @GET("/d") func a(b: String) async throws
                #endif
                #endif
                @GET("/e") func e() async throws
            }
            """)
        #expect(
            lines(source).contains(
                """
                #if os(Linux)
                let onA: StrataAPI.MockFunction<Int, Swift.Void>
                #else
                let onAB: StrataAPI.MockFunction<Int, Swift.Void>
                #if DEBUG
                let onAB2: StrataAPI.MockFunction<String, Swift.Void>
                #endif
                #endif
                let onE: StrataAPI.MockFunction<(), Swift.Void>
                """), "\(source)")
    }

    @Test func aProtocolGetsAClientAndAMock() {
        let source = members(
            """
            @API
            public protocol NotesAPI: Sendable {
                @available(macOS 20, *) @GET("/notes/{id}") func note(id: Int) async throws -> Note
                @POST("/notes") func create<T: Encodable>(note: T, `in` folder: String?) async throws(NotesError) -> T where T: Decodable
            }
            """)
        for part in [
            "public struct NotesAPIClient: NotesAPI {",
            "@available(macOS 20, *)\n    public func note(id: Int) async throws -> Note {",
            """
            public func create<T: Encodable>(note: T, `in` folder: String?) async throws(NotesError) -> T where T: Decodable {
            """,
            "public final class NotesAPIMock: NotesAPI {",
            "@available(macOS 20, *)\n    public nonisolated var onNote: StrataAPI.MockFunction<Int, Note> {",
            "public let onCreate: StrataAPI.MockFunction<(note: Any, folder: String?), Any>",
            "return try await self.onCreate((note as Any, folder), as: (T).self)",
            "throw StrataAPI.APICall.failure(error, as: NotesError.self)",
        ] {
            #expect(source.contains(part), "\(part) in \(source)")
        }
        #expect(!members("@API(mock: false) protocol A {}").contains("Mock"))
    }

    @Test func theNameOfAProtocolMayNeedBackticks() {
        for (name, client, mock) in [
            ("`my api`", "`my apiClient`", "`my apiMock`"), ("`default`", "defaultClient", "defaultMock"),
        ] {
            let source = members("@API\nprotocol \(name) {}")
            #expect(source.contains("\nstruct \(client): \(name) {"))
            #expect(source.contains("\nfinal class \(mock): \(name) {"))
        }
    }

    @Test(arguments: ["private", "fileprivate"])
    func whatIsMadeForAHiddenProtocolIsHidden(access: String) {
        let source = members("@API\n\(access) protocol A {\n@GET(\"/u\") func u() async throws -> User\n}")
        #expect(source.contains("\(access) struct AClient: A {"))
        #expect(source.contains("\(access) final class AMock: A {"))
        for member in ["init", "func", "let", "static"] { #expect(!source.contains("\(access) \(member)")) }
    }

    @Test func whatIsMadeForAProtocolOfAnInterfaceIsOfThatToo() {
        let source = members("@_spi(Testing) @API\npublic protocol A {\n@GET(\"/u\") func u() async throws\n}")
        #expect(source.contains("@_spi(Testing)\npublic struct AClient: A {"), "\(source)")
        #expect(source.contains("@_spi(Testing)\npublic final class AMock: A {"), "\(source)")
    }

    @Test func requirementsMayHaveTheNamesOfWhatIsMade() {
        let source = members(
            "@API\nprotocol A {\n@GET(\"/p\") func provider() async throws\n@GET(\"/l\") func log() async throws\n}")
        for part in [
            "let apiProvider: StrataAPI.Provider", "self.apiProvider = provider",
            "self.apiProvider = StrataAPI.Provider(client)", "StrataAPI.APICall(self.apiProvider,",
            "let apiLog: StrataAPI.MockLog", "self.apiLog = log",
        ] {
            #expect(source.contains(part), "\(part) in \(source)")
        }
    }

    @Test func aFunctionWithParametersMayStandBesideAPropertyOfItsName() {
        let source = members(
            """
            @API
            protocol A {
                @GET("/p") func provider(id: Int) async throws
                @GET("/l") func log(message: String) async throws
            }
            """)
        for part in [
            "let provider: StrataAPI.Provider", "StrataAPI.APICall(self.provider,", "let log: StrataAPI.MockLog",
            "self.log = log",
        ] {
            #expect(source.contains(part), "\(part) in \(source)")
        }
    }

    @Test(arguments: ["AnyObject", "AnyObject, Sendable", "Sendable & AnyObject"])
    func theClientOfAClassBoundProtocolIsAClass(inherited: String) {
        #expect(members("@API\nprotocol A: \(inherited) {}").contains("\nfinal class AClient: A {"))
        #expect(members("@API\nprotocol A: Sendable {}").contains("\nstruct AClient: A {"))
    }

    @Test func soItIsWhereTheProtocolSaysItInAClause() {
        #expect(members("@API\nprotocol A where Self: AnyObject {}").contains("\nfinal class AClient: A {"))
        #expect(members("@API\nprotocol A: B where Item: AnyObject {}").contains("\nstruct AClient: A {"))
    }

    @Test func theIsolationOfAProtocolIsThatOfItsTypes() {
        let source = members(
            """
            @API
            public nonisolated protocol A {
                @GET("/a") nonisolated func a() async throws
                @GET("/b") @concurrent func b() async throws
            }
            """)
        for part in [
            "public nonisolated struct AClient: A {", "public nonisolated final class AMock: A {",
            "public nonisolated func a() async throws {", "@concurrent\n    public func b() async throws {",
        ] {
            #expect(source.contains(part), "\(part) in \(source)")
        }
    }

    /// Or the compiler would report in the generated types what has been reported where it stands.
    @Test(arguments: [
        "@GET(path) func x() async throws", "@GET(\"/x\") func x() -> Int", "@GET(\"/x\") static func x() async throws",
        "@GET(\"/x\") func x(_ _: Int) async throws", "func x() async throws", "@GET(\"/{a\") func x() async throws",
    ])
    func aRequirementWithAMistakeIsImplementedAllTheSame(requirement: String) {
        let source = members("@API protocol A {\n@GET(\"/y\") func y() async throws\n\(requirement)\n}")
        let declaration = requirement.replacing(#/@GET\(.*?\) /#, with: "")
        let implementations = lines(source).split(separator: "\(declaration) {\nSwift.fatalError()\n}")
        #expect(implementations.count == 3, "\(source)")
        #expect(source.contains("struct AClient: A {") && source.contains("final class AMock: A {"))
        #expect(source.contains("let onY") && !source.contains("let onX"))
    }

    @Test(arguments: ["var x: Int { get }", "init()", "associatedtype X"])
    func aProtocolThatNoClientCanImplementHasNone(requirement: String) {
        let source = members("@API protocol A {\n@GET(\"/y\") func y() async throws\n\(requirement)\n}")
        #expect(!source.contains("AClient") && !source.contains("AMock"))
    }

    @Test func whatIsInheritedIsOutOfSight() {
        func rule(_ name: String) -> Rule { .inheritedRequirements(name, isClassBound: false) }
        expectProblem(source: "@API protocol A: UsersAPI {}", rule("UsersAPI"), at: 18)
        expectProblem(source: "@API protocol A: Sendable & Identifiable {}", rule("Identifiable"), at: 29)
        expectProblem(source: "@API protocol A where Self: UsersAPI {}", rule("UsersAPI"), at: 29)
        #expect(expand("@API protocol A where Self: AnyObject, Self: Sendable {}").diagnostics.isEmpty)
        let inherited = "AnyObject, @unchecked Sendable, SendableMetatype, ~Copyable"
        #expect(expand("@API protocol A: \(inherited) {}").diagnostics.isEmpty)
    }

    @Test func soIsWhetherItIsForClassesOnly() {
        let rules = [true, false].map { Rule.inheritedRequirements("UsersAPI", isClassBound: $0) }
        expectProblem(source: "@API protocol A: AnyObject, UsersAPI {}", rules[0], at: 29)
        #expect(!rules[0].message.contains("AnyObject") && rules[1].message.contains("'AnyObject'"))
    }

    @Test(arguments: ["Actor", "DistributedActor"])
    func aProtocolOfActorsHasNoClient(name: String) {
        expectProblem(source: "@API protocol A: \(name) {}", .actorProtocol, at: 18)
        expectProblem(source: "@API protocol A where Self: Sendable & \(name) {}", .actorProtocol, at: 40)
    }

    @Test func aMockErasesWhatOnlyTheFunctionKnows() {
        let source = members(
            """
            @API
            protocol A {
                @PUT("/a") func all(items: [some Encodable]) async throws
                @PUT("/b") func maybe(item: (some Encodable)?) async throws
                @PUT("/c") func both<T: Encodable>(a: T, b: some Encodable, c: Int) async throws
                @GET("/d") func pair<T: Decodable>(_ type: T.Type) async throws -> (value: T, count: Int)
                @GET("/e") func later<T: Decodable>(_ type: T.Type) -> AnyPublisher<T, any Error>
            }
            """)
        for part in [
            "let onAll: StrataAPI.MockFunction<Any, Swift.Void>", "return try await self.onAll(items as Any)",
            "let onMaybe: StrataAPI.MockFunction<Any, Swift.Void>", "return try await self.onMaybe(item as Any)",
            "let onBoth: StrataAPI.MockFunction<(a: Any, b: Any, c: Int), Swift.Void>",
            "return try await self.onBoth((a as Any, b as Any, c))",
            "let onPair: StrataAPI.MockFunction<Any, Any>",
            "return try await self.onPair(type as Any, as: ((value: T, count: Int)).self)",
            "let onLater: StrataAPI.MockFunction<Any, Any>",
            "return self.onLater.now(type as Any, as: (AnyPublisher<T, any Error>).self)",
        ] {
            #expect(source.contains(part), "\(part) in \(source)")
        }
    }

    @Test func aMockKeepsWhatMayBeForcedAsAnOptional() {
        let source = members(
            """
            @API
            protocol A {
                @GET("/a") func a(id: Int!) async throws -> Int!
                @GET("/b") func b(id: sending Int!, names: String...) async throws
            }
            """)
        for part in [
            "let onA: StrataAPI.MockFunction<Int?, Int?>",
            "let onB: StrataAPI.MockFunction<(id: Int?, names: [String]), Swift.Void>",
        ] {
            #expect(source.contains(part), "\(part) in \(source)")
        }
    }

    @Test(arguments: [
        "*, deprecated", "*, deprecated, message: \"b\"", "macOS, deprecated: 14", "*, unavailable",
        "swift, obsoleted: 5",
    ])
    func aMockErasesWhatMayBeDeprecatedAsTheFunctionIs(availability: String) {
        let source = members(
            """
            @API
            protocol A {
                @available(\(availability)) @PUT("/a") func a(_ user: User) async throws -> [User]
                @available(\(availability)) @GET("/b") func b(id: Int, tags: [String]?) async throws -> Data
                @available(macOS 20, *) @GET("/c") func c(user: User) async throws -> User
                @GET("/d") func d() async throws -> User
            }
            """)
        for part in [
            "let onA: StrataAPI.MockFunction<Any, Any>",
            "return try await self.onA(user as Any, as: ([User]).self)",
            "let onB: StrataAPI.MockFunction<(id: Int, tags: [String]?), Data>",
            "nonisolated var onC: StrataAPI.MockFunction<User, User> {", "let onD: StrataAPI.MockFunction<(), User>",
        ] {
            #expect(source.contains(part), "\(part) in \(source)")
        }
    }

    @Test(arguments: [
        "(id: Int, token: String)", "[(User: Int, maybe: (T: Date, all: [String])?)]",
        "AsyncThrowingStream<Int, any Error>", "AsyncThrowingStream<ServerSentEvent, any Swift.Error>",
        "AsyncStream<Swift.String>", "NetworkResponse<Void>", "HTTPHeaders", "[String: JSONValue?]", "Foundation.Date",
    ])
    func theMockOfADeprecatedFunctionNamesWhatNoAppDeprecates(type: String) {
        let source = members(
            "@API protocol A { @available(*, deprecated) @GET(\"/a\") func a<T>(t: T) async throws -> \(type) }")
        #expect(source.contains("let onA: StrataAPI.MockFunction<Any, \(type)>"), "\(source)")
        #expect(source.contains("return try await self.onA(t as Any)\n"), "\(source)")
    }

    @Test(arguments: ["(id: User, token: String)", "AsyncThrowingStream<User, any Error>", "Int.User", "User.Error"])
    func theMockOfADeprecatedFunctionNamesNoTypeInsideOfOneEither(type: String) {
        let source = members(
            "@API protocol A { @available(*, deprecated) @GET(\"/a\") func a() async throws -> \(type) }")
        #expect(source.contains("let onA: StrataAPI.MockFunction<(), Any>"), "\(source)")
    }

    @Test func theMockOfADeprecatedPublisherNamesIt() {
        let source = members(
            "@API protocol A { @available(*, deprecated) @GET(\"/a\") func a() -> AnyPublisher<[Int], any Error> }")
        #expect(source.contains("let onA: StrataAPI.MockFunction<(), AnyPublisher<[Int], any Error>>"), "\(source)")
    }

    @Test func aMockLeavesOutWhatOnlyBackticksAllow() {
        let source = members(
            """
            @API
            protocol A {
                @GET("/a") func `list all`() async throws
                @GET("/b") func get(`user-id`: Int) async throws
                @GET("/c") func get(in: String, _ borrowed: borrowing User) async throws
            }
            """)
        for part in [
            "let onListAll: StrataAPI.MockFunction<(), Swift.Void>",
            "let onGetUserId: StrataAPI.MockFunction<Int, Swift.Void>", "return try await self.onGetUserId(`user-id`)",
            "return try await self.onGetInBorrowed((`in`, copy borrowed))",
        ] {
            #expect(source.contains(part), "\(part) in \(source)")
        }
    }

    @Test func aPropertyOfAMockIsNamedAsNoRequirementWithoutParametersIs() {
        let source = members(
            """
            @API
            protocol A {
                @GET("/a") func message() async throws
                @GET("/b") func onMessage() async throws
                @GET("/c") func other() async throws
                @GET("/d") func onOther(id: Int) async throws
            }
            """)
        for part in [
            "let onMessage2: StrataAPI.MockFunction<(), Swift.Void>", "return try await self.onMessage2(())",
            "let onOnMessage: StrataAPI.MockFunction<(), Swift.Void>",
            "let onOther: StrataAPI.MockFunction<(), Swift.Void>",
            "let onOnOther: StrataAPI.MockFunction<Int, Swift.Void>",
        ] {
            #expect(source.contains(part), "\(part) in \(source)")
        }
        #expect(!source.contains("let onMessage:"))
    }

    @Test func namesOfAMockThatAreTheSameAreNumbered() {
        let source = members(
            """
            @API
            protocol A {
                @GET("/{id}") func find(id: Int) async throws
                @GET("/{id}") func find(id: String) async throws
                @GET("/") func find(name: String) async throws
            }
            """)
        for part in [
            "let onFindId: StrataAPI.MockFunction<Int, Swift.Void>",
            "let onFindId2: StrataAPI.MockFunction<String, Swift.Void>",
            "let onFindName: StrataAPI.MockFunction<String, Swift.Void>",
            "self.onFindId2 = StrataAPI.MockFunction(\"find(id:)\", log: log)",
            "return try await self.onFindId2(id)",
        ] {
            #expect(source.contains(part), "\(part) in \(source)")
        }
    }
}
