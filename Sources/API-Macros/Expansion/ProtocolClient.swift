// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// Writes `UsersAPIClient` for `protocol UsersAPI`.
struct ProtocolClient {
    let group: EndpointGroup

    var declaration: String {
        let functions = group.requirements { EndpointBody($0).statements }
        return """
            \(EndpointGroup.inherited(group.declaration.attributes))\(group.typeModifiers)\(isClassBound ? "final class" : "struct") \(group.typeName("Client")): \(group.name) {
            let \(group.providerName): StrataAPI.Provider

            \(group.access)init(_ provider: StrataAPI.Provider) {
                self.\(group.providerName) = provider
            }

            \(group.access)init(_ client: some StrataAPI.NetworkClientProtocol) {
                self.\(group.providerName) = StrataAPI.Provider(client)
            }

            \(functions)

            \(group.callFactory)

            \(group.endpointList)
            }
            """
    }

    private var isClassBound: Bool { group.declaration.as(ProtocolDeclSyntax.self)?.isClassBound ?? false }
}

extension ProtocolDeclSyntax {
    /// What the protocol inherits: by `: Sendable`, and by `where Self: Sendable`.
    var inherited: [TypeSyntax] {
        let named = inheritanceClause?.inheritedTypes.map(\.type) ?? []
        let required = genericWhereClause?.requirements.compactMap { requirement -> TypeSyntax? in
            guard case .conformanceRequirement(let conformance) = requirement.requirement,
                conformance.leftType.trimmedDescription == "Self"
            else { return nil }
            return conformance.rightType
        }
        return named + (required ?? [])
    }

    /// Whether the protocol itself says so. A protocol that it inherits may say so too, which cannot be seen here.
    var isClassBound: Bool { inheritedName(in: ["AnyObject"]) != nil }

    /// Where one of the names is inherited.
    func inheritedName(in names: [String]) -> TokenSyntax? {
        inherited.lazy.flatMap { $0.tokens(viewMode: .sourceAccurate) }.first { names.contains($0.text) }
    }
}

extension EndpointGroup {
    /// The requirements, as a type that conforms repeats them. One with a mistake is among them, so that the compiler
    /// does not report it as missing too.
    func requirements(_ body: (Endpoint) -> [String]) -> String {
        lines(separator: "\n\n", mistake: { definition(of: $0, [EndpointBody.none]) }) {
            definition(of: $0.function, body($0))
        }
    }

    private func definition(of function: FunctionDeclSyntax, _ statements: [String]) -> String {
        let modifiers = function.modifiers.filter { ["nonisolated", "static"].contains($0.name.text) }
            .map { $0.trimmedDescription + " " }.joined()
        let generics = function.genericParameterClause?.trimmedDescription ?? ""
        let constraints = function.genericWhereClause.map { " " + $0.trimmedDescription } ?? ""
        return """
            \(Self.inherited(function.attributes))\(access)\(modifiers)func \(function.name.text)\(generics)\(function.signature.trimmedDescription)\(constraints) {
            \(statements.joined(separator: "\n"))
            }
            """
    }
}
