// SPDX-License-Identifier: Apache-2.0

import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// Decides where each parameter of an endpoint goes.
///
/// An attribute says it. Without one, a parameter whose name on the wire, or else whose own name, is that of a placeholder
/// fills it; of the others, POST, PUT and PATCH send one labelled `_` as the body and the rest as its fields, and every
/// other method sends them in the query.
struct ParameterReader {
    let function: FunctionDeclSyntax
    let method: String
    let template: PathTemplate?
    let format: Settings.Format?
    /// Whether `format` is all there is to know; in an extension the type's own attributes are out of sight.
    let isFormatKnown: Bool
    let takesTarget: Bool
    let offersAttributes: Bool

    private(set) var hasTarget = false
    private var filled: Set<String> = []
    private var body: FunctionParameterSyntax?

    init(
        function: FunctionDeclSyntax, method: String, template: PathTemplate?, format: Settings.Format?,
        isFormatKnown: Bool,
        takesTarget: Bool, offersAttributes: Bool
    ) {
        self.function = function
        self.method = method
        self.template = template
        self.format = format
        self.isFormatKnown = isFormatKnown
        self.takesTarget = takesTarget
        self.offersAttributes = offersAttributes
    }

    private static let attributes: Set<String> = [
        "Path", "Query", "Body", "Field", "Header", "HeaderMap", "Part", "Tag", "Url",
    ]

    private var placeholders: [String] { template?.placeholders.map(\.name) ?? [] }

    mutating func read(problems: inout Problems) -> [Parameter] {
        let all = Array(function.signature.parameterClause.parameters)
        var attributes: [AttributeSyntax?] = []
        for parameter in all {
            if parameter.has(.inout) { problems.report(.inoutParameter, at: parameter.type) }
            attributes.append(attribute(of: parameter, problems: &problems))
        }
        var result: [Parameter?] = zip(all, attributes).map { parameter, attribute in
            attribute.flatMap { explicit(parameter, $0, problems: &problems) }
        }
        for (offset, parameter) in all.enumerated() where attributes[offset] == nil && parameter.isForTheCompiler {
            result[offset] = Self.make(.unused, parameter)
        }
        for byName in [true, false] {
            for (offset, parameter) in all.enumerated() where attributes[offset] == nil && result[offset] == nil {
                result[offset] = target(parameter, byName: byName)
            }
        }
        for byLabel in [true, false] {
            for (offset, parameter) in all.enumerated() where attributes[offset] == nil && result[offset] == nil {
                let name = Parameter.name(parameter).plainText
                result[offset] = path(parameter, named: byLabel ? Parameter.label(parameter) ?? name : name)
            }
        }
        for (offset, parameter) in all.enumerated() where attributes[offset] == nil && result[offset] == nil {
            result[offset] = inferred(parameter, problems: &problems)
        }
        let parameters = result.compactMap { $0 }
        checkPlaceholders(problems: &problems)
        checkBody(parameters, problems: &problems)
        return parameters
    }

    private func attribute(of parameter: FunctionParameterSyntax, problems: inout Problems) -> AttributeSyntax? {
        let named = parameter.attributes.named
        for unknown in named where !Self.attributes.contains(unknown.baseName) {
            problems.report(.unknownAttribute(unknown.attributeName.trimmedDescription), at: unknown)
        }
        let found = named.filter { Self.attributes.contains($0.baseName) }
        if let first = found.first, let second = found.dropFirst().first {
            problems.report(
                .twoRoles(first.baseName, second.baseName), at: second,
                fixIts: [.removing(second, from: parameter.attributes)])
        }
        return found.first
    }

    // MARK: With an attribute

    private mutating func explicit(
        _ parameter: FunctionParameterSyntax, _ attribute: AttributeSyntax, problems: inout Problems
    ) -> Parameter? {
        let named = attribute.argument(nil) ?? attribute.argument("name")
        let wireName = named?.trimmedDescription ?? Identifier.literal(Parameter.defaultWireName(parameter))
        let encoded = attribute.argument("encoded")?.trimmedDescription
        func make(_ role: Parameter.Role, named name: String = wireName) -> Parameter {
            Parameter(syntax: parameter, role: role, wireName: name)
        }
        switch attribute.baseName {
        case "Path":
            return path(parameter, attribute, named: named, encoded: encoded, problems: &problems)
        case "Query": return make(.query(encoded: encoded))
        case "Header":
            if let name = named?.literalText, let named, !Settings.isToken(name) {
                problems.report(.illegalFieldName(name), at: named)
            }
            return make(.header)
        case "HeaderMap": return make(.headerMap)
        case "Field": return make(.field(isNamed: named != nil))
        case "Part":
            if format != .multipart, isFormatKnown {
                problems.report(.partOutsideMultipart, at: attribute, fixIts: [.adding("@Multipart", to: function)])
            }
            return make(
                .part(
                    filename: attribute.argument("filename")?.trimmedDescription,
                    mimeType: attribute.argument("mimeType")?.trimmedDescription))
        case "Tag":
            guard let named else {
                problems.report(.missingTagKey, at: attribute)
                return nil
            }
            return make(
                .tag(key: named.trimmedDescription), named: Identifier.literal(Parameter.defaultWireName(parameter)))
        case "Url":
            hasTarget = true
            return make(.target)
        default:
            return bodyParameter(parameter, at: attribute, isExplicit: true, problems: &problems)
        }
    }

    private mutating func path(
        _ parameter: FunctionParameterSyntax, _ attribute: AttributeSyntax, named: ExprSyntax?, encoded: String?,
        problems: inout Problems
    ) -> Parameter? {
        let candidates: [String]
        if let named {
            guard let text = named.literalText else {
                problems.report(.nameNotLiteral, at: named)
                return nil
            }
            candidates = [text]
        } else {
            candidates = [Parameter.label(parameter), Parameter.name(parameter).plainText].compactMap { $0 }
        }
        guard let name = candidates.first(where: { placeholders.contains($0) }) else {
            let free = placeholders.filter { name in
                !filled.contains(name)
                    && !function.signature.parameterClause.parameters.contains { Parameter.defaultWireName($0) == name }
            }
            var fixIts = [FixIt.removing(attribute, from: parameter.attributes)]
            if let only = free.first, free.count == 1 {
                let rest = encoded.map { ", encoded: \($0)" } ?? ""
                let new = AttributeSyntax("@Path(\(raw: Identifier.literal(only))\(raw: rest))")
                    .with(\.leadingTrivia, attribute.leadingTrivia).with(\.trailingTrivia, attribute.trailingTrivia)
                fixIts = [.replacing(attribute, with: new, "fill the placeholder '{\(only)}'")]
                // One mistake, one error: it is this parameter that should have filled it.
                filled.insert(only)
            }
            problems.report(.pathWithoutPlaceholder(candidates[0]), at: attribute, fixIts: fixIts)
            return nil
        }
        filled.insert(name)
        return Parameter(
            syntax: parameter, role: .path(placeholder: name, encoded: encoded), wireName: Identifier.literal(name))
    }

    private mutating func bodyParameter(
        _ parameter: FunctionParameterSyntax, at node: some SyntaxProtocol, isExplicit: Bool, problems: inout Problems
    ) -> Parameter {
        if body != nil {
            var fixIts: [FixIt] = []
            if isExplicit, let attribute = node.as(AttributeSyntax.self) {
                fixIts.append(.removing(attribute, from: parameter.attributes))
            } else if offersAttributes {
                fixIts.append(.adding("@Query", to: parameter))
            }
            problems.report(.twoBodies, at: node, fixIts: fixIts)
        }
        body = body ?? parameter
        return Parameter(
            syntax: parameter, role: .body, wireName: Identifier.literal(Parameter.defaultWireName(parameter)))
    }

    // MARK: Without

    private mutating func target(_ parameter: FunctionParameterSyntax, byName: Bool) -> Parameter? {
        let label = Parameter.label(parameter)
        let name = Parameter.name(parameter).plainText
        guard takesTarget, !hasTarget, byName ? label == "url" || name == "url" : label == nil else { return nil }
        hasTarget = true
        return Parameter(syntax: parameter, role: .target, wireName: Identifier.literal(name))
    }

    private static func make(_ role: Parameter.Role, _ parameter: FunctionParameterSyntax) -> Parameter {
        Parameter(syntax: parameter, role: role, wireName: Identifier.literal(Parameter.defaultWireName(parameter)))
    }

    private mutating func path(_ parameter: FunctionParameterSyntax, named name: String) -> Parameter? {
        guard placeholders.contains(name), filled.insert(name).inserted else { return nil }
        return Parameter(
            syntax: parameter, role: .path(placeholder: name, encoded: nil), wireName: Identifier.literal(name))
    }

    private mutating func inferred(_ parameter: FunctionParameterSyntax, problems: inout Problems) -> Parameter {
        guard Endpoint.sendsBody(method) else { return Self.make(.query(encoded: nil), parameter) }
        guard Parameter.label(parameter) == nil else { return Self.make(.field(isNamed: false), parameter) }
        if format == .multipart, ["Data", "String", "URL"].contains(parameter.plainType) {
            problems.report(.unnamedPart, at: parameter, fixIts: [FixIt.labelling(parameter)].compactMap { $0 })
        }
        return bodyParameter(parameter, at: parameter, isExplicit: false, problems: &problems)
    }

    // MARK: All together

    private func checkPlaceholders(problems: inout Problems) {
        guard let template else { return }
        var reported: Set<String> = []
        for placeholder in template.placeholders where !filled.contains(placeholder.name) {
            guard reported.insert(placeholder.name).inserted, let literal = pathLiteral else { continue }
            problems.report(
                .unmatchedPlaceholder(placeholder.name), at: literal, position: placeholder.position,
                fixIts: [fixIt(for: placeholder.name)])
        }
    }

    private var pathLiteral: ExprSyntax? {
        Endpoint.attribute(of: function).flatMap { $0.argument("path") ?? $0.argument(nil) }
    }

    /// A parameter that differs only in spelling (`userID` for `{user_id}`) is meant; otherwise one is missing.
    private func fixIt(for placeholder: String) -> FixIt {
        func folded(_ name: String) -> String { name.lowercased().filter { $0.isLetter || $0.isNumber } }
        let similar = function.signature.parameterClause.parameters.first {
            $0.attributes.isEmpty && folded(Parameter.defaultWireName($0)) == folded(placeholder)
        }
        if offersAttributes, let similar { return .adding("@Path(\(Identifier.literal(placeholder)))", to: similar) }
        return .addingParameter(placeholder, to: function)
    }

    private func checkBody(_ parameters: [Parameter], problems: inout Problems) {
        var names: Set<String> = []
        for parameter in parameters {
            switch parameter.role {
            case .field, .part:
                let name = Parameter.name(parameter.syntax).plainText
                if body != nil {
                    let fixIts =
                        parameter.syntax.attributes.isEmpty && offersAttributes
                        ? [FixIt.adding("@Query", to: parameter.syntax)] : []
                    problems.report(.bodyBesideFields(name), at: parameter.syntax, fixIts: fixIts)
                } else if !names.insert(parameter.wireName).inserted, format != .multipart {
                    problems.report(.duplicateField(parameter.wireName.filter { $0 != "\"" }), at: parameter.syntax)
                }
            default: break
            }
        }
    }
}
