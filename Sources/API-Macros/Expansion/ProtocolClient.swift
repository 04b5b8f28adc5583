// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// Writes `UsersAPIClient` for `protocol UsersAPI`.
struct ProtocolClient {
    let group: EndpointGroup

    var declaration: String {
        let functions = group.lines(separator: "\n\n") { endpoint in
            ProtocolFunction(endpoint, access: group.access).definition(EndpointBody(endpoint).statements)
        }
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

    /// Whether it says so itself; what it inherits may be.
    var isClassBound: Bool { inheritedName(in: ["AnyObject"]) != nil }

    /// Where one of the names is inherited.
    func inheritedName(in names: [String]) -> TokenSyntax? {
        inherited.lazy.flatMap { $0.tokens(viewMode: .sourceAccurate) }.first { names.contains($0.text) }
    }
}

/// A requirement as a type that conforms repeats it.
struct ProtocolFunction {
    private let endpoint: Endpoint
    private let access: String

    init(_ endpoint: Endpoint, access: String) {
        self.endpoint = endpoint
        self.access = access
    }

    func definition(_ statements: [String]) -> String {
        let function = endpoint.function
        let generics = function.genericParameterClause?.trimmedDescription ?? ""
        let constraints = function.genericWhereClause.map { " " + $0.trimmedDescription } ?? ""
        return """
            \(EndpointGroup.inherited(function.attributes))\(access)\(endpoint.isolation)func \(function.name.text)\(generics)\(function.signature.trimmedDescription)\(constraints) {
            \(statements.joined(separator: "\n"))
            }
            """
    }
}
