// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// A function that describes a call: what was read from its declaration.
struct Endpoint {
    let function: FunctionDeclSyntax
    /// The expression of the HTTP method, a literal.
    let method: String
    /// `nil` for an absolute target.
    let template: PathTemplate?
    let settings: Settings
    let parameters: [Parameter]
    let reply: Reply

    static let methods: Set<String> = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "TRACE", "CONNECT"]

    /// The attribute that makes a function an endpoint. If there are several, the last one, because only that one is
    /// expanded.
    static func attribute(of function: FunctionDeclSyntax) -> AttributeSyntax? {
        function.attributes.named.last { isMethod($0) }
    }

    /// The attributes, its parameters' too, of which something is written into the body.
    static func writtenAttributes(of function: FunctionDeclSyntax) -> [AttributeSyntax] {
        let parameters = function.signature.parameterClause.parameters
        return function.attributes.named.filter { Settings.names.contains($0.baseName) }
            + parameters.flatMap(\.attributes.named).filter { ParameterReader.attributes.contains($0.baseName) }
    }

    static func isMethod(_ attribute: AttributeSyntax) -> Bool {
        methods.contains(attribute.baseName) || attribute.baseName == "HTTP"
    }

    /// Unattributed parameters of these methods are the body; those of all others are the query.
    static func sendsBody(_ method: String) -> Bool { ["POST", "PUT", "PATCH"].contains(method) }

    /// `getUser(id:)`.
    var signature: String {
        let labels = parameters.map { (Parameter.label($0.syntax) ?? "_") + ":" }
        return "\(function.name.plainText)(\(labels.joined()))"
    }

    /// Whether a parameter is called `self`.
    var hidesInstance: Bool { parameters.contains { Parameter.name($0.syntax).plainText == "self" } }

    /// What the body writes before a member of the type.
    var receiver: String { hidesInstance ? "" : "self." }

    /// The name of its function in the mock, without a number: `onGetUser`, or `onGetUserId` beside other functions of
    /// that name.
    func mockProperty(isUnique: Bool) -> String {
        let labels = isUnique ? [] : parameters.map { Parameter.defaultWireName($0.syntax) }
        return "on" + ([function.name.plainText] + labels).map(Identifier.capitalized).joined()
    }

    /// Whether one program can have both: they do not stand in two clauses of one `#if`.
    func canStand(beside other: Endpoint) -> Bool {
        let clauses = other.clauses
        return !self.clauses.contains { list, clause in clauses[list].map { $0 != clause } ?? false }
    }

    /// The clauses around it, by the lists that they are of.
    private var clauses: [SyntaxIdentifier: SyntaxIdentifier] {
        var result: [SyntaxIdentifier: SyntaxIdentifier] = [:]
        for node in sequence(first: Syntax(function), next: \.parent) where node.is(IfConfigClauseSyntax.self) {
            if let list = node.parent { result[list.id] = node.id }
        }
        return result
    }

    /// Whether it can be called where the type's isolation does not reach.
    var isNonisolated: Bool {
        function.modifiers.contains { $0.name.text == "nonisolated" }
            || function.attributes.named.contains { $0.baseName == "concurrent" }
            || parameters.contains { $0.syntax.has(.isolated) }
    }

    /// Whether what is deprecated or unavailable itself may be named in its declaration.
    var isDeprecated: Bool {
        function.attributes.named.contains { attribute in
            attribute.baseName == "available"
                && attribute.tokens(viewMode: .sourceAccurate).contains {
                    ["deprecated", "obsoleted", "unavailable"].contains($0.text)
                }
        }
    }

    /// Whether only some versions of a platform have it: `@available(macOS 20, *)`.
    var isIntroducedLater: Bool {
        function.attributes.named.contains { attribute in
            guard attribute.baseName == "available", case .availability(let arguments)? = attribute.arguments else {
                return false
            }
            return arguments.contains { argument in
                switch argument.argument {
                case .availabilityVersionRestriction: true
                case .availabilityLabeledArgument(let labeled): labeled.label.text == "introduced"
                case .token: false
                }
            }
        }
    }

    /// Whether the function hands out a publisher instead of waiting.
    var isDeferred: Bool {
        function.signature.effectSpecifiers == nil && Self.isPublisher(function)
    }

    /// Also `some Publisher`, which is a mistake of another kind.
    static func isPublisher(_ function: FunctionDeclSyntax) -> Bool {
        guard let type = function.signature.returnClause.map({ Reply.plain($0.type) }) else { return false }
        let constraint = type.as(SomeOrAnyTypeSyntax.self)?.constraint
        return Reply.baseName(of: constraint ?? type) == (constraint == nil ? "AnyPublisher" : "Publisher")
    }

    /// The type that the function throws, when it is not any error.
    var typedError: TypeSyntax? {
        guard let type = function.signature.effectSpecifiers?.throwsClause?.type?.trimmed else { return nil }
        return ["any Error", "Error", "any Swift.Error", "Swift.Error"].contains(type.description) ? nil : type
    }

    /// The code, with its errors made into the type that the function throws.
    func wrappingErrors(of code: String) -> String {
        typedError.map { "do {\n\(code)\n} catch {\nthrow StrataAPI.APICall.failure(error, as: \($0).self)\n}" } ?? code
    }
}
