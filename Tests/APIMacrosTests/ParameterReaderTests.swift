// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StrataAPIMacros

struct ParameterReaderTests {
    @Test func anAttributeByAnotherNameIsAnError() {
        expectProblem(
            #"@GET("/me") func x(@APIHeader("Authorization") token: String) async throws"#,
            .unknownAttribute("APIHeader"), at: 20)
        expectProblem(
            #"@POST("/me") func x(a: Int, @Query @Mine.Checked<Int> b: Int) async throws"#,
            .unknownAttribute("Mine.Checked<Int>"), at: 36)
    }
}
