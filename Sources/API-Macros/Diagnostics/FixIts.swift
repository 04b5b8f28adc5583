// SPDX-License-Identifier: Apache-2.0

import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// The text of a fix-it.
struct Offer: FixItMessage {
    let message: String
    let fixItID: MessageID

    init(_ message: String) {
        self.message = message
        fixItID = MessageID(domain: "StrataAPI", id: message)
    }
}

extension FixIt {
    static func replacing(_ old: some SyntaxProtocol, with new: some SyntaxProtocol, _ offer: String) -> FixIt {
        FixIt(message: Offer(offer), changes: [.replace(oldNode: Syntax(old), newNode: Syntax(new))])
    }

    /// Removes an attribute, and the space after it.
    static func removing(_ attribute: AttributeSyntax, from list: AttributeListSyntax) -> FixIt {
        reducing(list, to: list.filter { $0.id != attribute.id }, "remove '\(attribute.trimmedDescription)'")
    }

    /// Removes a modifier, and the space after it.
    static func removing(_ modifier: DeclModifierSyntax, from list: DeclModifierListSyntax) -> FixIt {
        reducing(list, to: list.filter { $0.id != modifier.id }, "remove '\(modifier.name.text)'")
    }

    /// What stood before the first element stays before what is first now, in the list or after it.
    private static func reducing<List: SyntaxCollection>(_ list: List, to rest: List, _ offer: String) -> FixIt {
        guard rest.isEmpty, let next = list.lastToken(viewMode: .sourceAccurate)?.nextToken(viewMode: .sourceAccurate)
        else { return replacing(list, with: rest.with(\.leadingTrivia, list.leadingTrivia), offer) }
        return FixIt(
            message: Offer(offer),
            changes: [
                .replace(oldNode: Syntax(list), newNode: Syntax(rest)),
                .replaceLeadingTrivia(token: next, newTrivia: list.leadingTrivia),
            ])
    }

    static func adding(_ attribute: String, to function: FunctionDeclSyntax) -> FixIt {
        let new = AttributeSyntax("\(raw: attribute)").with(\.trailingTrivia, .space)
        var changed = function.with(\.leadingTrivia, [])
        changed.attributes = AttributeListSyntax([.attribute(new)] + Array(changed.attributes))
        return replacing(function, with: changed.with(\.leadingTrivia, function.leadingTrivia), "add '\(attribute)'")
    }

    static func adding(_ attribute: String, to parameter: FunctionParameterSyntax) -> FixIt {
        let new = parameter.with(\.leadingTrivia, []).with(
            \.attributes,
            AttributeListSyntax([.attribute(AttributeSyntax("\(raw: attribute)").with(\.trailingTrivia, .space))]))
        return replacing(
            parameter, with: new.with(\.leadingTrivia, parameter.leadingTrivia), "make it '\(attribute)'")
    }

    static func addingParameter(_ name: String, to function: FunctionDeclSyntax) -> FixIt {
        let clause = function.signature.parameterClause
        let parameter = FunctionParameterSyntax("\(raw: Identifier.escaped(name)): String")
        var parameters = clause.parameters
        if parameters.isEmpty {
            parameters = [parameter]
        } else {
            let first = parameter.with(\.trailingComma, .commaToken(trailingTrivia: .space))
                .with(\.leadingTrivia, parameters.leadingTrivia)
            parameters = FunctionParameterListSyntax(
                [first]
                    + Array(
                        parameters.with(
                            \.leadingTrivia, parameters.leadingTrivia.containsNewlines ? parameters.leadingTrivia : []))
            )
        }
        return replacing(clause, with: clause.with(\.parameters, parameters), "add the parameter '\(name): String'")
    }

    /// Replaces the label `_` of a parameter by its name: `_ user: User` becomes `user: User`.
    static func labelling(_ parameter: FunctionParameterSyntax) -> FixIt? {
        guard parameter.firstName.tokenKind == .wildcard, let name = parameter.secondName else { return nil }
        let new = parameter.with(\.secondName, nil)
            .with(\.firstName, name.with(\.leadingTrivia, parameter.firstName.leadingTrivia))
        return replacing(parameter, with: new, "label it '\(name.text)'")
    }

    /// Gives a parameter another name; its label stays: `value: Int` becomes `value value2: Int`.
    static func renaming(_ parameter: FunctionParameterSyntax, to name: String) -> FixIt {
        let old = Parameter.name(parameter)
        let new = parameter.with(\.firstName, parameter.firstName.with(\.trailingTrivia, .space))
            .with(\.secondName, .identifier(name, trailingTrivia: old.trailingTrivia))
        return replacing(parameter, with: new, "name it '\(name)'")
    }

    /// `Self.name` for `name`.
    static func qualifying(_ node: Syntax) -> FixIt? {
        guard let name = node.as(DeclReferenceExprSyntax.self) else { return nil }
        let new = MemberAccessExprSyntax(base: ExprSyntax("Self"), declName: name.trimmed)
            .with(\.leadingTrivia, name.leadingTrivia).with(\.trailingTrivia, name.trailingTrivia)
        return replacing(name, with: new, "write '\(new.trimmedDescription)'")
    }

    static func makingAsyncThrows(_ function: FunctionDeclSyntax) -> FixIt {
        let old = function.signature
        let effects = FunctionEffectSpecifiersSyntax(
            asyncSpecifier: .keyword(.async, trailingTrivia: .space),
            throwsClause: (old.effectSpecifiers?.throwsClause?.trimmed
                ?? ThrowsClauseSyntax(throwsSpecifier: .keyword(.throws)))
                .with(\.throwsSpecifier, .keyword(.throws)))
        var new = old.with(\.effectSpecifiers, effects.with(\.trailingTrivia, old.returnClause == nil ? [] : .space))
        new.parameterClause = new.parameterClause.with(\.trailingTrivia, .space)
        return replacing(old, with: new.with(\.trailingTrivia, old.trailingTrivia), "make it 'async throws'")
    }

    static func removingEffects(of function: FunctionDeclSyntax) -> FixIt {
        let old = function.signature
        return replacing(old, with: old.with(\.effectSpecifiers, nil), "remove 'async throws'")
    }

    static func removingBody(of function: FunctionDeclSyntax) -> FixIt {
        var new = function.with(\.body, nil)
        new.signature = new.signature.with(\.trailingTrivia, [])
        return replacing(function, with: new.with(\.trailingTrivia, function.trailingTrivia), "remove the body")
    }
}

extension Trivia {
    fileprivate var containsNewlines: Bool { contains { $0.isNewline } }
}
