// SPDX-License-Identifier: Apache-2.0

import SwiftDiagnostics
import Testing

@testable import StrataAPIExpansion

extension DiagnosticTests {
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
}
