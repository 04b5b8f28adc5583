// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StrataAPIMacros

struct EndpointMacroTests {
    @Test func whatIsNoFunctionIsNoEndpoint() {
        expectProblem(#"@GET("/x") init(x: Int)"#, .notAnInstanceFunction, at: 1)
    }
}
