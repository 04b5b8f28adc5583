// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StrataAPIExpansion

extension APIMacroTests {
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
}
