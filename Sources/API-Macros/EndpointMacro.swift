// SPDX-License-Identifier: Apache-2.0

public import SwiftSyntax
import SwiftSyntaxBuilder
public import SwiftSyntaxMacros
import SwiftDiagnostics

/// `@GET` … `@CONNECT` and `@HTTP`: writes the body of an endpoint.
open class EndpointMacro: BodyMacro {
    public static func expansion(
        of node: AttributeSyntax, providingBodyFor declaration: some DeclSyntaxProtocol & WithOptionalCodeBlockSyntax,
        in context: some MacroExpansionContext
    ) throws -> [CodeBlockItemSyntax] {
        guard let function = declaration.as(FunctionDeclSyntax.self) else {
            context.diagnose(Diagnostic(node: node, message: Rule.notAnInstanceFunction))
            return [noBody]
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
        if !isInAPI(parent) {
            let inSubclass = parent?.as(ClassDeclSyntax.self)?.inheritanceClause != nil
            problems.report(.missingAPI(node.baseName, inSubclass: inSubclass), at: node)
        }
        problems.diagnostics.forEach(context.diagnose)
        guard !problems.haveErrors, let endpoint else { return [noBody] }
        if parent?.is(ProtocolDeclSyntax.self) == true || isRefused(parent) { return [noBody] }
        let place = parent?.is(ExtensionDeclSyntax.self) == true ? SourcePlace(of: node, in: context) : nil
        return EndpointBody(endpoint, in: place).statements.map { "\(raw: $0)" }
    }

    private static var noBody: CodeBlockItemSyntax { "\(raw: EndpointBody.none)" }

    /// An extension's type may have the attribute where it cannot be seen from here.
    private static func isInAPI(_ parent: (any DeclGroupSyntax)?) -> Bool {
        guard let parent else { return false }
        return parent.is(ExtensionDeclSyntax.self) || hasAPI(parent)
    }

    /// Whether `@API` refuses the type, so that the endpoint has nothing to call.
    private static func isRefused(_ parent: (any DeclGroupSyntax)?) -> Bool {
        guard let parent, parent.is(EnumDeclSyntax.self) || parent.is(ExtensionDeclSyntax.self) else { return false }
        return hasAPI(parent)
    }

    private static func hasAPI(_ declaration: any DeclGroupSyntax) -> Bool {
        declaration.attributes.named.contains { $0.baseName == "API" }
    }
}
