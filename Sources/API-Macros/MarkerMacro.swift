// SPDX-License-Identifier: Apache-2.0

import SwiftDiagnostics
public import SwiftSyntax
public import SwiftSyntaxMacros

/// `@Headers`, `@JSON`, `@EventStreaming` … : read by the other macros, and nothing by themselves.
open class MarkerMacro: PeerMacro {
    public static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let parent = context.lexicalContext.first?.as(ProtocolDeclSyntax.self)
        let isRequirement = parent?.attributes.named.contains { $0.baseName == "API" } == true
        if let rule = rule(brokenBy: node.baseName, on: declaration, isRequirement: isRequirement) {
            context.diagnose(Diagnostic(node: node, message: rule))
        } else if node.argument("decoding") != nil, !declaration.is(FunctionDeclSyntax.self) {
            context.diagnose(Diagnostic(node: node, message: Rule.tableOfType))
        }
        return []
    }

    private static func rule(
        brokenBy name: String, on declaration: some DeclSyntaxProtocol, isRequirement: Bool
    ) -> Rule? {
        if declaration.is(ExtensionDeclSyntax.self) { return .markerOnExtension(name) }
        let attributes = declaration.asProtocol((any WithAttributesSyntax).self)?.attributes ?? []
        // Of a method or an `@API` inside of `#if` nobody can tell.
        guard attributes.conditional.isEmpty else { return nil }
        if let function = declaration.as(FunctionDeclSyntax.self) {
            // Of a requirement `@API` says it.
            return isRequirement || Endpoint.attribute(of: function) != nil ? nil : .markerWithoutMethod(name)
        }
        guard attributes.named.contains(where: { $0.baseName == "API" }) else { return .misplacedMarker(name) }
        return name == "URL" ? .targetOfType : nil
    }
}
