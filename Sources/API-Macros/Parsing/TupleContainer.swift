// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// A type in which a tuple can be read, however it is written: `[T]` or `Array<T>`.
enum TupleContainer {
    case optional(TypeSyntax)
    case array(TypeSyntax)
    case dictionary(key: TypeSyntax, value: TypeSyntax)

    init?(_ type: TypeSyntax) {
        if let optional = type.as(OptionalTypeSyntax.self) {
            self = .optional(optional.wrappedType)
        } else if let forced = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
            self = .optional(forced.wrappedType)
        } else if let array = type.as(ArrayTypeSyntax.self) {
            self = .array(array.element)
        } else if let dictionary = type.as(DictionaryTypeSyntax.self) {
            self = .dictionary(key: dictionary.key, value: dictionary.value)
        } else {
            let arguments = type.genericArguments
            switch (Reply.baseName(of: type), arguments.count) {
            case ("Optional", 1): self = .optional(arguments[0])
            case ("Array", 1): self = .array(arguments[0])
            case ("Dictionary", 2): self = .dictionary(key: arguments[0], value: arguments[1])
            default: return nil
            }
        }
    }
}

extension TypeSyntax {
    /// `Int` of `Page<Int>` and `Shop.Page<Int>`.
    var genericArguments: [TypeSyntax] {
        guard
            let clause = self.as(IdentifierTypeSyntax.self)?.genericArgumentClause
                ?? self.as(MemberTypeSyntax.self)?.genericArgumentClause
        else { return [] }
        return clause.arguments.compactMap { if case .type(let type) = $0.argument { type } else { nil } }
    }
}
