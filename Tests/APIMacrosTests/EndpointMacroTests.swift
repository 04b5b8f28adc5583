// SPDX-License-Identifier: Apache-2.0

import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import Testing

@testable import StrataAPIExpansion

struct EndpointMacroTests {
    @Test func whatIsNoFunctionIsNoEndpoint() {
        expectProblem(#"@GET("/x") init(x: Int)"#, .notAnInstanceFunction, at: 1)
    }

    /// The compiler expands the attribute whose condition holds; `expand` knows no conditions.
    @Test(arguments: ["", "@POST(\"/x\")\n"])
    func aMethodInAConditionIsReported(other: String) throws {
        let file = Parser.parse(source: "\(other)#if DEBUG\n@GET(\"/x\")\n#endif\nfunc x() async throws")
        let function = try #require(file.statements.first?.item.as(FunctionDeclSyntax.self))
        let context = BasicMacroExpansionContext()
        _ = try EndpointMacro.expansion(of: AttributeSyntax("@GET(\"/x\")"), providingBodyFor: function, in: context)
        #expect(context.diagnostics.contains { $0.message == Rule.conditionalAttribute.message })
    }

    /// Or the compiler would report that, too.
    @Test(arguments: [
        #"@GET("/{id}") func x() async throws"#, #"@GET("/x") func x() -> Int"#, #"@GET("/x") init(x: Int)"#,
        #"@GET("/x") func x() async throws -> Int { 1 }"#,
    ])
    func aMistakeLeavesABody(member: String) {
        let (source, diagnostics) = expand("@API struct A { \(member) }", only: ["GET"])
        #expect(diagnostics.count == 1)
        #expect(source.contains("Swift.fatalError()"), "\(source)")
    }

    /// `@API` reports the type, and adds nothing to it that the body could call.
    @Test(arguments: ["enum", "extension"])
    func aTypeThatIsNoneLeavesABody(keyword: String) {
        let (source, diagnostics) = expand("@API \(keyword) A { @GET(\"/x\") func x() async throws }")
        #expect(diagnostics.map(\.message) == [Rule.unsupportedType.message])
        #expect(source.contains("Swift.fatalError()"), "\(source)")
    }
}
