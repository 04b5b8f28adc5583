// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StrataAPIExpansion

/// What `@API` adds.
struct APIMacroTests {
    /// The members that a type gets: the lines of its expansion that are not in the source.
    func members(_ source: String) -> String {
        expand(source, only: ["API"]).source
    }

    /// Without indentation and empty lines.
    func lines(_ source: String) -> String {
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
}
