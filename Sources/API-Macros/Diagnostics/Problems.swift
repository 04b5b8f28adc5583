// SPDX-License-Identifier: Apache-2.0

import SwiftDiagnostics
import SwiftSyntax

/// The rules that one declaration breaks, collected so that one compile shows them all.
struct Problems {
    private(set) var diagnostics: [Diagnostic] = []

    var isEmpty: Bool { diagnostics.isEmpty }

    var haveErrors: Bool { diagnostics.contains { $0.diagMessage.severity == .error } }

    func contains(_ rule: Rule) -> Bool { diagnostics.contains { $0.diagnosticID == rule.diagnosticID } }

    /// - Parameter position: inside `node`, when the fault is smaller than a node.
    mutating func report(
        _ rule: Rule, at node: some SyntaxProtocol, position: AbsolutePosition? = nil, fixIts: [FixIt] = []
    ) {
        diagnostics.append(Diagnostic(node: Syntax(node), position: position, message: rule, fixIts: fixIts))
    }
}
