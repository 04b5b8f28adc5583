// SPDX-License-Identifier: Apache-2.0

public import SwiftSyntax
import SwiftSyntaxBuilder
public import SwiftSyntaxMacros
import SwiftDiagnostics

/// `@GET` … `@CONNECT` and `@HTTP`: writes the body of an endpoint.
public struct EndpointMacro: BodyMacro {
    public static func expansion(
        of node: AttributeSyntax, providingBodyFor declaration: some DeclSyntaxProtocol & WithOptionalCodeBlockSyntax,
        in context: some MacroExpansionContext
    ) throws -> [CodeBlockItemSyntax] {
        guard let function = declaration.as(FunctionDeclSyntax.self) else {
            throw DiagnosticsError(diagnostics: [Diagnostic(node: node, message: Rule.notAnInstanceFunction)])
        }
        // The last of several reports the others; one inside of `#if` is not among them, and is reported itself.
        let methods = function.attributes.named.filter(Endpoint.isMethod).map(\.trimmedDescription)
        if let last = methods.last, last != node.trimmedDescription, methods.contains(node.trimmedDescription) {
            return []
        }
        let parent = context.lexicalContext.first.flatMap { $0.asProtocol((any DeclGroupSyntax).self) }
        var parser = EndpointParser(function, attribute: node, in: parent)
        let endpoint = parser.parse()
        var problems = parser.problems
        if !isInAPI(parent) { problems.report(.missingAPI(node.baseName), at: node) }
        guard problems.isEmpty, let endpoint else {
            throw DiagnosticsError(diagnostics: problems.diagnostics)
        }
        if parent?.is(ProtocolDeclSyntax.self) == true {
            // A requirement has no body; the compiler wants one of the macro, and drops it.
            return ["Swift.fatalError()"]
        }
        return EndpointBody(endpoint).statements.map { "\(raw: $0)" }
    }

    /// An extension's type may have the attribute where it cannot be seen from here.
    private static func isInAPI(_ parent: (any DeclGroupSyntax)?) -> Bool {
        guard let parent else { return false }
        return parent.is(ExtensionDeclSyntax.self) || parent.attributes.named.contains { $0.baseName == "API" }
    }
}
