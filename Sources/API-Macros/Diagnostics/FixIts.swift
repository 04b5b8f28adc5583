// SPDX-License-Identifier: Apache-2.0

import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

extension FixIt {
    /// Takes an attribute away, and the space after it.
    static func removing(_ attribute: AttributeSyntax, from list: AttributeListSyntax) -> FixIt {
        let rest = list.filter { $0.id != attribute.id }
        return replacing(list, with: trimmingStart(of: rest, as: list), "remove '\(attribute.trimmedDescription)'")
    }

    /// What stood before the first attribute stays before what is now the first one.
    private static func trimmingStart(of rest: AttributeListSyntax, as list: AttributeListSyntax) -> AttributeListSyntax
    {
        rest.isEmpty ? rest : rest.with(\.leadingTrivia, list.leadingTrivia)
    }

    static func adding(_ attribute: String, to function: FunctionDeclSyntax) -> FixIt {
        let new = AttributeSyntax("\(raw: attribute)").with(\.trailingTrivia, .space)
        var changed = function.with(\.leadingTrivia, [])
        changed.attributes = AttributeListSyntax([.attribute(new)] + Array(changed.attributes))
        return replacing(function, with: changed.with(\.leadingTrivia, function.leadingTrivia), "add '\(attribute)'")
    }

    static func adding(_ attribute: String, to parameter: FunctionParameterSyntax) -> FixIt {
        let new = parameter.detachedStart().with(
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

    static func removingBody(of function: FunctionDeclSyntax) -> FixIt {
        var new = function.with(\.body, nil)
        new.signature = new.signature.with(\.trailingTrivia, [])
        return replacing(function, with: new.with(\.trailingTrivia, function.trailingTrivia), "remove the body")
    }
}

extension FunctionParameterSyntax {
    fileprivate func detachedStart() -> FunctionParameterSyntax { with(\.leadingTrivia, []) }
}

extension Trivia {
    fileprivate var containsNewlines: Bool { contains { $0.isNewline } }
}
