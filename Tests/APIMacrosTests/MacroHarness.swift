// SPDX-License-Identifier: Apache-2.0

import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@testable import StrataAPIExpansion

/// Every macro of the plug-in by the name that stands in the source.
let macroSpecs: [String: MacroSpec] = {
    let endpoints = Endpoint.methods.union(["HTTP"])
    let markers = [
        "Headers", "JSON", "FormUrlEncoded", "Multipart", "EventStreaming", "ResponseKeyPath", "ErrorModel", "Timeout",
        "Retry", "Tag", "Options", "URL",
    ]
    var specs: [String: MacroSpec] = ["API": MacroSpec(type: APIMacro.self)]
    for name in endpoints { specs[name] = MacroSpec(type: EndpointMacro.self) }
    for name in markers { specs[name] = MacroSpec(type: MarkerMacro.self) }
    return specs
}()

/// What a source becomes, and what is reported about it.
func expand(_ source: String, only names: Set<String>? = nil) -> (source: String, diagnostics: [Diagnostic]) {
    let file = Parser.parse(source: source)
    let context = BasicMacroExpansionContext(
        sourceFiles: [file: .init(moduleName: "TestModule", fullFilePath: "test.swift")])
    let specs = macroSpecs.filter { names?.contains($0.key) ?? true }
    let expanded = file.expand(
        macroSpecs: specs,
        contextGenerator: {
            BasicMacroExpansionContext(sharingWith: context, lexicalContext: $0.allMacroLexicalContexts())
        },
        indentationWidth: .spaces(4))
    return (expanded.description, context.diagnostics)
}

/// The body that an endpoint gets, in a struct with `@API` unless the source brings a type.
func expectBody(
    _ function: String, _ expected: String, type: String = "@API struct UsersAPI",
    sourceLocation: Testing.SourceLocation = #_sourceLocation
) {
    let (source, diagnostics) = expand("\(type) {\n\(function)\n}", only: Set(macroSpecs.keys).subtracting(["API"]))
    #expect(diagnostics.isEmpty, "\(diagnostics.map(\.message))", sourceLocation: sourceLocation)
    let body = source.split(separator: "\n", omittingEmptySubsequences: false)
        .drop { !$0.hasSuffix("{") || $0.hasPrefix(type.prefix(8)) }.dropFirst().dropLast(2)
    let text = body.map { $0.drop { $0 == " " } }.joined(separator: "\n")
    let wanted = expected.split(separator: "\n").map { $0.drop { $0 == " " } }.joined(separator: "\n")
    #expect(text == wanted, sourceLocation: sourceLocation)
}

/// What is reported about a type with the member.
func problems(in type: String = "@API struct A", _ member: String) -> [Diagnostic] {
    expand("\(type) {\n\(member)\n}").diagnostics
}

/// One problem of a type with the member, where it stands, and the member after its fix-it; that one has none left.
///
/// - Parameter line: counted from the member's first.
func expectProblem(
    in type: String = "@API struct A", _ member: String, _ rule: Rule, at column: Int, line: Int = 1,
    fixed: String? = nil, leaves: Int = 0, sourceLocation: Testing.SourceLocation = #_sourceLocation
) {
    func whole(_ member: String) -> String { "\(type) {\n\(member)\n}" }
    expectProblem(
        source: whole(member), rule, at: column, line: line + 1, fixed: fixed.map(whole), leaves: leaves,
        sourceLocation: sourceLocation)
}

/// The same of a whole source.
func expectProblem(
    source: String, _ rule: Rule, at column: Int, line: Int = 1, fixed: String? = nil, leaves: Int = 0,
    sourceLocation: Testing.SourceLocation = #_sourceLocation
) {
    let (expanded, diagnostics) = expand(source)
    let fixIts = diagnostics.flatMap(\.fixIts).map { FixItSpec(message: $0.message.message) }
    assertMacroExpansion(
        source, expandedSource: expanded,
        diagnostics: [
            DiagnosticSpec(
                message: rule.message, line: line, column: column, severity: rule.severity, fixIts: fixIts)
        ],
        macroSpecs: macroSpecs, fixedSource: fixed,
        failureHandler: { Issue.record(Comment(rawValue: $0.message), sourceLocation: sourceLocation) })
    #expect((fixed != nil) == !fixIts.isEmpty, "a fix-it that is not tested", sourceLocation: sourceLocation)
    guard let fixed else { return }
    let left = expand(fixed).diagnostics
    #expect(left.count == leaves, "after the fix-it: \(left.map(\.message))", sourceLocation: sourceLocation)
}
