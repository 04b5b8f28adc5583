// SPDX-License-Identifier: Apache-2.0

import SwiftParser
import SwiftSyntax

extension AttributeSyntax {
    /// `GET` of `@GET`, `@StrataAPI.GET` and `@StrataAPI::GET`.
    var baseName: String {
        if let name = attributeName.as(IdentifierTypeSyntax.self) { return name.name.text }
        if let member = attributeName.as(MemberTypeSyntax.self) { return member.name.text }
        return attributeName.trimmedDescription
    }

    var argumentList: [LabeledExprSyntax] {
        if case .argumentList(let list)? = arguments { Array(list) } else { [] }
    }

    func argument(_ label: String?) -> ExprSyntax? {
        argumentList.first { $0.label?.text == label }?.expression
    }

    /// Whether it is one that these macros read on a function or a type.
    fileprivate var isOurs: Bool { Endpoint.isMethod(self) || Settings.names.contains(baseName) }
}

extension AttributeListSyntax {
    /// The attributes that stand there unconditionally.
    var named: [AttributeSyntax] {
        compactMap { if case .attribute(let attribute) = $0 { attribute } else { nil } }
    }

    /// Each `#if` with an attribute in it that these macros would read. They cannot tell which of its clauses holds.
    var conditional: [IfConfigDeclSyntax] {
        compactMap { element in
            guard case .ifConfigDecl(let conditional) = element, conditional.attributes.contains(where: \.isOurs)
            else { return nil }
            return conditional
        }
    }
}

extension IfConfigDeclSyntax {
    /// The attributes of all its clauses.
    fileprivate var attributes: [AttributeSyntax] {
        clauses.flatMap { clause -> [AttributeSyntax] in
            guard case .attributes(let list)? = clause.elements else { return [] }
            return list.flatMap { element -> [AttributeSyntax] in
                switch element {
                case .attribute(let attribute): [attribute]
                case .ifConfigDecl(let conditional): conditional.attributes
                }
            }
        }
    }
}

extension ExprSyntax {
    /// The text of a string literal without interpolation.
    var literalText: String? { self.as(StringLiteralExprSyntax.self)?.representedLiteralValue }
}
