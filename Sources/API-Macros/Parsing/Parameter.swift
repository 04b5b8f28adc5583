// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// A parameter of an endpoint, and where its value goes.
struct Parameter {
    enum Role {
        case path(placeholder: String, encoded: String?)
        /// An explicit name is sent as it is written, and keeps the properties of an object below it.
        case query(isNamed: Bool, encoded: String?)
        case header
        case headerMap
        case body
        /// As in a query; in JSON every name keeps the properties of an object below it.
        case field(isNamed: Bool)
        case part(isNamed: Bool, filename: String?, mimeType: String?)
        case tag(key: String)
        case target
        /// Not sent: a metatype or an isolation, which are there for the compiler.
        case unused

        /// As it is called in the list of endpoints.
        var listName: String {
            switch self {
            case .path: "path"
            case .query: "query"
            case .header: "header"
            case .headerMap: "headerMap"
            case .body: "body"
            case .field: "field"
            case .part: "part"
            case .tag: "tag"
            case .target: "target"
            case .unused: "unused"
            }
        }
    }

    let syntax: FunctionParameterSyntax
    let role: Role
    /// The expression that names it on the wire: a literal, unless the attribute has another expression.
    let wireName: String
    /// What a literal says.
    let wireText: String?

    /// `nil` for `_`.
    static func label(_ syntax: FunctionParameterSyntax) -> String? {
        syntax.firstName.tokenKind == .wildcard ? nil : syntax.firstName.plainText
    }

    /// The name that the body uses, with its backticks.
    static func name(_ syntax: FunctionParameterSyntax) -> TokenSyntax { syntax.secondName ?? syntax.firstName }

    /// The label rule: the external label, else the internal name.
    static func defaultWireName(_ syntax: FunctionParameterSyntax) -> String {
        label(syntax) ?? name(syntax).plainText
    }

    /// The expression of the value: what is borrowed has to be copied to be handed on.
    static func value(_ syntax: FunctionParameterSyntax) -> String {
        (syntax.has(.borrowing) ? "copy " : "") + Identifier.escaped(name(syntax).plainText)
    }

    /// Whether it may be `nil`, which sends nothing.
    var isOptional: Bool {
        if case .optional? = TupleContainer(Reply.plain(syntax.type)) { true } else { false }
    }

    /// Whether its type is written out as that of a closure, or an optional of one.
    var isClosure: Bool {
        let type = Reply.plain(syntax.type)
        guard case .optional(let wrapped)? = TupleContainer(type) else { return type.is(FunctionTypeSyntax.self) }
        return Reply.plain(wrapped).is(FunctionTypeSyntax.self)
    }

    /// Whether the server gets the value.
    var isSent: Bool {
        switch role {
        case .tag, .unused: false
        default: true
        }
    }

    /// The statement that hands the value to the call.
    var statement: String? {
        let plain = Self.value(syntax)
        let value = ".init(\(plain))"
        func list(_ parts: String?...) -> String { parts.compactMap { $0 }.joined(separator: ", ") }
        return switch role {
        case .path(let placeholder, let encoded):
            "path(\(list(Identifier.literal(placeholder), value, encoded.map { "encoded: \($0)" })))"
        case .query(let isNamed, let encoded):
            "query(\(list(wireName, value, isNamed ? "isNamed: true" : nil, encoded.map { "encoded: \($0)" })))"
        case .header: "header(\(wireName), \(value))"
        case .headerMap: "headers(\(plain))"
        case .body: "body(\(value))"
        case .field(let isNamed): "field(\(list(wireName, value, isNamed ? "isNamed: true" : nil)))"
        case .part(let isNamed, let filename, let mimeType):
            "part(\(list(wireName, value, isNamed ? "isNamed: true" : nil, filename.map { "filename: \($0)" }, mimeType.map { "mimeType: \($0)" })))"
        case .tag(let key): "tag(\(key), ifPresent: \(plain))"
        case .target: "target(\(plain))"
        case .unused: nil
        }
    }

    /// What tells names apart: the text of a literal, however it is written, else the expression.
    var wireKey: String { wireText.map(Identifier.literal) ?? wireName }

    /// The same for fields of the head, whose names are compared without case (RFC 9110 §5.1).
    var fieldKey: String { wireText.map { Identifier.literal($0.lowercased()) } ?? wireName }

    /// The name in a message.
    var shownName: String { wireText ?? wireName }

    var isHeaderMap: Bool { if case .headerMap = role { true } else { false } }

    /// Parts may have one name (RFC 7578 §4.3).
    var isPart: Bool { if case .part = role { true } else { false } }
}

extension FunctionParameterSyntax {
    /// The type without `inout`, `sending`, `@escaping` …
    var baseType: TypeSyntax { type.as(AttributedTypeSyntax.self)?.baseType ?? type }

    /// The same as a value has it: `T?` for `T!`, an array for a variadic parameter.
    var plainType: String {
        let type = Reply.plain(type).description
        return ellipsis == nil ? type : "[\(type)]"
    }

    /// Whether `inout`, `borrowing`, `isolated` … stands before the type.
    func has(_ specifier: Keyword) -> Bool {
        type.as(AttributedTypeSyntax.self)?.specifiers.contains {
            $0.as(SimpleTypeSpecifierSyntax.self)?.specifier.tokenKind == .keyword(specifier)
        } ?? false
    }

    var isForTheCompiler: Bool { baseType.is(MetatypeTypeSyntax.self) || has(.isolated) }
}
