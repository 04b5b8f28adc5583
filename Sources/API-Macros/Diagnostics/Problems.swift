// SPDX-License-Identifier: Apache-2.0

import SwiftDiagnostics
import SwiftSyntax

/// The rules that one declaration breaks, collected so that one compile shows them all.
struct Problems {
    private(set) var diagnostics: [Diagnostic] = []

    var isEmpty: Bool { diagnostics.isEmpty }

    /// - Parameter position: inside `node`, when the fault is smaller than a node.
    mutating func report(
        _ rule: Rule, at node: some SyntaxProtocol, position: AbsolutePosition? = nil, fixIts: [FixIt] = []
    ) {
        diagnostics.append(Diagnostic(node: Syntax(node), position: position, message: rule, fixIts: fixIts))
    }
}

/// What a fix-it offers.
struct Offer: FixItMessage {
    let message: String
    let fixItID: MessageID

    init(_ message: String) {
        self.message = message
        fixItID = MessageID(domain: "StrataAPI", id: message)
    }
}

extension FixIt {
    static func replacing(_ old: some SyntaxProtocol, with new: some SyntaxProtocol, _ offer: String) -> FixIt {
        FixIt(message: Offer(offer), changes: [.replace(oldNode: Syntax(old), newNode: Syntax(new))])
    }
}
