// SPDX-License-Identifier: Apache-2.0

import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// Reads a function's declaration as an ``Endpoint``, and reports the rules that it breaks.
struct EndpointParser {
    private let function: FunctionDeclSyntax
    private let attribute: AttributeSyntax
    /// The format that the type around the function sets. `nil`: none, or not known (in an extension).
    private let typeFormat: Settings.Format?
    private let isExtension: Bool
    /// Attributes cannot stand on the parameters of a requirement, so fix-its do not offer them there.
    private let isRequirement: Bool
    private(set) var problems = Problems()

    /// - Parameter parent: the declaration around the function, members left out.
    init(_ function: FunctionDeclSyntax, attribute: AttributeSyntax, in parent: (any DeclGroupSyntax)?) {
        self.function = function
        // A macro gets its attribute and its declaration as two trees; positions can be compared within one.
        self.attribute =
            function.attributes.named.last { $0.trimmedDescription == attribute.trimmedDescription } ?? attribute
        isExtension = parent?.is(ExtensionDeclSyntax.self) ?? false
        isRequirement = parent?.is(ProtocolDeclSyntax.self) ?? false
        var ignored = Problems()
        typeFormat = isExtension ? nil : parent.flatMap { Settings($0.attributes, problems: &ignored).format }
    }

    /// The endpoint, also when it breaks a rule; `nil` when there is not enough to go by.
    mutating func parse() -> Endpoint? {
        checkFunction()
        let settings = Settings(function.attributes, problems: &problems)
        guard let (method, template) = parseTarget(settings) else { return nil }
        let reply = Reply(function.signature.returnClause, problems: &problems)
        checkStream(settings, reply)
        checkErrorModel(settings)
        if method == "HEAD" { checkHead(reply) }
        var reader = ParameterReader(
            function: function, method: method, template: template, format: settings.format ?? typeFormat,
            isFormatKnown: !isExtension || settings.format != nil, takesTarget: settings.urlAttribute != nil,
            offersAttributes: !isRequirement)
        let parameters = reader.read(problems: &problems)
        if settings.urlAttribute != nil, !reader.hasTarget { problems.report(.missingTarget, at: attribute) }
        checkFormat(settings, method: method, parameters: parameters)
        let endpoint = Endpoint(
            function: function, method: Identifier.literal(method), template: template, settings: settings,
            parameters: parameters, reply: reply)
        checkUnnamed(endpoint.parameters)
        checkNames(endpoint)
        checkAttributes()
        checkContent()
        return endpoint
    }

    /// It is allowed, and seldom works.
    private mutating func checkContent() {
        guard attribute.baseName == "GET", problems.isEmpty else { return }
        let attributes = function.signature.parameterClause.parameters.flatMap(\.attributes.named)
        if let body = attributes.first(where: { $0.baseName == "Body" }) { problems.report(.contentOfGet, at: body) }
    }

    /// A value is handed on by the parameter's name: to the call when it is sent, to a mock in any case.
    private mutating func checkUnnamed(_ parameters: [Parameter]) {
        var names = NameAllocator(avoiding: function)
        for parameter in parameters where isRequirement || parameter.statement != nil {
            guard Parameter.name(parameter.syntax).tokenKind == .wildcard else { continue }
            problems.report(
                .unnamedParameter, at: parameter.syntax,
                fixIts: [.renaming(parameter.syntax, to: names.name("value"))])
        }
    }

    /// A parameter called `self` hides the instance, and one with the name of a generated member hides that too.
    private mutating func checkNames(_ endpoint: Endpoint) {
        guard endpoint.hidesInstance else { return }
        var names = NameAllocator(avoiding: function)
        let mockProperties = isRequirement ? [true, false].map(endpoint.mockProperty) : []
        for parameter in function.signature.parameterClause.parameters {
            let name = Parameter.name(parameter)
            guard ([EndpointBody.callFactory] + mockProperties).contains(name.plainText) else { continue }
            problems.report(
                .hiddenMember(name.plainText), at: name, fixIts: [.renaming(parameter, to: names.name(name.plainText))])
        }
    }

    /// The compiler has read the attributes outside of the function; the macro writes what stands there inside of it.
    private mutating func checkAttributes() {
        let used = Set(NameFinder(in: Endpoint.writtenAttributes(of: function)).uses.map(\.name))
        var names = NameAllocator(avoiding: function)
        for parameter in function.signature.parameterClause.parameters {
            let name = Parameter.name(parameter)
            guard used.contains(name.plainText) else { continue }
            problems.report(
                .hiddenByParameter(name.plainText), at: name,
                fixIts: [.renaming(parameter, to: names.name(name.plainText))])
        }
    }

    private mutating func checkFunction() {
        if let modifier = function.modifiers.first(where: { ["static", "class"].contains($0.name.text) }) {
            problems.report(
                .notAnInstanceFunction, at: modifier, fixIts: [.removing(modifier, from: function.modifiers)])
        }
        if let body = function.body {
            problems.report(.hasBody, at: body, fixIts: [.removingBody(of: function)])
        }
        let effects = function.signature.effectSpecifiers
        let isAsyncThrows =
            effects?.asyncSpecifier?.tokenKind == .keyword(.async)
            && effects?.throwsClause?.throwsSpecifier.tokenKind == .keyword(.throws)
        if Endpoint.isPublisher(function) {
            if effects != nil {
                problems.report(
                    .publisherWithEffects, at: function.name, fixIts: [.removingEffects(of: function)])
            }
        } else if !isAsyncThrows {
            problems.report(.notAsyncThrows, at: function.name, fixIts: [.makingAsyncThrows(function)])
        }
        let methods = function.attributes.named.filter(Endpoint.isMethod)
        for other in methods.dropFirst() {
            problems.report(
                .twoMethods(methods[0].baseName, other.baseName), at: other,
                fixIts: [.removing(other, from: function.attributes)])
        }
    }

    private mutating func parseTarget(_ settings: Settings) -> (String, PathTemplate?)? {
        var method = attribute.baseName
        let path: ExprSyntax?
        if method == "HTTP" {
            guard let argument = attribute.argument("method"), let text = argument.literalText, Settings.isToken(text)
            else {
                problems.report(.methodNotToken, at: attribute.argument("method").map(Syntax.init) ?? Syntax(attribute))
                return nil
            }
            method = text
            path = attribute.argument("path")
        } else {
            path = attribute.argument(nil)
        }
        guard let path else {
            if settings.urlAttribute == nil { problems.report(.missingPath, at: attribute) }
            return (method, nil)
        }
        if let url = settings.urlAttribute {
            problems.report(.pathBesideURL, at: path, fixIts: [.removing(url, from: function.attributes)])
            return nil
        }
        guard let template = PathTemplate(path, problems: &problems) else { return nil }
        return (method, template)
    }

    private mutating func checkErrorModel(_ settings: Settings) {
        guard let attribute = settings.errorModel,
            let error = function.signature.effectSpecifiers?.throwsClause?.type,
            Reply.baseName(of: error) == "NetworkClientError"
        else { return }
        problems.report(.unusedErrorModel, at: attribute, fixIts: [.removing(attribute, from: function.attributes)])
    }

    private mutating func checkStream(_ settings: Settings, _ reply: Reply) {
        guard let attribute = settings.eventStreaming, Self.isKnown(reply, as: Self.models.union(Self.heads))
        else { return }
        let place = function.signature.returnClause.map { Syntax($0.type) } ?? Syntax(attribute)
        problems.report(.streamExpected, at: place, fixIts: [.removing(attribute, from: function.attributes)])
    }

    private mutating func checkHead(_ reply: Reply) {
        if case .none = reply { return }
        guard let type = function.signature.returnClause?.type, Self.isReadFromBody(reply) else { return }
        let fields = TypeSyntax("HTTPHeaders").with(\.trailingTrivia, type.trailingTrivia)
        problems.report(.headReply, at: type, fixIts: [.replacing(type, with: fields, "return 'HTTPHeaders'")])
    }

    /// Names that are nobody's aliases.
    static let models: Set = [
        "String", "Data", "Bool", "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32",
        "UInt64", "Double", "Float", "Decimal", "Date", "URL", "UUID", "JSONValue", "Array", "Set", "Dictionary",
        "Optional",
    ]
    static let heads: Set = ["HTTPHeaders", "HTTPFields", "HTTPResponse", "NetworkResponse"]
    static let streams: Set = ["APIStream", "AsyncStream", "AsyncThrowingStream"]

    /// Whether the reply has one of these names, or none at all: any other may be an alias.
    private static func isKnown(_ reply: Reply, as names: Set<String>) -> Bool {
        guard case .type(let type) = reply, type.is(IdentifierTypeSyntax.self) || type.is(MemberTypeSyntax.self)
        else { return true }
        return names.contains(Reply.baseName(of: type))
    }

    /// Whether it has to be there: inside of a `NetworkResponse`, for all but `Void`, an optional, and the body as it is.
    private static func isReadFromBody(_ reply: Reply) -> Bool {
        guard case .type(let type) = reply, Reply.baseName(of: type) == "NetworkResponse",
            let model = type.genericArguments.first.map(Reply.plain)
        else { return isKnown(reply, as: models.union(streams)) }
        if case .optional? = TupleContainer(model) { return false }
        let isBody = ["Data", "String"].contains(Reply.baseName(of: model))
        return !isBody && !Reply.isVoid(model) && isKnown(.type(model), as: models.union(heads))
    }

    private mutating func checkFormat(_ settings: Settings, method: String, parameters: [Parameter]) {
        guard let format = settings.formatAttribute, format.baseName != "JSON" || format.argument("encoder") != nil,
            !Endpoint.sendsBody(method)
        else { return }
        let hasBody = parameters.contains {
            switch $0.role {
            case .body, .field, .part: true
            default: false
            }
        }
        if hasBody { return }
        var fixIt = FixIt.removing(format, from: function.attributes)
        if let decoder = format.argument("decoder")?.trimmedDescription {
            let json = AttributeSyntax("@JSON(decoder: \(raw: decoder))")
                .with(\.leadingTrivia, format.leadingTrivia).with(\.trailingTrivia, format.trailingTrivia)
            fixIt = .replacing(format, with: json, "make it '@JSON(decoder:)'")
        }
        problems.report(.formatWithoutBody(format.baseName, method), at: format, fixIts: [fixIt])
    }
}
