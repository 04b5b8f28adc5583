// SPDX-License-Identifier: Apache-2.0

import SwiftDiagnostics
import Testing

@testable import StrataAPIExpansion

extension DiagnosticTests {
    // MARK: Path

    @Test func everyPlaceholderHasAParameter() {
        expectProblem(
            #"@GET("/users/{id}") func x() async throws"#, .unmatchedPlaceholder("id"), at: 14,
            fixed: #"@GET("/users/{id}") func x(id: String) async throws"#)
        expectProblem(
            #"@GET("/a/{b}/{b}") func x(sort: Int) async throws"#, .unmatchedPlaceholder("b"), at: 10,
            fixed: #"@GET("/a/{b}/{b}") func x(b: String, sort: Int) async throws"#)
    }

    @Test func aParameterThatOnlyDiffersInSpellingIsMeant() {
        expectProblem(
            #"@GET("/users/{user_id}") func x(userID: Int) async throws"#, .unmatchedPlaceholder("user_id"), at: 14,
            fixed: #"@GET("/users/{user_id}") func x(@Path("user_id") userID: Int) async throws"#)
        // Attributes cannot stand on the parameters of a requirement.
        expectProblem(
            in: "@API protocol A", #"@GET("/users/{user_id}") func x(userID: Int) async throws"#,
            .unmatchedPlaceholder("user_id"), at: 14,
            fixed: #"@GET("/users/{user_id}") func x(user_id: String, userID: Int) async throws"#)
    }

    @Test func aPlaceholderIsNotWrittenWithAColon() {
        expectProblem(
            #"@GET("/users/:id/x?a=:b") func x(id: Int, b: Int) async throws"#, .colonPlaceholder("id"), at: 6,
            fixed: #"@GET("/users/{id}/x?a=:b") func x(id: Int, b: Int) async throws"#)
        expectProblem(
            #"@POST("/users/:uid") func x(_ uid: Int) async throws"#, .colonPlaceholder("uid"), at: 7,
            fixed: #"@POST("/users/{uid}") func x(_ uid: Int) async throws"#)
        for function in [
            #"@GET("/a/:batch") func x(id: Int) async throws"#,
            #"@GET("/a/:id") func x(@Query id: Int) async throws"#,
            #"@GET("/a:id") func x(id: Int) async throws"#,
            #"@GET("/a/:id/{id}") func x(id: Int) async throws"#,
        ] {
            #expect(problems(function).isEmpty)
        }
    }

    @Test func noParameterIsOfferedWhoseNameIsTaken() {
        expectProblem(
            #"@GET("/users/{id}") func x(@Query id: Int) async throws"#, .unmatchedPlaceholder("id"), at: 14)
    }

    @Test func everyPathParameterHasAPlaceholder() {
        expectProblem(
            #"@GET("/users") func x(@Path("id") id: Int) async throws"#, .pathWithoutPlaceholder("id"), at: 23,
            fixed: #"@GET("/users") func x(id: Int) async throws"#)
        expectProblem(
            #"@GET("/users/{gid}") func x(@Path("id", encoded: true) id: Int) async throws"#,
            .pathWithoutPlaceholder("id"), at: 29,
            fixed: #"@GET("/users/{gid}") func x(@Path("gid", encoded: true) id: Int) async throws"#)
    }

    @Test func aPathIsAPlainLiteral() {
        expectProblem("@GET(path) func x() async throws", .pathNotLiteral, at: 6)
        expectProblem(#"@GET("/\(a)") func x() async throws"#, .pathNotLiteral, at: 6)
    }

    @Test func aPathIsWellFormed() {
        expectProblem(#"@GET("/a/{b") func x(b: Int) async throws"#, .unbalancedBrace, at: 10)
        expectProblem(#"@GET("/a/b}") func x() async throws"#, .unbalancedBrace, at: 11)
        expectProblem(#"@GET("/a/{}") func x() async throws"#, .badPlaceholder(""), at: 10)
        expectProblem(#"@GET("/a/{+b}") func x() async throws"#, .badPlaceholder("+b"), at: 10)
        expectProblem(
            #"@GET("/a b/ü") func x() async throws"#, .illegalPathCharacter(" "), at: 9,
            fixed: #"@GET("/a%20b/%C3%BC") func x() async throws"#)
        expectProblem(
            #"@GET("/a#top") func x() async throws"#, .fragmentInPath, at: 9,
            fixed: #"@GET("/a") func x() async throws"#)
    }

    @Test func aMethodIsAToken() {
        expectProblem(#"@HTTP(method: "A B", path: "/") func x() async throws"#, .methodNotToken, at: 15)
        expectProblem(#"@HTTP(method: verb, path: "/") func x() async throws"#, .methodNotToken, at: 15)
    }

    @Test func aTargetIsAPathOrAURL() {
        expectProblem("@GET func x() async throws", .missingPath, at: 1)
        expectProblem(
            #"@GET("/x") @URL func x(_ a: String) async throws"#, .pathBesideURL, at: 6,
            fixed: #"@GET("/x") func x(_ a: String) async throws"#)
        expectProblem("@GET @URL func x(a: String) async throws", .missingTarget, at: 1)
    }
}
