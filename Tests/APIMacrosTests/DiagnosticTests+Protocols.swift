// SPDX-License-Identifier: Apache-2.0

import SwiftDiagnostics
import Testing

@testable import StrataAPIExpansion

extension DiagnosticTests {
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
