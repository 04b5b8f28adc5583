// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax

/// The declaration that bears `@API`: its endpoints and what it says about all of them.
struct EndpointGroup {
    private enum Item {
        case endpoint(Endpoint)
        /// A requirement with a mistake, which is reported where it stands.
        case mistake(FunctionDeclSyntax)
        /// A line of the `#if` around some of them.
        case directive(String)
    }

    let declaration: any DeclGroupSyntax
    let name: String
    private(set) var settings: Settings
    private let items: [Item]
    /// The modifiers of the extension around it, whose access holds when the declaration has none of its own.
    private let outerModifiers: DeclModifierListSyntax?

    /// Mistakes in single endpoints are reported by their own macros; here they are skipped.
    init(_ declaration: some DeclGroupSyntax, name: String, in lexicalContext: [Syntax]) {
        self.declaration = declaration
        self.name = name
        outerModifiers = lexicalContext.first?.as(ExtensionDeclSyntax.self)?.modifiers
        var problems = Problems()
        settings = Settings(declaration.attributes, problems: &problems)
        items = Self.read(declaration.memberBlock.members, in: declaration)
    }

    private static func read(_ members: MemberBlockItemListSyntax, in parent: any DeclGroupSyntax) -> [Item] {
        members.flatMap { member -> [Item] in
            if let conditional = member.decl.as(IfConfigDeclSyntax.self) {
                let clauses = conditional.clauses.flatMap { clause -> [Item] in
                    [.directive(clause.directive)] + read(clause.members, in: parent)
                }
                // More than the line of each clause.
                let hasEndpoints = clauses.count > conditional.clauses.count
                return hasEndpoints ? clauses + [.directive("#endif")] : []
            }
            guard let function = member.decl.as(FunctionDeclSyntax.self) else { return [] }
            let isRequirement = parent.is(ProtocolDeclSyntax.self)
            guard let attribute = Endpoint.attribute(of: function) else {
                return isRequirement ? [.mistake(function)] : []
            }
            var parser = EndpointParser(function, attribute: attribute, in: parent)
            let endpoint = parser.parse()
            if isRequirement, parser.problems.haveErrors { return [.mistake(function)] }
            return endpoint.map { [.endpoint($0)] } ?? []
        }
    }

    /// Drops the settings that cannot be written into the type, so that calls begin without them.
    mutating func dropSettings() {
        var ignored = Problems()
        settings = Settings([], problems: &ignored)
    }

    /// All of them, whatever the conditions.
    var endpoints: [Endpoint] {
        items.compactMap { if case .endpoint(let endpoint) = $0 { endpoint } else { nil } }
    }

    /// What is written for each endpoint, inside of the `#if` in which it is declared.
    func lines(
        separator: String = "\n", mistake: (FunctionDeclSyntax) -> String? = { _ in nil },
        _ write: (Endpoint) -> String
    ) -> String {
        items.compactMap { item in
            switch item {
            case .endpoint(let endpoint): write(endpoint)
            case .mistake(let function): mistake(function)
            case .directive(let line): line
            }
        }
        .joined(separator: separator)
    }

    /// The access modifier of the generated members, with which they can be used wherever the type can.
    var access: String {
        Self.prefix(ofAccess: Self.access(declaration.modifiers) ?? outerModifiers.flatMap(Self.access))
    }

    /// The access modifier of the initialiser. The types of its parameters may be as hidden as the properties are. It
    /// is at least internal, so that the type can be made.
    func initializerAccess(setting properties: [StoredProperty]) -> String {
        let levels = [access] + properties.map(\.access)
        return ["", "package ", "public "].first { levels.contains($0) } ?? ""
    }

    static func prefix(ofAccess access: String?) -> String {
        switch access {
        case "public", "open": "public "
        case "package": "package "
        default: ""
        }
    }

    /// The modifiers of a generated type, which is as visible as the declaration.
    var typeModifiers: String {
        let access = Self.access(declaration.modifiers).map { $0 + " " } ?? ""
        let isNonisolated = declaration.modifiers.contains { $0.name.text == "nonisolated" }
        return access + (isNonisolated ? "nonisolated " : "")
    }

    static func access(_ modifiers: DeclModifierListSyntax) -> String? {
        let levels: Set = ["open", "public", "package", "internal", "fileprivate", "private"]
        return modifiers.first { levels.contains($0.name.text) && $0.detail == nil }?.name.text
    }

    /// The attributes that generated types and functions have to repeat.
    static func inherited(_ attributes: AttributeListSyntax) -> String {
        attributes.named.filter {
            ["available", "MainActor", "discardableResult", "preconcurrency", "concurrent", "_spi"].contains(
                $0.baseName)
        }
        .map { $0.trimmedDescription + "\n" }.joined()
    }

    /// The same for properties, which may have fewer of them.
    static func availability(_ attributes: AttributeListSyntax) -> String {
        attributes.named.filter { $0.baseName == "available" }.map { $0.trimmedDescription + "\n" }.joined()
    }

    /// Where the calls of all endpoints begin.
    var callFactory: String {
        var names = NameAllocator(avoiding: declaration.attributes)
        let (call, method, template) = (names.name("call"), names.name("method"), names.name("template"))
        let statements = settings.statements.map { "\n    \(call).\($0)" }.joined()
        // What the statements name may belong to a global actor that the type is of, but not to an instance.
        let isActor = declaration.is(ActorDeclSyntax.self)
        let isNonisolated =
            isProviderConstant && (statements.isEmpty || isActor || endpoints.contains(where: \.isNonisolated))
        return """
            /// The start of a call: everything that is declared for all of them.
            \(isNonisolated ? "nonisolated " : "")func \(EndpointBody.callFactory)(_ \(method): Swift.String, _ \(template): Swift.String) -> StrataAPI.APICall {
                \(statements.isEmpty ? "" : "var \(call) = ")StrataAPI.APICall(self.\(providerName), method: \(method), template: \(template))\(statements)\(statements.isEmpty ? "" : "\n    return \(call)")
            }
            """
    }

    /// `UsersAPIClient` of `UsersAPI`.
    func typeName(_ suffix: String) -> String { Identifier.escaped(Identifier.plain(name) + suffix) }

    /// `provider`, unless the type has something else of that name.
    var providerName: String { declaresProvider || !declares("provider") ? "provider" : "apiProvider" }

    /// Whether the type declares the provider itself.
    var declaresProvider: Bool { ownProvider != nil }

    /// Whether an initialiser can set the provider: it has no value for good, and is not computed.
    var takesProvider: Bool {
        guard let own = ownProvider else { return true }
        return !StoredProperty.isComputed(own) && (own.initializer == nil || !isProviderConstant)
    }

    /// A constant can be read from outside of the type's actor.
    private var isProviderConstant: Bool {
        let variable = ownProvider?.parent?.parent?.as(VariableDeclSyntax.self)
        return variable?.bindingSpecifier.tokenKind != .keyword(.var)
    }

    private var ownProvider: PatternBindingSyntax? {
        Self.members(declaration.memberBlock.members).compactMap { $0.as(VariableDeclSyntax.self) }
            .flatMap(\.bindings).first { $0.pattern.trimmedDescription == "provider" && Self.holdsProvider($0) }
    }

    /// `provider: Provider`, or `provider = Provider(…)`, `Provider.init(…)`, `Provider.shared.with(…)`.
    private static func holdsProvider(_ binding: PatternBindingSyntax) -> Bool {
        if let type = binding.typeAnnotation?.type { return Reply.baseName(of: type) == "Provider" }
        return binding.initializer.map { beginsWithProvider($0.value) } ?? false
    }

    private static func beginsWithProvider(_ value: ExprSyntax) -> Bool {
        if let call = value.as(FunctionCallExprSyntax.self) { return beginsWithProvider(call.calledExpression) }
        if let member = value.as(MemberAccessExprSyntax.self) {
            return member.declName.baseName.text == "Provider" || member.base.map(beginsWithProvider) ?? false
        }
        return value.as(DeclReferenceExprSyntax.self)?.baseName.text == "Provider"
    }

    /// Whether an instance has a property of this name, or a function beside which no property can have it.
    func declares(_ name: String) -> Bool {
        Self.members(declaration.memberBlock.members).contains { member in
            if let function = member.as(FunctionDeclSyntax.self) {
                return function.name.plainText == name && function.signature.parameterClause.parameters.isEmpty
            }
            let bindings = member.as(VariableDeclSyntax.self)?.bindings
            return bindings?.contains { $0.pattern.trimmedDescription == name } ?? false
        }
    }

    /// The members of an instance, whatever the conditions.
    private static func members(_ members: MemberBlockItemListSyntax) -> [DeclSyntax] {
        allMembers(members).filter { !$0.isOfTheType }
    }

    /// The members of an instance and those of the type.
    static func allMembers(_ members: MemberBlockItemListSyntax) -> [DeclSyntax] {
        members.flatMap { member -> [DeclSyntax] in
            guard let conditional = member.decl.as(IfConfigDeclSyntax.self) else { return [member.decl] }
            return conditional.clauses.flatMap { allMembers($0.members) }
        }
    }

    /// The type on one line, without comments.
    private static func oneLine(_ type: TypeSyntax) -> String {
        var source = ""
        for token in type.tokens(viewMode: .sourceAccurate) {
            if !token.leadingTrivia.isEmpty { source += " " }
            source += token.text
            if !token.trailingTrivia.isEmpty { source += " " }
        }
        var line = source.split { $0.isWhitespace }.joined(separator: " ")
        for bracket in ["(", "[", "<"] { line = line.replacing(bracket + " ", with: bracket) }
        for bracket in [")", "]", ">"] { line = line.replacing(" " + bracket, with: bracket) }
        return line
    }

    private static func oneLine(_ parameter: FunctionParameterSyntax) -> String {
        let type = oneLine(parameter.baseType)
        return parameter.ellipsis == nil ? type : "[\(type)]"
    }

    /// The list of what is declared.
    var endpointList: String {
        var names = NameAllocator(avoiding: declaration)
        let list = names.name("list")
        let entries = lines { endpoint in
            let parameters = endpoint.parameters.map { parameter in
                ".init(\(parameter.wireName), in: .\(parameter.role.listName), type: \(Identifier.literal(Self.oneLine(parameter.syntax))))"
            }
            let template = endpoint.template.map { Identifier.literal($0.text) } ?? "nil"
            let returns = endpoint.function.signature.returnClause.map { Self.oneLine($0.type) } ?? "Void"
            return """
                \(list).append(
                    .init(
                        \(Identifier.literal(endpoint.signature)), \(endpoint.method), \(template),
                        parameters: [\(parameters.joined(separator: ", "))],
                        returns: \(Identifier.literal(returns))))
                """
        }
        // Changed also where no condition holds: a variable that never is gets a warning.
        let start = "var \(list): [StrataAPI.APIEndpoint] = []\n\(list).reserveCapacity(\(endpoints.count))"
        return """
            /// What is declared: method, template and parameters of each endpoint.
            \(access)static var endpoints: [StrataAPI.APIEndpoint] {
            \(entries.isEmpty ? "[]" : "\(start)\n\(entries)\nreturn \(list)")
            }
            """
    }
}

extension DeclSyntax {
    /// Whether it is `static`, or as `class` members are.
    var isOfTheType: Bool {
        let modifiers = asProtocol((any WithModifiersSyntax).self)?.modifiers ?? []
        return modifiers.contains { ["static", "class"].contains($0.name.text) }
    }
}

extension IfConfigClauseSyntax {
    /// `#if os(Linux)`, `#else`.
    fileprivate var directive: String {
        [poundKeyword.text, condition?.trimmedDescription].compactMap { $0 }.joined(separator: " ")
    }

    var members: MemberBlockItemListSyntax {
        if case .decls(let members)? = elements { members } else { [] }
    }
}
