// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// The declaration that bears `@API`: its endpoints and what it says about all of them.
struct EndpointGroup {
    let declaration: any DeclGroupSyntax
    let name: String
    let settings: Settings
    let endpoints: [Endpoint]

    /// Mistakes in single endpoints are reported by their own macros; here they are passed over.
    init(_ declaration: some DeclGroupSyntax, name: String) {
        self.declaration = declaration
        self.name = name
        var problems = Problems()
        settings = Settings(declaration.attributes, problems: &problems)
        endpoints = declaration.memberBlock.members.compactMap { member in
            guard let function = member.decl.as(FunctionDeclSyntax.self),
                let attribute = Endpoint.attribute(of: function)
            else { return nil }
            var parser = EndpointParser(function, attribute: attribute, in: declaration)
            return parser.parse()
        }
    }

    /// What stands before the generated members, so that they can be used wherever the type can.
    var access: String {
        for modifier in declaration.modifiers {
            switch modifier.name.text {
            case "public", "open": return "public "
            case "package": return "package "
            default: continue
            }
        }
        return ""
    }

    /// The attributes that generated types and functions have to repeat.
    static func inherited(_ attributes: AttributeListSyntax) -> String {
        attributes.named.filter {
            ["available", "MainActor", "discardableResult", "preconcurrency"].contains($0.baseName)
        }
        .map { $0.trimmedDescription + "\n" }.joined()
    }

    /// Where the calls of all endpoints begin.
    var callFactory: String {
        let statements = settings.statements.map { "\n    call.\($0)" }.joined()
        return """
            /// The start of a call: everything that is declared for all of them.
            func \(EndpointBody.callFactory)(_ method: Swift.String, _ template: Swift.String) -> StrataAPI.APICall {
                \(statements.isEmpty ? "" : "var call = ")StrataAPI.APICall(self.\(providerName), method: method, template: template)\(statements)\(statements.isEmpty ? "" : "\n    return call")
            }
            """
    }

    /// `provider`, unless the type has something of that name.
    var providerName: String {
        let taken = declaration.memberBlock.members.contains { member in
            if let function = member.decl.as(FunctionDeclSyntax.self) { return function.name.plainText == "provider" }
            guard let variable = member.decl.as(VariableDeclSyntax.self), !isProvider(variable) else { return false }
            return variable.bindings.contains { $0.pattern.trimmedDescription == "provider" }
        }
        return taken ? "apiProvider" : "provider"
    }

    /// Whether the type declares the provider itself.
    var declaresProvider: Bool {
        declaration.memberBlock.members.contains { $0.decl.as(VariableDeclSyntax.self).map(isProvider) ?? false }
    }

    private func isProvider(_ variable: VariableDeclSyntax) -> Bool {
        variable.bindings.contains {
            $0.pattern.trimmedDescription == "provider"
                && $0.typeAnnotation.map { Reply.baseName(of: $0.type) == "Provider" } ?? false
        }
    }

    /// Source that may stand on several lines, on one.
    private static func oneLine(_ source: String) -> String {
        source.split { $0.isWhitespace }.joined(separator: " ")
            .replacing("( ", with: "(").replacing(" )", with: ")")
    }

    /// The list of what is declared.
    var endpointList: String {
        let entries = endpoints.map { endpoint in
            let parameters = endpoint.parameters.map { parameter in
                ".init(\(parameter.wireName), in: .\(parameter.role.listName), type: \(Identifier.literal(Self.oneLine(parameter.syntax.plainType))))"
            }
            let template = endpoint.template.map { Identifier.literal($0.text) } ?? "nil"
            let returns = endpoint.function.signature.returnClause?.type.trimmedDescription ?? "Void"
            return """
                    .init(
                        \(Identifier.literal(endpoint.signature)), \(endpoint.method), \(template),
                        parameters: [\(parameters.joined(separator: ", "))],
                        returns: \(Identifier.literal(Self.oneLine(returns))))
                """
        }
        let list = entries.isEmpty ? "[]" : "[\n\(entries.joined(separator: ",\n"))\n]"
        return """
            /// What is declared: method, template and parameters of each endpoint.
            \(access)static var endpoints: [StrataAPI.APIEndpoint] {
            \(list)
            }
            """
    }
}
