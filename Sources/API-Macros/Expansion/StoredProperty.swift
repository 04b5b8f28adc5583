// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// A stored property that an initialiser has to set.
struct StoredProperty {
    let name: String
    let type: String
    let isOptional: Bool

    var parameter: String { "\(name): \(type)\(isOptional ? " = nil" : "")" }

    /// Those of a type, in order: not static, not computed, no value yet.
    static func unset(in members: MemberBlockItemListSyntax) -> [StoredProperty] {
        members.flatMap { member -> [StoredProperty] in
            guard let variable = member.decl.as(VariableDeclSyntax.self),
                !variable.modifiers.contains(where: { ["static", "class", "lazy"].contains($0.name.text) })
            else { return [] }
            return variable.bindings.compactMap { binding in
                guard binding.initializer == nil, !isComputed(binding), let type = binding.typeAnnotation?.type.trimmed
                else { return nil }
                let name = binding.pattern.trimmedDescription
                return name == "provider" && Reply.baseName(of: type) == "Provider"
                    ? nil : StoredProperty(name: name, type: type.description, isOptional: isOptional(type, variable))
            }
        }
    }

    private static func isOptional(_ type: TypeSyntax, _ variable: VariableDeclSyntax) -> Bool {
        type.is(OptionalTypeSyntax.self) && variable.bindingSpecifier.tokenKind == .keyword(.var)
    }

    private static func isComputed(_ binding: PatternBindingSyntax) -> Bool {
        switch binding.accessorBlock?.accessors {
        case .getter: true
        case .accessors(let list):
            list.contains { ![.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind) }
        case nil: false
        }
    }
}
