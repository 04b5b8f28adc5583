// SPDX-License-Identifier: Apache-2.0

import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// What an endpoint returns.
enum Reply {
    case none
    case type(TypeSyntax)
    /// A type with a tuple somewhere in it, which needs a decoder of its own.
    case tuple(TypeSyntax)

    init(_ clause: ReturnClauseSyntax?, problems: inout Problems) {
        guard let clause, !Self.isVoid(Self.plain(clause.type)) else {
            self = .none
            return
        }
        let type = Self.plain(clause.type)
        if let opaque = type.as(SomeOrAnyTypeSyntax.self) {
            problems.report(.opaqueReply, at: clause.type, fixIts: Self.publisherFixIts(for: clause.type, opaque))
        }
        self = Self.checkTuples(in: clause.type, problems: &problems) ? .tuple(type) : .type(type)
    }

    /// `AnyPublisher<T, any Error>` for `some Publisher<T, any Error>`.
    private static func publisherFixIts(for type: TypeSyntax, _ opaque: SomeOrAnyTypeSyntax) -> [FixIt] {
        let arguments = opaque.constraint.genericArguments.map(\.trimmedDescription)
        guard baseName(of: opaque.constraint) == "Publisher", arguments.count == 2 else { return [] }
        let publisher = TypeSyntax("AnyPublisher<\(raw: arguments.joined(separator: ", "))>")
        return [.replacing(type, with: publisher.with(\.trailingTrivia, type.trailingTrivia), "return 'AnyPublisher'")]
    }

    /// The type without `sending`, parentheses and attributes; `T?` for `T!`.
    static func plain(_ type: TypeSyntax) -> TypeSyntax {
        if let attributed = type.as(AttributedTypeSyntax.self) { return plain(attributed.baseType) }
        if let tuple = type.as(TupleTypeSyntax.self), tuple.elements.count == 1, let only = tuple.elements.first,
            only.firstName == nil
        {
            return plain(only.type)
        }
        if let forced = type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
            return TypeSyntax(OptionalTypeSyntax(wrappedType: forced.wrappedType.trimmed))
        }
        return type.trimmed
    }

    static func isVoid(_ type: TypeSyntax) -> Bool {
        if let tuple = type.as(TupleTypeSyntax.self) { return tuple.elements.isEmpty }
        return ["Void", "Swift.Void"].contains(type.trimmedDescription)
    }

    /// Whether there is a tuple in the type, at a place where one can be decoded.
    static func containsTuple(_ type: TypeSyntax) -> Bool {
        var ignored = Problems()
        return checkTuples(in: type, problems: &ignored)
    }

    /// The same. Reports elements without labels, and tuples at any other place.
    private static func checkTuples(in type: TypeSyntax, problems: inout Problems) -> Bool {
        if let attributed = type.as(AttributedTypeSyntax.self) {
            return checkTuples(in: attributed.baseType, problems: &problems)
        }
        if let tuple = type.as(TupleTypeSyntax.self) {
            if tuple.elements.count == 1, let only = tuple.elements.first, only.firstName == nil {
                return checkTuples(in: only.type, problems: &problems)
            }
            for (offset, element) in tuple.elements.enumerated() {
                _ = checkTuples(in: element.type, problems: &problems)
                if element.firstName == nil || element.firstName?.tokenKind == .wildcard {
                    let labelled = element.with(\.firstName, .identifier("value\(offset)"))
                        .with(\.secondName, nil).with(\.colon, .colonToken(trailingTrivia: .space))
                        .with(\.leadingTrivia, element.leadingTrivia)
                    problems.report(
                        .unlabelledElement, at: element,
                        fixIts: [.replacing(element, with: labelled, "label it 'value\(offset)'")])
                }
            }
            return true
        }
        switch TupleContainer(type) {
        case .optional(let element)?, .array(let element)?: return checkTuples(in: element, problems: &problems)
        case .dictionary(let key, let value)?:
            guard checkTuples(in: value, problems: &problems) else { return false }
            if !["String", "Swift.String"].contains(key.trimmedDescription) { problems.report(.tupleKey, at: key) }
            return true
        case nil:
            for argument in type.genericArguments where !isVoid(plain(argument)) {
                if containsTuple(argument) {
                    problems.report(.misplacedTuple, at: argument)
                } else {
                    _ = checkTuples(in: argument, problems: &problems)
                }
            }
            return false
        }
    }

    /// The last part of the type's name, without generic arguments.
    static func baseName(of type: TypeSyntax) -> String {
        if let name = type.as(IdentifierTypeSyntax.self) { return name.name.text }
        if let member = type.as(MemberTypeSyntax.self) { return member.name.text }
        return ""
    }
}
