// SPDX-License-Identifier: Apache-2.0

import SwiftDiagnostics
public import SwiftSyntax
import SwiftSyntaxBuilder
public import SwiftSyntaxMacros

/// `@API`: adds to a type what its endpoints need for their calls or, for a protocol, makes the types that implement
/// it.
open class APIMacro {}

extension APIMacro: MemberMacro {
    public static func expansion(
        of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        // Of these the other role says what is wrong: it is expanded by a mere type check too.
        if declaration.is(ProtocolDeclSyntax.self) || declaration.is(EnumDeclSyntax.self) { return [] }
        let isClass = declaration.is(ClassDeclSyntax.self)
        guard declaration.is(StructDeclSyntax.self) || isClass || declaration.is(ActorDeclSyntax.self),
            let name = declaration.asProtocol((any NamedDeclSyntax).self)?.name.text
        else {
            throw DiagnosticsError(diagnostics: [Diagnostic(node: node, message: Rule.unsupportedType)])
        }
        var problems = Problems()
        _ = Settings(declaration.attributes, problems: &problems)

        var group = EndpointGroup(declaration, name: name, in: context.lexicalContext)
        group.checkNames(problems: &problems)
        var members: [String] = []
        if !group.declaresProvider { members.append("let \(group.providerName): StrataAPI.Provider") }
        members += initializers(of: group, isClass: isClass, problems: &problems)
        members += [group.callFactory, group.endpointList]
        problems.diagnostics.forEach(context.diagnose)
        return placed(members, access: group.access, node, context)
    }

    /// What is visible from outside names types of this library, which the source may have imported for itself alone.
    fileprivate static func placed(
        _ declarations: [String], access: String, _ node: AttributeSyntax, _ context: some MacroExpansionContext
    ) -> [DeclSyntax] {
        let place = access.isEmpty ? nil : SourcePlace(of: node, in: context)
        return (place?.covering(declarations: declarations) ?? declarations).map { "\(raw: $0)" }
    }

    private static func initializers(of group: EndpointGroup, isClass: Bool, problems: inout Problems) -> [String] {
        let members = group.declaration.memberBlock.members
        if !group.takesProvider || members.contains(where: { isInitializer($0.decl, from: "Provider") }) { return [] }
        let properties = StoredProperty.unset(in: members)
        let several = properties.filter { !$0.isSingle }
        for property in several { problems.report(.propertiesInTuple, at: property.pattern) }
        guard several.isEmpty else {
            return ["\(group.access)init(_ provider: StrataAPI.Provider) {\n    \(EndpointBody.none)\n}"]
        }
        let labels = ["_"] + properties.map { Identifier.plain($0.name) }
        for member in members {
            guard let conditional = member.decl.as(IfConfigDeclSyntax.self) else { continue }
            check(conditional, beside: labels, problems: &problems)
        }
        let access = group.initializerAccess(setting: properties)
        let parameters = properties.map { ", " + $0.parameter }.joined()
        let assignments = properties.map { "\n    self.\($0.name) = \($0.value)" }.joined()
        let arguments = properties.map { ", \(Identifier.label(Identifier.plain($0.name))): \($0.value)" }.joined()
        var names = NameAllocator(avoiding: Set(properties.map { Identifier.plain($0.name) }))
        let (provider, client) = (names.name("provider"), names.name("client"))
        let fromProvider = """
            \(access)init(_ \(provider): StrataAPI.Provider\(parameters)) {
                self.\(group.providerName) = \(provider)\(assignments)
            }
            """
        let fromClient = """
            \(access)\(isClass ? "convenience " : "")init(_ \(client): some StrataAPI.NetworkClientProtocol\(parameters)) {
                self.init(StrataAPI.Provider(\(client))\(arguments))
            }
            """
        let hasOwn = members.contains { isInitializer($0.decl, from: "NetworkClientProtocol", labels) }
        return hasOwn ? [fromProvider] : [fromProvider, fromClient]
    }

    /// Reports members inside of `#if` that the generated initialisers, which have these labels, would have to set, or
    /// would declare a second time.
    private static func check(_ conditional: IfConfigDeclSyntax, beside labels: [String], problems: inout Problems) {
        for member in conditional.clauses.flatMap(\.members).map(\.decl) {
            if let nested = member.as(IfConfigDeclSyntax.self) {
                check(nested, beside: labels, problems: &problems)
            } else if isInitializer(member, from: "Provider", labels)
                || isInitializer(member, from: "NetworkClientProtocol", labels)
                || StoredProperty.unset(in: member).contains(where: { !$0.isOptional })
            {
                problems.report(.conditionalInitializer, at: member)
            }
        }
    }

    /// Whether it is an initialiser whose first parameter has this type, and no label; with `labels`, whether these are
    /// its parameters too.
    private static func isInitializer(_ member: DeclSyntax, from name: String, _ labels: [String]? = nil) -> Bool {
        guard let parameters = member.as(InitializerDeclSyntax.self)?.signature.parameterClause.parameters,
            let first = parameters.first, first.firstName.tokenKind == .wildcard,
            labels == nil || parameters.map(\.firstName.plainText) == labels
        else { return false }
        let type = Reply.plain(first.type)
        return Reply.baseName(of: type.as(SomeOrAnyTypeSyntax.self)?.constraint ?? type) == name
    }
}

extension APIMacro: PeerMacro {
    public static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        if declaration.is(EnumDeclSyntax.self) {
            throw DiagnosticsError(diagnostics: [Diagnostic(node: node, message: Rule.unsupportedType)])
        }
        guard let declaration = declaration.as(ProtocolDeclSyntax.self) else { return [] }
        if let actor = declaration.inheritedName(in: ["Actor", "DistributedActor"]) {
            throw DiagnosticsError(diagnostics: [Diagnostic(node: actor, message: Rule.actorProtocol)])
        }
        var problems = Problems()
        _ = Settings(declaration.attributes, problems: &problems)
        let isClassBound = declaration.isClassBound
        for inherited in declaration.inherited { check(inherited, isClassBound: isClassBound, problems: &problems) }
        for member in declaration.memberBlock.members { check(member.decl, problems: &problems) }
        let mock = node.argument("mock")
        if let mock, !mock.is(BooleanLiteralExprSyntax.self) { problems.report(.mockNotLiteral, at: mock) }
        var group = EndpointGroup(declaration, name: declaration.name.text, in: context.lexicalContext)
        group.checkNames(problems: &problems)
        problems.diagnostics.forEach(context.diagnose)
        // A type that lacks them could not conform.
        if problems.contains(.unsupportedRequirement) { return [] }

        var types = [ProtocolClient(group: group).declaration]
        if mock?.trimmedDescription != "false" { types.append(ProtocolMock(group: group).declaration) }
        return placed(types, access: group.access, node, context)
    }

    /// Reports an inherited protocol that may require members which the client does not know.
    private static func check(_ inherited: TypeSyntax, isClassBound: Bool, problems: inout Problems) {
        let type = inherited.as(AttributedTypeSyntax.self)?.baseType ?? inherited
        if let composition = type.as(CompositionTypeSyntax.self) {
            for element in composition.elements {
                check(element.type, isClassBound: isClassBound, problems: &problems)
            }
        } else if !type.is(SuppressedTypeSyntax.self),
            !["AnyObject", "Sendable", "SendableMetatype"].contains(Reply.baseName(of: type))
        {
            problems.report(
                .inheritedRequirements(type.trimmedDescription, isClassBound: isClassBound), at: inherited)
        }
    }

    /// Reports a member that the client cannot implement.
    private static func check(_ member: DeclSyntax, problems: inout Problems) {
        if let function = member.as(FunctionDeclSyntax.self) {
            guard Endpoint.attribute(of: function) == nil else { return }
            let conditional = function.attributes.conditional
            for attributes in conditional { problems.report(.conditionalAttribute, at: attributes) }
            guard conditional.isEmpty else { return }
            problems.report(
                .requirementWithoutMethod, at: function.name,
                fixIts: [.adding("@GET(\"/\(function.name.plainText)\")", to: function)])
        } else if let conditional = member.as(IfConfigDeclSyntax.self) {
            for member in conditional.clauses.flatMap(\.members) { check(member.decl, problems: &problems) }
        } else if !member.is(TypeAliasDeclSyntax.self), !member.is(MacroExpansionDeclSyntax.self) {
            problems.report(.unsupportedRequirement, at: member)
        }
    }
}
