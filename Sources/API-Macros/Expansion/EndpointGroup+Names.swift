// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

extension EndpointGroup {
    /// The compiler has read the attributes of the type outside of it; the macro writes what stands there inside of it.
    func checkNames(problems: inout Problems) {
        let made = [providerName, "endpoints", EndpointBody.callFactory]
        var hiding = Set(made + Self.allMembers(declaration.memberBlock.members).flatMap(\.names))
        let attributes = declaration.attributes.named.filter { Settings.names.contains($0.baseName) }
        // Once for each name.
        for use in NameFinder(in: attributes).uses where hiding.remove(use.name) != nil {
            problems.report(.hiddenByMember(use.name), at: use.node)
        }
    }
}

extension DeclSyntax {
    /// What it declares: the variables, the function or the type.
    fileprivate var names: [String] {
        guard let variable = self.as(VariableDeclSyntax.self) else {
            return asProtocol((any NamedDeclSyntax).self).map { [$0.name.plainText] } ?? []
        }
        return variable.bindings.flatMap { $0.pattern.tokens(viewMode: .sourceAccurate) }.compactMap {
            if case .identifier = $0.tokenKind { $0.plainText } else { nil }
        }
    }
}
