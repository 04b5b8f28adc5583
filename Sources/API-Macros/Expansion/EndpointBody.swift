// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax
import SwiftSyntaxBuilder

/// Writes the body of an endpoint: a call, one statement for each thing that it carries, and the wait for the reply.
///
///     var call = self.apiCall("GET", "/users/{id}/todos")
///     call.path("id", id)
///     call.query("sort", sort)
///     return try await call.send(as: [Todo].self)
struct EndpointBody {
    /// The member of the type where its calls begin.
    static let callFactory = "apiCall"

    /// The body of a requirement, which the compiler asks for and drops, and of an endpoint with a mistake, so that the
    /// compiler does not report a missing body as well.
    static let none = "Swift.fatalError()"

    private let endpoint: Endpoint
    private let call: String
    private let reader: String
    /// Where the endpoint stands, if in an extension: whether its type has `@API` only the compiler knows.
    private let place: SourcePlace?

    init(_ endpoint: Endpoint, in place: SourcePlace? = nil) {
        self.endpoint = endpoint
        self.place = place
        var names = NameAllocator(avoiding: endpoint.function)
        call = names.name("call")
        reader = names.name("tuple")
    }

    var statements: [String] {
        let template = endpoint.template.map { Identifier.literal($0.text) } ?? #""""#
        let parts = endpoint.settings.statements + parameterStatements + failureStatement
        // Without `self`, a type that has no such member gives the message of the function outside of it.
        let receiver = place == nil ? endpoint.receiver : ""
        let start =
            "\(parts.isEmpty ? "let" : "var") \(call) = \(receiver)\(Self.callFactory)(\(endpoint.method), \(template))"
        return (place?.covering([start]) ?? [start]) + parts.map { "\(call).\($0)" }
            + [endpoint.wrappingErrors(of: ending)]
    }

    /// A map of fields comes after single ones, so that it has the last word.
    private var parameterStatements: [String] {
        (endpoint.parameters.filter { !$0.isHeaderMap } + endpoint.parameters.filter(\.isHeaderMap)).compactMap(
            \.statement)
    }

    private var failureStatement: [String] {
        endpoint.typedError.map { ["failures(as: \(Self.metatype($0)))"] } ?? []
    }

    private var ending: String {
        switch endpoint.reply {
        case .none: "try await \(call).send()"
        case .type(let type) where endpoint.isDeferred:
            "return \(call).deferred(as: \(Self.metatype(type))\(endpoint.settings.eventTable.map { ", decoding: { \($0) }" } ?? ""))"
        case .type(let type):
            "return try await \(call).send(as: \(Self.metatype(type))\(endpoint.settings.eventTable.map { ", decoding: \($0)" } ?? ""))"
        case .tuple(let type): tupleEnding(type)
        }
    }

    /// An optional tuple is told apart here, because the body may be empty.
    private func tupleEnding(_ type: TypeSyntax) -> String {
        guard case .optional(let wrapped)? = TupleContainer(type) else {
            return "return try await \(call).send { \(reader) in\n\(Self.read(type, from: reader, key: nil))\n}"
        }
        let read = Self.read(wrapped, from: reader, key: nil)
        return "return try await \(call).send(optional: { \(reader) in\n\(read)\n})"
    }

    private static func metatype(_ type: TypeSyntax) -> String {
        switch type.kind {
        case .identifierType, .memberType, .arrayType, .dictionaryType, .optionalType: "\(type).self"
        default: "(\(type)).self"
        }
    }

    /// The expression that reads a type from a reader. A tuple is read element by element, a type without a tuple in it
    /// at once.
    ///
    /// - Parameter key: where it is in the reader. `nil`: the reader stands on it.
    private static func read(_ type: TypeSyntax, from reader: String, key: String?) -> String {
        let type = Reply.plain(type)
        let arguments = key.map { "(\(Identifier.literal($0)))" } ?? "()"
        func nested(_ method: String, _ element: TypeSyntax) -> String {
            "try \(reader).\(method)\(arguments == "()" ? "" : arguments) { \(read(element, from: "$0", key: nil)) }"
        }
        guard Reply.containsTuple(type) else { return "try \(reader).value\(arguments)" }
        if let tuple = type.as(TupleTypeSyntax.self) {
            if key != nil { return nested("tuple", type) }
            let elements = tuple.elements.map { element in
                let name = element.firstName?.plainText ?? "_"
                return "\(Identifier.label(name)): \(read(element.type, from: reader, key: name))"
            }
            return "(\(elements.joined(separator: ", ")))"
        }
        return switch TupleContainer(type) {
        case .optional(let wrapped)?: nested("optional", wrapped)
        case .array(let element)?: nested("array", element)
        case .dictionary(_, let value)?: nested("dictionary", value)
        case nil: "try \(reader).value\(arguments)"
        }
    }
}
