// SPDX-License-Identifier: Apache-2.0

import SwiftDiagnostics
public import SwiftSyntax
public import SwiftSyntaxMacros

/// `@Headers`, `@JSON`, `@EventStreaming` … : read by the other macros, and nothing by themselves.
public struct MarkerMacro: PeerMacro {
    public static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        if declaration.is(ExtensionDeclSyntax.self) {
            context.diagnose(Diagnostic(node: node, message: Rule.markerOnExtension(node.baseName)))
        }
        // Of a requirement `@API` says it, and of a method inside of `#if` nobody can tell.
        if let function = declaration.as(FunctionDeclSyntax.self), Endpoint.attribute(of: function) == nil,
            function.attributes.conditional.isEmpty,
            context.lexicalContext.first?.is(ProtocolDeclSyntax.self) != true
        {
            context.diagnose(Diagnostic(node: node, message: Rule.markerWithoutMethod(node.baseName)))
        }
        return []
    }
}
