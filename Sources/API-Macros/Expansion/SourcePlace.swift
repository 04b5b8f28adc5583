// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax
import SwiftSyntaxMacros

/// Where an attribute stands in the source. What the compiler has to say of code inside of it is said there, and not in the
/// expansion, which nobody has written.
struct SourcePlace {
    private let file: String
    private let line: Int

    /// `nil` where the source has no place.
    init?(of node: some SyntaxProtocol, in context: some MacroExpansionContext) {
        guard let location = context.location(of: node, at: .afterLeadingTrivia, filePathMode: .filePath) else {
            return nil
        }
        (file, line) = ("\(location.file)", Int("\(location.line)") ?? 1)
    }

    /// The statements with their errors moved.
    func covering(_ statements: [String]) -> [String] {
        statements.flatMap { ["#sourceLocation(file: \(file), line: \(line))", $0] } + ["#sourceLocation()"]
    }

    /// The same of declarations, between which the compiler puts an empty line.
    func covering(declarations: [String]) -> [String] {
        declarations.flatMap { ["#sourceLocation(file: \(file), line: \(max(line - 1, 1)))", $0] }
            + ["#sourceLocation()"]
    }
}
