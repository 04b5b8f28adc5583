// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StrataAPIExpansion

struct ParameterReaderTests {
    @Test func anAttributeByAnotherNameIsAnError() {
        expectProblem(
            #"@GET("/me") func x(@APIHeader("Authorization") token: String) async throws"#,
            .unknownAttribute("APIHeader"), at: 20)
        expectProblem(
            #"@POST("/me") func x(a: Int, @Mine.Checked<Int> b: Int) async throws"#,
            .unknownAttribute("Mine.Checked<Int>"), at: 29)
    }

    @Test(arguments: ["@Query @Clamped(1...100)", "@Mine.Checked<Int> @Query"])
    func besideOneOfItsOwnTheMacroTakesAnyAttribute(attributes: String) {
        #expect(problems("@GET(\"/me\") func x(\(attributes) limit: Int) async throws").isEmpty)
    }
}
