// SPDX-License-Identifier: Apache-2.0

import Testing

/// What `@API` adds.
struct APIMacroTests {
    /// The members that a type gets: the lines of its expansion that are not in the source.
    private func members(_ source: String) -> String {
        expand(source, only: ["API"]).source
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
                            call.header("C", .init(d))
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
        #expect(source.contains("\n    func apiCall("))
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
            }
            """)
        #expect(
            source.contains("init(_ provider: StrataAPI.Provider, region: String, limit: Int? = nil, observed: Int) {"))
        #expect(source.contains("self.region = region"))
        #expect(
            source.contains("self.init(StrataAPI.Provider(client), region: region, limit: limit, observed: observed)"))
    }

    @Test func whatTheTypeBringsIsNotMadeAgain() {
        let own = members(
            "@API\nstruct A {\n    let provider: Provider\n    init(_ provider: Provider) { self.provider = provider }\n}"
        )
        #expect(!own.contains("StrataAPI.Provider)"))
        #expect(!own.contains("let provider: StrataAPI.Provider"))
        let taken = members("@API\nstruct A {\n    var provider = 3\n}")
        #expect(taken.contains("let apiProvider: StrataAPI.Provider"))
        #expect(taken.contains("StrataAPI.APICall(self.apiProvider"))
        let function = members("@API\nstruct A {\n    @GET(\"/p\") func provider() async throws -> Int\n}")
        #expect(function.contains("let apiProvider: StrataAPI.Provider"))
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
                    returns: "(a: Int, b: Int)"),
                """.split(separator: "\n").map { "            " + $0 }.joined(separator: "\n").dropFirst(12)))
        #expect(source.contains("\"page(_:)\", \"GET\", nil,"))
        #expect(!source.contains("helper()\","))
    }

    @Test func aProtocolGetsAClientAndAMock() {
        let source = members(
            """
            @API
            public protocol NotesAPI: Sendable {
                @available(macOS 20, *) @GET("/notes/{id}") func note(id: Int) async throws -> Note
                @POST("/notes") func create<T: Encodable>(_ note: T, `in` folder: String?) async throws(NotesError) -> T where T: Decodable
            }
            """)
        for part in [
            "public struct NotesAPIClient: NotesAPI {",
            "@available(macOS 20, *)\n    public func note(id: Int) async throws -> Note {",
            """
            public func create<T: Encodable>(_ note: T, `in` folder: String?) async throws(NotesError) -> T where T: Decodable {
            """,
            "public final class NotesAPIMock: NotesAPI {",
            "public let onNote: StrataAPI.MockFunction<Int, Note>",
            "public let onCreate: StrataAPI.MockFunction<(note: Any, folder: String?), Any>",
            "return try await self.onCreate((note, folder), as: (T).self)",
            "throw NotesError.wrapping(error)",
        ] {
            #expect(source.contains(part), "\(part) in \(source)")
        }
        #expect(!members("@API(mock: false) protocol A {}").contains("Mock"))
    }
}
