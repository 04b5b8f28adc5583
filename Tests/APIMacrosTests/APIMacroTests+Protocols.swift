// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StrataAPIExpansion

extension APIMacroTests {
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
}
