// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StrataAPIExpansion

extension APIMacroTests {
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
