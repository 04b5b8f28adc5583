// SPDX-License-Identifier: Apache-2.0

public import SwiftSyntax
public import SwiftSyntaxMacros

/// `@Headers`, `@JSON`, `@EventStreaming` … : read by the other macros, and nothing by themselves.
public struct MarkerMacro: PeerMacro {
    public static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] { [] }
}
