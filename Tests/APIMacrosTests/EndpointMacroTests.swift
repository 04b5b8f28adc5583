// SPDX-License-Identifier: Apache-2.0

import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import Testing

@testable import StrataAPIMacros

struct EndpointMacroTests {
    @Test func whatIsNoFunctionIsNoEndpoint() {
        expectProblem(#"@GET("/x") init(x: Int)"#, .notAnInstanceFunction, at: 1)
    }

    /// The compiler expands the attribute whose condition holds; `expand` knows no conditions.
    @Test(arguments: ["", "@POST(\"/x\")\n"])
    func aMethodInAConditionIsReported(other: String) throws {
        let file = Parser.parse(source: "\(other)#if DEBUG\n@GET(\"/x\")\n#endif\nfunc x() async throws")
        let function = try #require(file.statements.first?.item.as(FunctionDeclSyntax.self))
        let error = #expect(throws: DiagnosticsError.self) {
            _ = try EndpointMacro.expansion(
                of: AttributeSyntax("@GET(\"/x\")"), providingBodyFor: function, in: BasicMacroExpansionContext())
        }
        #expect(error?.diagnostics.contains { $0.message == Rule.conditionalAttribute.message } == true)
    }
}
