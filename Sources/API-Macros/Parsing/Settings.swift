// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// What the attributes of a type or of a function say about calls: fields, formats, options.
///
/// Each becomes a statement on the call that does the same at run time.
struct Settings {
    /// How a body is written; the runtime has an enumeration with the same cases.
    enum Format: String {
        case json = "JSON"
        case form = "FormUrlEncoded"
        case multipart = "Multipart"
    }

    /// The attributes of which it is made, and the one that has it made.
    static let names: Set<String> = [
        "API", "JSON", "FormUrlEncoded", "Multipart", "EventStreaming", "URL", "Headers", "ResponseKeyPath",
        "ErrorModel", "Timeout", "Tag", "Options", "Retry",
    ]

    private(set) var format: Format?
    private(set) var formatAttribute: AttributeSyntax?
    private(set) var eventStreaming: AttributeSyntax?
    /// The expression of the table by which events become elements.
    private(set) var eventTable: String?
    private(set) var errorModel: AttributeSyntax?
    private(set) var urlAttribute: AttributeSyntax?
    /// Calls of methods, `header("Accept", "text/plain")`, in the order in which they take effect.
    private(set) var statements: [String] = []
    /// Those of which one counts.
    private var single: Set<String> = []

    init(_ attributes: AttributeListSyntax, problems: inout Problems) {
        for conditional in attributes.conditional { problems.report(.conditionalAttribute, at: conditional) }
        for attribute in attributes.named { read(attribute, in: attributes, problems: &problems) }
    }

    private mutating func read(_ attribute: AttributeSyntax, in list: AttributeListSyntax, problems: inout Problems) {
        let arguments = attribute.argumentList.map(\.trimmedDescription).map {
            $0.hasSuffix(",") ? String($0.dropLast()) : $0
        }.joined(separator: ", ")
        if ["ResponseKeyPath", "ErrorModel", "Retry"].contains(attribute.baseName),
            !single.insert(attribute.baseName).inserted
        {
            return problems.report(
                .givenTwice(attribute.baseName), at: attribute, fixIts: [.removing(attribute, from: list)])
        }
        if let new = Format(rawValue: attribute.baseName) {
            if let format {
                return problems.report(
                    .twoFormats(format.rawValue, new.rawValue), at: attribute,
                    fixIts: [.removing(attribute, from: list)])
            }
            format = new
            formatAttribute = attribute
            statements.append("format(.\(new)\(arguments.isEmpty ? "" : ", \(arguments)"))")
        }
        switch attribute.baseName {
        case "EventStreaming":
            eventStreaming = attribute
            eventTable = attribute.argument("decoding")?.trimmedDescription
            let others = attribute.argumentList.filter { $0.label?.text != "decoding" }
                .map { "\($0.label?.text ?? "until"): \($0.expression.trimmedDescription)" }
            statements.append("eventStreaming(\(others.joined(separator: ", ")))")
        case "URL": urlAttribute = attribute
        case "Headers": readHeaders(attribute, problems: &problems)
        case "ResponseKeyPath":
            if let path = attribute.argument(nil), path.literalText == "" { problems.report(.emptyKeyPath, at: path) }
            statements.append("responseKeyPath(\(arguments))")
        case "ErrorModel":
            errorModel = attribute
            statements.append("errorModel(\(arguments))")
        case "Timeout": statements.append("timeout(\(arguments))")
        case "Tag": statements.append("tag(\(arguments))")
        case "Options": statements.append("options(\(arguments))")
        case "Retry": statements.append("retry(\(arguments))")
        default: break
        }
    }

    /// A literal is taken apart, so that a name may stand there twice (the last counts), and mistakes show where they are.
    private mutating func readHeaders(_ attribute: AttributeSyntax, problems: inout Problems) {
        guard let argument = attribute.argument(nil) else { return }
        guard let dictionary = argument.as(DictionaryExprSyntax.self) else {
            return statements.append("headers(\(argument.trimmedDescription))")
        }
        guard case .elements(let elements) = dictionary.content else { return }
        for element in elements {
            if let name = element.key.literalText, !Self.isToken(name) {
                problems.report(.illegalFieldName(name), at: element.key)
            }
            if let value = element.value.literalText,
                value.unicodeScalars.contains(where: { ($0.value < 0x20 && $0 != "\t") || $0.value == 0x7f })
            {
                problems.report(.illegalFieldValue(element.key.literalText ?? "?"), at: element.value)
            }
            let value = element.value.trimmedDescription
            let isLiteral = element.value.literalText != nil
            statements.append(
                "header(\(element.key.trimmedDescription), \(isLiteral ? value : ".init((\(value)) as Swift.String)"))")
        }
    }

    /// RFC 9110 §5.6.2.
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.unicodeScalars.allSatisfy {
                switch $0 {
                case "a"..."z", "A"..."Z", "0"..."9": true
                default: "!#$%&'*+-.^_`|~".unicodeScalars.contains($0)
                }
            }
    }
}
