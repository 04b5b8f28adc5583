// SPDX-License-Identifier: Apache-2.0

import SwiftDiagnostics
import SwiftSyntax

extension EndpointGroup {
    /// The compiler has read the attributes outside of the functions into which the macros write what stands there.
    mutating func checkNames(problems: inout Problems) {
        let members = Self.allMembers(declaration.memberBlock.members)
        checkTypeAttributes(beside: members, problems: &problems)
        let statics = Set(members.filter(\.isOfTheType).flatMap(\.names))
        for endpoint in endpoints {
            let uses = NameFinder(in: Endpoint.writtenAttributes(of: endpoint.function)).uses
            for use in uses where statics.contains(use.name) {
                problems.report(
                    .staticMember(use.name), at: use.node, fixIts: [FixIt.qualifying(use.node)].compactMap { $0 })
            }
        }
    }

    /// Those of the type are read outside of it too.
    private mutating func checkTypeAttributes(beside members: [DeclSyntax], problems: inout Problems) {
        var hiding = Set([providerName, "endpoints", EndpointBody.callFactory] + members.flatMap(\.names))
        let attributes = declaration.attributes.named.filter { Settings.names.contains($0.baseName) }
        // Once for each name.
        for use in NameFinder(in: attributes).uses where hiding.remove(use.name) != nil {
            problems.report(.hiddenByMember(use.name), at: use.node)
            dropSettings()
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
