// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax
import SwiftSyntaxBuilder

/// Writes `UsersAPIMock` for `protocol UsersAPI`: a scripted function for each endpoint, and a log of the calls.
struct ProtocolMock {
    let group: EndpointGroup

    var declaration: String {
        let properties = group.endpoints.map { endpoint in
            "\(group.access)let \(property(endpoint)): StrataAPI.MockFunction<\(arguments(endpoint)), \(reply(endpoint))>"
        }
        let values = group.endpoints.map { endpoint in
            "    self.\(property(endpoint)) = StrataAPI.MockFunction(\(Identifier.literal(endpoint.signature)), log: log)"
        }
        let functions = group.endpoints.map { endpoint in
            ProtocolFunction(endpoint, access: group.access).definition([body(endpoint)])
        }
        return """
            \(EndpointGroup.inherited(group.declaration.attributes))\(group.access)final class \(group.name)Mock: \(group.name) {
            /// Every call, in order.
            \(group.access)let log: StrataAPI.MockLog
            \(properties.joined(separator: "\n"))

            \(group.access)init() {
                let log = StrataAPI.MockLog()
                self.log = log
            \(values.joined(separator: "\n"))
            }

            \(functions.joined(separator: "\n\n"))
            }
            """
    }

    private func property(_ endpoint: Endpoint) -> String {
        let name = endpoint.function.name.plainText
        return endpoint.mockProperty(isUnique: group.endpoints.filter { $0.function.name.plainText == name }.count == 1)
    }

    private func arguments(_ endpoint: Endpoint) -> String {
        let types = endpoint.function.signature.parameterClause.parameters.map { parameter in
            (Parameter.name(parameter).text, erased(parameter.plainType, in: endpoint))
        }
        if types.count == 1 { return types[0].1 }
        return "(\(types.map { "\($0): \($1)" }.joined(separator: ", ")))"
    }

    private func reply(_ endpoint: Endpoint) -> String {
        switch endpoint.reply {
        case .none: "Swift.Void"
        case .type(let type), .tuple(let type): erased(type.description, in: endpoint)
        }
    }

    /// A stored property cannot name a function's generic parameters.
    private func erased(_ type: String, in endpoint: Endpoint) -> String {
        isGeneric(type, in: endpoint) ? "Any" : type
    }

    private func isGeneric(_ type: String, in endpoint: Endpoint) -> Bool {
        let generics = Set(endpoint.function.genericParameterClause?.parameters.map(\.name.text) ?? [])
        if generics.isEmpty { return type.hasPrefix("some ") }
        return TypeSyntax("\(raw: type)").tokens(viewMode: .sourceAccurate).contains { generics.contains($0.text) }
    }

    private func body(_ endpoint: Endpoint) -> String {
        let names = endpoint.function.signature.parameterClause.parameters.map { Parameter.name($0).text }
        let arguments = names.count == 1 ? names[0] : "(\(names.joined(separator: ", ")))"
        let effects = endpoint.isDeferred ? "" : "try await "
        let method = endpoint.isDeferred ? ".now" : ""
        let function = "\(effects)\(endpoint.receiver)\(property(endpoint))\(method)"
        let call: String
        if case .type(let type) = endpoint.reply, isGeneric(type.description, in: endpoint) {
            call = "return \(function)(\(arguments), as: (\(type)).self)"
        } else {
            call = "return \(function)(\(arguments))"
        }
        guard let error = endpoint.typedError else { return call }
        return "do {\n\(call)\n} catch {\nthrow \(error).wrapping(error)\n}"
    }
}
