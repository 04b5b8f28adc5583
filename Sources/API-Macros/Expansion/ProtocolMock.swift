// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax
import SwiftSyntaxBuilder

/// Writes `UsersAPIMock` for `protocol UsersAPI`: a scripted function for each endpoint, and a log of the calls.
struct ProtocolMock {
    private let group: EndpointGroup
    /// The name of each function, by its declaration. A name is numbered if another function has it, or a requirement
    /// without parameters, beside which no property can have it.
    private let names: [SyntaxIdentifier: String]

    init(group: EndpointGroup) {
        self.group = group
        let endpoints = group.endpoints
        var names: [SyntaxIdentifier: String] = [:]
        for endpoint in endpoints {
            let name = endpoint.function.name.plainText
            let overloads = endpoints.filter { $0.function.name.plainText == name && $0.canStand(beside: endpoint) }
            let property = endpoint.mockProperty(isUnique: overloads.count == 1)
            let similar = endpoints.filter {
                names[$0.function.id]?.hasPrefix(property) == true && $0.canStand(beside: endpoint)
            }
            let requirements = endpoints.filter { $0.parameters.isEmpty && $0.canStand(beside: endpoint) }
            var allocator = NameAllocator(
                avoiding: Set(
                    similar.compactMap { names[$0.function.id] } + requirements.map { $0.function.name.plainText }))
            names[endpoint.function.id] = allocator.name(property)
        }
        self.names = names
    }

    var declaration: String {
        let log = group.declares("log") ? "apiLog" : "log"
        var allocator = NameAllocator(avoiding: group.declaration)
        let later = allocator.name("laterFunctions")
        let properties = group.lines { endpoint in
            let name = property(endpoint)
            let type = "StrataAPI.MockFunction<\(arguments(endpoint)), \(reply(endpoint))>"
            guard isComputed(endpoint) else { return "\(group.access)let \(name): \(type)" }
            return """
                \(EndpointGroup.availability(endpoint.function.attributes))\(group.access)nonisolated var \(name): \(type) {
                    self.\(later).function("\(name)", name: \(Identifier.literal(endpoint.signature)))
                }
                """
        }
        let values = group.lines { endpoint in
            if isComputed(endpoint) { return "" }
            return
                "    self.\(property(endpoint)) = StrataAPI.MockFunction(\(Identifier.literal(endpoint.signature)), log: log)"
        }
        let hasLater = group.endpoints.contains(where: isComputed)
        let functions = group.requirements { [body($0)] }
        return """
            \(EndpointGroup.inherited(group.declaration.attributes))\(group.typeModifiers)final class \(group.typeName("Mock")): \(group.name) {
            /// Every call, in order.
            \(group.access)let \(log): StrataAPI.MockLog
            \(hasLater ? "private let \(later): StrataAPI.MockFunctions\n" : "")\(properties)

            \(group.access)init() {
                let log = StrataAPI.MockLog()
                self.\(log) = log
            \(hasLater ? "    self.\(later) = StrataAPI.MockFunctions(log: log)\n" : "")\
            \(values)
            }

            \(functions)
            }
            """
    }

    /// A stored property cannot name a type that only new versions of the platform have, as its requirement may. A
    /// requirement that is deprecated as well names none.
    private func isComputed(_ endpoint: Endpoint) -> Bool { endpoint.isIntroducedLater && !endpoint.isDeprecated }

    private func property(_ endpoint: Endpoint) -> String { names[endpoint.function.id, default: ""] }

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

    /// A stored property cannot name a function's generic parameters, nor, without a warning, a type that is deprecated as
    /// the function is.
    private func erased(_ type: String, in endpoint: Endpoint) -> String {
        isErased(type, in: endpoint) ? "Any" : type
    }

    private func isErased(_ type: String, in endpoint: Endpoint) -> Bool {
        let generics = ["some"] + (endpoint.function.genericParameterClause?.parameters.map(\.name.text) ?? [])
        return TypeSyntax("\(raw: type)").tokens(viewMode: .sourceAccurate).contains { token in
            // The label of an element names no type.
            if token.parent?.is(TupleTypeElementSyntax.self) == true { return false }
            if case .identifier = token.tokenKind, endpoint.isDeprecated, !Self.lasting.contains(token.text) {
                return true
            }
            return generics.contains(token.text)
        }
    }

    /// Names of types and modules that no app deprecates.
    private static let lasting = EndpointParser.models.union(EndpointParser.heads).union(EndpointParser.streams)
        .union([
            "Swift", "Foundation", "Void", "Never", "Error", "Sendable", "Encodable", "Decodable", "Codable", "Int128",
            "UInt128", "Character", "Substring", "AnyHashable", "ArraySlice", "ContiguousArray", "KeyValuePairs",
            "Duration", "AnyPublisher", "HTTPField", "MultipartPart", "ServerSentEvent", "NetworkClientError",
        ])

    private func body(_ endpoint: Endpoint) -> String {
        let values = endpoint.function.signature.parameterClause.parameters.map { parameter in
            let value = Parameter.value(parameter)
            return isErased(parameter.plainType, in: endpoint) ? "\(value) as Any" : value
        }
        let arguments = values.count == 1 ? values[0] : "(\(values.joined(separator: ", ")))"
        let effects = endpoint.isDeferred ? "" : "try await "
        let method = endpoint.isDeferred ? ".now" : ""
        let function = "\(effects)\(endpoint.receiver)\(property(endpoint))\(method)"
        let cast: String =
            switch endpoint.reply {
            case .type(let type) where isErased(type.description, in: endpoint),
                .tuple(let type) where isErased(type.description, in: endpoint):
                ", as: (\(type)).self"
            default: ""
            }
        return endpoint.wrappingErrors(of: "return \(function)(\(arguments)\(cast))")
    }
}
