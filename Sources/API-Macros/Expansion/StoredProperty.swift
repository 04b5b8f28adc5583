// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// A stored property that an initialiser has to set.
struct StoredProperty {
    let pattern: PatternSyntax
    /// As a parameter has it, `@escaping` included.
    let type: String
    let isOptional: Bool
    /// As ``EndpointGroup/access``.
    let access: String

    /// With its backticks.
    var name: String { pattern.trimmedDescription }

    /// Whether it is one property, and not several that share a tuple.
    var isSingle: Bool { pattern.is(IdentifierPatternSyntax.self) }

    var parameter: String { "\(name): \(type)\(isOptional ? " = nil" : "")" }

    /// The expression of the parameter's value.
    var value: String { Identifier.escaped(Identifier.plain(name)) }

    /// Those of a type, in order: not static, not computed, no value yet.
    static func unset(in members: MemberBlockItemListSyntax) -> [StoredProperty] {
        members.flatMap { unset(in: $0.decl) }
    }

    static func unset(in member: DeclSyntax) -> [StoredProperty] {
        guard let variable = member.as(VariableDeclSyntax.self),
            !variable.modifiers.contains(where: { ["static", "class", "lazy"].contains($0.name.text) }),
            !isSetByAttribute(variable)
        else { return [] }
        // In `let a, b: Int` both are of the type that follows.
        var following: TypeSyntax?
        return variable.bindings.reversed().compactMap { binding -> StoredProperty? in
            following = binding.typeAnnotation?.type.trimmed ?? following
            guard binding.initializer == nil, !isComputed(binding), let type = following else { return nil }
            if binding.pattern.trimmedDescription == "provider", Reply.baseName(of: type) == "Provider" { return nil }
            let escaping = Reply.plain(type).is(FunctionTypeSyntax.self) ? "@escaping " : ""
            return StoredProperty(
                pattern: binding.pattern, type: "\(escaping)\(type)", isOptional: isOptional(type, variable),
                access: EndpointGroup.prefix(ofAccess: EndpointGroup.access(variable.modifiers)))
        }
        .reversed()
    }

    /// Whether an attribute with arguments gives the property its value: `@UserDefault("token") var token: String?`.
    private static func isSetByAttribute(_ variable: VariableDeclSyntax) -> Bool {
        variable.attributes.named.contains {
            $0.arguments != nil && !["available", "objc", "_spi"].contains($0.baseName)
        }
    }

    private static func isOptional(_ type: TypeSyntax, _ variable: VariableDeclSyntax) -> Bool {
        (type.is(OptionalTypeSyntax.self) || type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self))
            && variable.bindingSpecifier.tokenKind == .keyword(.var)
    }

    static func isComputed(_ binding: PatternBindingSyntax) -> Bool {
        switch binding.accessorBlock?.accessors {
        case .getter: true
        case .accessors(let list):
            list.contains { ![.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind) }
        case nil: false
        }
    }
}
