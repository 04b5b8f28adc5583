// SPDX-License-Identifier: Apache-2.0

public import StrataCore

/// A URI template (RFC 6570, level 4): parsed once, expanded often.
///
///     let template = try URITemplate("/repos/{owner}/{repo}/issues{?state,labels*}")
///     try template.expand(["owner": "apple", "repo": "swift", "labels": ["bug", "good first issue"]])
///     // /repos/apple/swift/issues?labels=bug&labels=good%20first%20issue
public struct URITemplate: Hashable, Sendable {
    /// The text it was made from.
    public let template: String
    private let parts: [Part]

    /// - Throws: ``URITemplateError`` with the place at which the text stops being a template.
    public init(_ template: String) throws(URITemplateError) {
        self.template = template
        var parser = Parser(template)
        parts = try parser.parse()
    }

    /// The names of the variables, in order, each once.
    public var variableNames: [String] {
        var seen: Set<String> = []
        let names = parts.flatMap { part -> [String] in
            if case .expression(_, let variables) = part { variables.map(\.name) } else { [] }
        }
        return names.filter { seen.insert($0).inserted }
    }

    /// A variable that has no value, or an empty list, is left out together with its delimiter.
    ///
    /// - Throws: ``URITemplateError`` when a prefix (`{name:3}`) meets a list or an object, and when a value makes a segment of
    ///   the path `.` or `..`, which would name another resource (RFC 3986 §5.2.4). `{+name}` and `{#name}`, whose values are
    ///   parts of URLs, may do so.
    public func expand(_ variables: [String: Value]) throws(URITemplateError) -> String {
        var output: [UInt8] = []
        var filled: [Range<Int>] = []
        for part in parts {
            switch part {
            case .literal(let bytes): output.append(contentsOf: bytes)
            case .expression(let form, let specifiers):
                let start = output.count
                let hasValue = try Expansion.append(specifiers, form, variables, to: &output)
                if hasValue, let range = form.inPath(start..<output.count) { filled.append(range) }
            }
        }
        guard !URLReference.hasDotSegment(output, filledAt: filled) else {
            throw URITemplateError(reason: "a value makes a segment '.' or '..'", offset: nil)
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Expands a template whose path must not lose a part: without a value, `users/{id}` would name all users.
    ///
    ///     let path = try template.expand(strict: ["owner": owner, "repo": repo, "page": page])
    ///
    /// - `variables`: any value, as in a query; `nil` is none.
    /// - Throws: ``URITemplateError`` as ``expand(_:)``, for a variable of the path that has no value or an empty one, also
    ///   within a list, and for a name that the template does not have. Variables of a query, a fragment and `{;name}` may be
    ///   missing. An `EncodingError` for a value that has no text.
    public func expand(strict variables: [String: (any Encodable)?]) throws -> String {
        let known = Set(variableNames)
        if let name = variables.keys.filter({ !known.contains($0) }).min() {
            throw URITemplateError(reason: "there is no variable \"\(name)\"", offset: nil)
        }
        var values: [String: Value] = [:]
        for case (let name, let value?) in variables where !isNil(value) {
            values[name] = try Value(encoding: value)
        }
        for case .expression(let form, let specifiers) in parts where form.isOfPath {
            for specifier in specifiers where values[specifier.name]?.isFull != true {
                throw URITemplateError(reason: "\"\(specifier.name)\" is missing or empty", offset: nil)
            }
        }
        return try expand(values)
    }

    /// Where a request goes, as ``expand(strict:)`` has it. Metrics and traces name it by the template.
    ///
    ///     let issues: [Issue] = try await client.get(template.path(strict: ["owner": owner, "repo": repo]))
    ///
    /// - Throws: as ``expand(strict:)``.
    public func path(strict variables: [String: (any Encodable)?]) throws -> RequestPath {
        RequestPath(raw: try expand(strict: variables), template: template)
    }

    /// What a variable stands for.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Value: Hashable, Sendable {
        case string(String)
        case list([String])
        /// In the order in which the pairs are to appear.
        case pairs([Pair])

        public struct Pair: Hashable, Sendable {
            public var name: String
            public var value: String

            public init(_ name: String, _ value: String) {
                self.name = name
                self.value = value
            }
        }

        /// Whether there is something to put in, and nothing empty beside it.
        fileprivate var isFull: Bool {
            switch self {
            case .string(let text): !text.isEmpty
            case .list(let list): !list.isEmpty && !list.contains("")
            case .pairs(let pairs): !pairs.isEmpty
            }
        }

        public init(_ value: some LosslessStringConvertible) {
            let text = (value as? any Encodable).flatMap { try? ScalarText.text($0, FormOptions()) }
            self = .string(text ?? value.description)
        }

        /// Any value: a scalar as the text that it has in a query, a list, or an object of scalars as pairs.
        ///
        ///     try URITemplate("/logs{?since}").expand(["since": .init(encoding: date)])
        ///
        /// - Throws: an `EncodingError` for what has no text, and for values that are nested deeper.
        public init(encoding value: some Encodable, options: FormOptions = FormOptions()) throws {
            let node = try ValueEncoder.Context(options: options, userInfo: [:]).encode(value)
            func text(_ node: ValueNode) throws -> String {
                if case .scalar(let text) = node.kind { return text }
                throw EncodingError.invalid("\(type(of: value))", "a template takes scalars, lists and objects of them")
            }
            switch node.kind {
            case .null, .empty: self = .list([])
            case .scalar(let text): self = .string(text)
            case .array: self = .list(try node.elements.filter { $0.kind != .null }.map(text))
            case .object:
                self = .pairs(try node.members.filter { $0.node.kind != .null }.map { Pair($0.key, try text($0.node)) })
            }
        }
    }
}

extension URITemplate.Value: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    @_documentation(visibility: internal)
    public init(stringLiteral value: String) { self = .string(value) }
    @_documentation(visibility: internal)
    public init(integerLiteral value: Int) { self = .string(String(value)) }
    @_documentation(visibility: internal)
    public init(arrayLiteral elements: String...) { self = .list(elements) }
    @_documentation(visibility: internal)
    public init(dictionaryLiteral elements: (String, String)...) { self = .pairs(elements.map { Pair($0, $1) }) }
}

extension URITemplate: CustomStringConvertible {
    public var description: String { template }
}

extension URITemplate {
    enum Part: Hashable {
        case literal([UInt8])
        case expression(Form, [Specifier])
    }

    struct Specifier: Hashable {
        var name: String
        var modifier: Modifier
    }

    enum Modifier: Hashable {
        case none
        case explode
        /// In characters, 1 to 9999.
        case prefix(Int)
    }

    /// The operators of RFC 6570, appendix A.
    struct Form: Hashable {
        var first: String
        var separator: String
        var isNamed = false
        /// What follows the name of an empty value.
        var ifEmpty = ""
        var allowsReserved = false

        init?(_ operator: UInt8?) {
            switch `operator` {
            case nil: (first, separator) = ("", ",")
            case UInt8(ascii: "+"): (first, separator, allowsReserved) = ("", ",", true)
            case UInt8(ascii: "#"): (first, separator, allowsReserved) = ("#", ",", true)
            case UInt8(ascii: "."): (first, separator) = (".", ".")
            case UInt8(ascii: "/"): (first, separator) = ("/", "/")
            case UInt8(ascii: ";"): (first, separator, isNamed) = (";", ";", true)
            case UInt8(ascii: "?"): (first, separator, isNamed, ifEmpty) = ("?", "&", true, "=")
            case UInt8(ascii: "&"): (first, separator, isNamed, ifEmpty) = ("&", "&", true, "=")
            default: return nil
            }
        }

        /// Whether the values are parts of a path, which loses a segment without them.
        var isOfPath: Bool { !isNamed && first != "#" }

        /// Where the values stand in what the expression put in. `nil` when they are no part of a path's segment: those of
        /// a query, and those that may be any part of a URL.
        func inPath(_ range: Range<Int>) -> Range<Int>? {
            allowsReserved || isNamed ? nil : range.dropFirst(first.utf8.count)
        }
    }
}
