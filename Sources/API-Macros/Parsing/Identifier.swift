// SPDX-License-Identifier: Apache-2.0

import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder

/// Names, with and without backticks.
enum Identifier {
    /// `in` of `` `in` ``.
    static func plain(_ text: String) -> String {
        text.count > 2 && text.first == "`" && text.last == "`" ? String(text.dropFirst().dropLast()) : text
    }

    /// The name as it has to be written in source, with backticks where it is a keyword or no identifier.
    static func escaped(_ name: String) -> String {
        name.isValidSwiftIdentifier(for: .variableName) ? name : "`\(name)`"
    }

    /// `getUser` as `GetUser`, `user-id` as `UserId`: what may follow other letters in an identifier.
    static func capitalized(_ name: String) -> String {
        name.split { !($0.isLetter || $0.isNumber || "a\($0)a".isValidSwiftIdentifier(for: .variableName)) }
            .map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    /// A string literal that means `text`.
    static func literal(_ text: String) -> String { StringLiteralExprSyntax(content: text).trimmedDescription }
}

extension TokenSyntax {
    var plainText: String { Identifier.plain(text) }
}

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
}

extension AttributeListSyntax {
    /// The attributes that stand there unconditionally.
    var named: [AttributeSyntax] {
        compactMap { if case .attribute(let attribute) = $0 { attribute } else { nil } }
    }
}

extension ExprSyntax {
    /// The text of a string literal without interpolation.
    var literalText: String? { self.as(StringLiteralExprSyntax.self)?.representedLiteralValue }
}

/// Names for what a macro adds: short, each given once, and used nowhere in the declaration.
struct NameAllocator {
    private var taken: Set<String>

    init(avoiding names: Set<String>) { taken = names }

    init(avoiding declaration: some SyntaxProtocol) {
        taken = Set(declaration.tokens(viewMode: .sourceAccurate).map(\.plainText))
    }

    mutating func name(_ wanted: String) -> String {
        var name = wanted
        var number = 2
        while taken.contains(name) {
            name = wanted + String(number)
            number += 1
        }
        taken.insert(name)
        return name
    }
}
