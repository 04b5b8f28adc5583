// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// The names that an expression looks up around it.
final class NameFinder: SyntaxVisitor {
    private var used: Set<String> = []
    private var declared: Set<String> = []
    var names: Set<String> { used.subtracting(declared) }

    /// The components of `\.name` are members.
    override func visit(_ node: KeyPathPropertyComponentSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    override func visit(_ node: ClosureCaptureSyntax) -> SyntaxVisitorContinueKind {
        if node.initializer != nil { declared.insert(node.name.plainText) }
        return .visitChildren
    }

    override func visit(_ node: ClosureShorthandParameterSyntax) -> SyntaxVisitorContinueKind {
        declared.insert(node.name.plainText)
        return .skipChildren
    }

    override func visit(_ node: ClosureParameterSyntax) -> SyntaxVisitorContinueKind {
        declared.insert((node.secondName ?? node.firstName).plainText)
        return .skipChildren
    }

    /// `if let name {` looks the name up as well; what it declares is the same value.
    override func visit(_ node: OptionalBindingConditionSyntax) -> SyntaxVisitorContinueKind {
        guard node.initializer == nil, let name = node.pattern.as(IdentifierPatternSyntax.self) else {
            return .visitChildren
        }
        used.insert(name.identifier.plainText)
        return .skipChildren
    }

    override func visit(_ node: IdentifierPatternSyntax) -> SyntaxVisitorContinueKind {
        declared.insert(node.identifier.plainText)
        return .skipChildren
    }

    override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
        if node.parent?.as(MemberAccessExprSyntax.self)?.declName.id != node.id { used.insert(node.baseName.plainText) }
        return .skipChildren
    }
}
