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
        name.isValidSwiftIdentifier(for: .variableName) && !operators.contains(name) ? name : "`\(name)`"
    }

    /// The name as a label in a call or a tuple: there every keyword but `inout` stands as it is, and is warned of in
    /// backticks.
    static func label(_ name: String) -> String {
        // With a letter more it is no keyword.
        name != "inout" && (name + "a").isValidSwiftIdentifier(for: .variableName) ? name : "`\(name)`"
    }

    /// May be declared as they are, but an expression takes them for what stands before another one.
    private static let operators: Set = ["any", "await", "borrow", "consume", "copy", "each", "unsafe"]

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
