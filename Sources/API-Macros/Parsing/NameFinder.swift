// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// The names that expressions look up around them.
final class NameFinder: SyntaxVisitor {
    struct Use {
        let name: String
        let node: Syntax
    }

    private var all: [Use] = []
    private var declared: Set<String> = []
    var uses: [Use] { all.filter { !declared.contains($0.name) } }

    /// What stands in the attributes.
    convenience init(in attributes: [AttributeSyntax]) {
        self.init(viewMode: .sourceAccurate)
        for attribute in attributes { attribute.arguments.map { walk($0) } }
    }

    private func use(_ name: TokenSyntax, at node: some SyntaxProtocol) {
        all.append(Use(name: name.plainText, node: Syntax(node)))
    }

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
        use(name.identifier, at: name)
        return .skipChildren
    }

    override func visit(_ node: IdentifierPatternSyntax) -> SyntaxVisitorContinueKind {
        declared.insert(node.identifier.plainText)
        return .skipChildren
    }

    override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
        if node.parent?.as(MemberAccessExprSyntax.self)?.declName.id != node.id { use(node.baseName, at: node) }
        return .skipChildren
    }

    override func visit(_ node: IdentifierTypeSyntax) -> SyntaxVisitorContinueKind {
        use(node.name, at: node)
        return .visitChildren
    }
}
