// SPDX-License-Identifier: Apache-2.0

import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// Decides where each parameter of an endpoint goes.
///
/// An attribute says it. Without one, a parameter whose name on the wire, or else whose own name, is that of a placeholder
/// fills it; of the others, POST, PUT and PATCH send one labelled `_` as the body, or else all as its fields, and every
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
        isFormatKnown: Bool, takesTarget: Bool, offersAttributes: Bool
    ) {
        self.function = function
        self.method = method
        self.template = template
        self.format = format
        self.isFormatKnown = isFormatKnown
        self.takesTarget = takesTarget
        self.offersAttributes = offersAttributes
    }

    /// Those that say where a value goes.
    static let attributes: Set<String> = [
        "Path", "Query", "Body", "Field", "Header", "HeaderMap", "Part", "Tag", "Url",
    ]

    private var placeholders: [String] { template?.placeholders.map(\.name) ?? [] }

    /// Reads all parameters, rule by rule: each rule is asked about every parameter that is still open before the next one
    /// is, so that a later parameter that fits by its name comes before an earlier one that would fit by its place.
    mutating func read(problems: inout Problems) -> [Parameter] {
        let all = Array(function.signature.parameterClause.parameters)
        var attributes: [AttributeSyntax?] = []
        for parameter in all {
            if parameter.has(.inout) { problems.report(.inoutParameter, at: parameter.type) }
            if parameter.baseType.is(PackExpansionTypeSyntax.self) {
                problems.report(.packParameter, at: parameter.type)
            }
            attributes.append(attribute(of: parameter, problems: &problems))
        }
        var result: [Parameter?] = zip(all, attributes).map { parameter, attribute in
            attribute.flatMap { parameterByAttribute(parameter, $0, problems: &problems) }
        }
        // An attribute has the last word, also one that was a mistake.
        func settle(_ rule: (FunctionParameterSyntax) -> Parameter?) {
            for (offset, parameter) in all.enumerated() where attributes[offset] == nil && result[offset] == nil {
                result[offset] = rule(parameter)
            }
        }
        settle { $0.isForTheCompiler ? Self.make(.unused, $0) : nil }
        settle { [Parameter.label($0), Parameter.name($0).plainText].contains("url") ? target($0) : nil }
        settle { Parameter.label($0) == nil ? target($0) : nil }
        settle { placeholderValue($0, name: Parameter.defaultWireName($0)) }
        settle { placeholderValue($0, name: Parameter.name($0).plainText) }
        settle { parameterByMethod($0, problems: &problems) }
        let parameters = result.compactMap { $0 }
        for parameter in parameters where parameter.isClosure && parameter.isSent {
            problems.report(.closureParameter, at: parameter.syntax.type)
        }
        checkPlaceholders(problems: &problems)
        checkColons(problems: &problems)
        checkBody(parameters, problems: &problems)
        checkDoubles(parameters, problems: &problems)
        return parameters
    }

    private func attribute(of parameter: FunctionParameterSyntax, problems: inout Problems) -> AttributeSyntax? {
        let named = parameter.attributes.named
        let found = named.filter { Self.attributes.contains($0.baseName) }
        if found.isEmpty {
            for unknown in named {
                problems.report(.unknownAttribute(unknown.attributeName.trimmedDescription), at: unknown)
            }
        }
        if let first = found.first, let second = found.dropFirst().first {
            problems.report(
                .twoRoles(first.baseName, second.baseName), at: second,
                fixIts: [.removing(second, from: parameter.attributes)])
        }
        return found.first
    }

    // MARK: With an attribute

    private mutating func parameterByAttribute(
        _ parameter: FunctionParameterSyntax, _ attribute: AttributeSyntax, problems: inout Problems
    ) -> Parameter? {
        let named = attribute.argument(nil) ?? attribute.argument("name")
        let wireName = named?.trimmedDescription ?? Identifier.literal(Parameter.defaultWireName(parameter))
        let wireText: String? = named == nil ? Parameter.defaultWireName(parameter) : named?.literalText
        let encoded = attribute.argument("encoded")?.trimmedDescription
        func make(_ role: Parameter.Role) -> Parameter {
            Parameter(syntax: parameter, role: role, wireName: wireName, wireText: wireText)
        }
        switch attribute.baseName {
        case "Path":
            return pathByAttribute(parameter, attribute, named: named, encoded: encoded, problems: &problems)
        case "Query": return make(.query(isNamed: named != nil, encoded: encoded))
        case "Header":
            if let name = named?.literalText, let named, !Settings.isToken(name) {
                problems.report(.illegalFieldName(name), at: named)
            }
            return make(.header)
        case "HeaderMap": return make(.headerMap)
        case "Field": return make(.field(isNamed: named != nil))
        case "Part":
            if format != .multipart, isFormatKnown {
                problems.report(.partOutsideMultipart, at: attribute, fixIts: multipartFixIts)
            }
            return make(
                .part(
                    isNamed: named != nil,
                    filename: attribute.argument("filename")?.trimmedDescription,
                    mimeType: attribute.argument("mimeType")?.trimmedDescription))
        case "Tag":
            guard let named else {
                problems.report(.missingTagKey, at: attribute)
                return nil
            }
            return Self.make(.tag(key: named.trimmedDescription), parameter)
        case "Url":
            if !takesTarget || hasTarget {
                problems.report(
                    takesTarget ? .twoTargets : .targetWithoutURL, at: attribute,
                    fixIts: [.removing(attribute, from: parameter.attributes)])
            }
            hasTarget = true
            return make(.target)
        default:
            return bodyParameter(parameter, at: attribute, isExplicit: true, problems: &problems)
        }
    }

    private mutating func pathByAttribute(
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
            let fixIt = placeholderFixIt(for: parameter, attribute, encoded: encoded)
            problems.report(.pathWithoutPlaceholder(candidates[0]), at: attribute, fixIts: [fixIt])
            return nil
        }
        if !filled.insert(name).inserted { problems.report(.duplicatePlaceholder(name), at: attribute) }
        return Self.make(.path(placeholder: name, encoded: encoded), parameter, named: name)
    }

    /// The one placeholder that no parameter is named for was meant. It counts as filled: one mistake, one error.
    private mutating func placeholderFixIt(
        for parameter: FunctionParameterSyntax, _ attribute: AttributeSyntax, encoded: String?
    ) -> FixIt {
        let named = function.signature.parameterClause.parameters.flatMap { parameter -> [String] in
            let paths = parameter.attributes.named.filter { $0.baseName == "Path" }
            return [Parameter.defaultWireName(parameter), Parameter.name(parameter).plainText]
                + paths.compactMap { $0.argument(nil)?.literalText }
        }
        let free = placeholders.filter { !filled.contains($0) && !named.contains($0) }
        guard let only = free.first, free.count == 1 else { return .removing(attribute, from: parameter.attributes) }
        filled.insert(only)
        let rest = encoded.map { ", encoded: \($0)" } ?? ""
        let new = AttributeSyntax("@Path(\(raw: Identifier.literal(only))\(raw: rest))")
            .with(\.leadingTrivia, attribute.leadingTrivia).with(\.trailingTrivia, attribute.trailingTrivia)
        return .replacing(attribute, with: new, "fill the placeholder '{\(only)}'")
    }

    /// The function's own format makes way, unless it has coders: what becomes of these is not for a fix-it to say.
    private var multipartFixIts: [FixIt] {
        guard let own = function.attributes.named.first(where: { Settings.Format(rawValue: $0.baseName) != nil }) else {
            return [.adding("@Multipart", to: function)]
        }
        guard own.argumentList.isEmpty else { return [] }
        let multipart = AttributeSyntax("@Multipart")
            .with(\.leadingTrivia, own.leadingTrivia).with(\.trailingTrivia, own.trailingTrivia)
        return [.replacing(own, with: multipart, "make it '@Multipart'")]
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
        return Self.make(.body, parameter)
    }

    // MARK: Without one

    /// The first that asks is the target of an endpoint that takes one.
    private mutating func target(_ parameter: FunctionParameterSyntax) -> Parameter? {
        guard takesTarget, !hasTarget else { return nil }
        hasTarget = true
        return Self.make(.target, parameter, named: Parameter.name(parameter).plainText)
    }

    private mutating func placeholderValue(_ parameter: FunctionParameterSyntax, name: String) -> Parameter? {
        guard placeholders.contains(name), filled.insert(name).inserted else { return nil }
        return Self.make(.path(placeholder: name, encoded: nil), parameter, named: name)
    }

    private static func make(
        _ role: Parameter.Role, _ parameter: FunctionParameterSyntax, named name: String? = nil
    ) -> Parameter {
        let name = name ?? Parameter.defaultWireName(parameter)
        return Parameter(syntax: parameter, role: role, wireName: Identifier.literal(name), wireText: name)
    }

    private mutating func parameterByMethod(
        _ parameter: FunctionParameterSyntax, problems: inout Problems
    ) -> Parameter {
        guard Endpoint.sendsBody(method) else { return Self.make(.query(isNamed: false, encoded: nil), parameter) }
        guard Parameter.label(parameter) == nil else { return Self.make(.field(isNamed: false), parameter) }
        if format == .multipart, ["Data", "String", "URL"].contains(Self.contentName(parameter.type)) {
            problems.report(.unnamedPart, at: parameter, fixIts: [FixIt.labelling(parameter)].compactMap { $0 })
        }
        return bodyParameter(parameter, at: parameter, isExplicit: false, problems: &problems)
    }

    /// The name of a type below optionals, without its module: `Data` of `Foundation.Data?`.
    private static func contentName(_ type: TypeSyntax) -> String {
        let type = Reply.plain(type)
        guard case .optional(let wrapped)? = TupleContainer(type) else { return Reply.baseName(of: type) }
        return contentName(wrapped)
    }

    // MARK: All together

    private func checkPlaceholders(problems: inout Problems) {
        guard let template else { return }
        var reported: Set<String> = []
        for placeholder in template.placeholders where !filled.contains(placeholder.name) {
            guard reported.insert(placeholder.name).inserted, let literal = pathLiteral else { continue }
            problems.report(
                .unmatchedPlaceholder(placeholder.name), at: literal, position: placeholder.position,
                fixIts: [fixIt(for: placeholder.name)].compactMap { $0 })
        }
    }

    /// Other libraries write a placeholder `:id`. A parameter of that name without an attribute shows that it is meant
    /// as one.
    private func checkColons(problems: inout Problems) {
        guard let text = template?.text, let literal = pathLiteral else { return }
        let names = function.signature.parameterClause.parameters.filter { $0.attributes.isEmpty }
            .flatMap { [Parameter.defaultWireName($0), Parameter.name($0).plainText] }
        var segments = text.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false).map(
            String.init)
        for (offset, segment) in segments.enumerated() where segment.first == ":" {
            let name = String(segment.dropFirst())
            guard names.contains(name), !filled.contains(name) else { continue }
            segments[offset] = "{\(name)}"
            let fixed = segments.joined(separator: "/") + text.drop { $0 != "?" }
            let new = StringLiteralExprSyntax(content: fixed)
                .with(\.leadingTrivia, literal.leadingTrivia).with(\.trailingTrivia, literal.trailingTrivia)
            return problems.report(
                .colonPlaceholder(name), at: literal,
                fixIts: [.replacing(literal, with: new, "write '{\(name)}'")])
        }
    }

    private var pathLiteral: ExprSyntax? {
        Endpoint.attribute(of: function).flatMap { $0.argument("path") ?? $0.argument(nil) }
    }

    /// A parameter that differs only in spelling (`userID` for `{user_id}`) is meant; otherwise one is missing, unless
    /// its name is taken.
    private func fixIt(for placeholder: String) -> FixIt? {
        func folded(_ name: String) -> String { name.lowercased().filter { $0.isLetter || $0.isNumber } }
        let parameters = function.signature.parameterClause.parameters
        let similar = parameters.first {
            $0.attributes.isEmpty && folded(Parameter.defaultWireName($0)) == folded(placeholder)
        }
        if offersAttributes, let similar { return .adding("@Path(\(Identifier.literal(placeholder)))", to: similar) }
        let isTaken = parameters.contains { Parameter.name($0).plainText == placeholder }
        return isTaken ? nil : FixIt.addingParameter(placeholder, to: function)
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
                } else if !names.insert(parameter.wireKey).inserted, format != .multipart, !parameter.isPart {
                    problems.report(.duplicateField(parameter.shownName), at: parameter.syntax)
                }
            default: break
            }
        }
    }

    /// The second of two would replace the first without a word. One that may be `nil` is an alternative.
    private func checkDoubles(_ parameters: [Parameter], problems: inout Problems) {
        var fields: Set<String> = []
        var keys: Set<String> = []
        for parameter in parameters {
            switch parameter.role {
            case .header:
                if !fields.insert(parameter.fieldKey).inserted, !parameter.isOptional {
                    problems.report(.duplicateHeader(parameter.shownName), at: parameter.syntax)
                }
            case .tag(let key):
                if !keys.insert(key).inserted, !parameter.isOptional {
                    problems.report(.duplicateTag(key), at: parameter.syntax)
                }
            default: break
            }
        }
    }
}
