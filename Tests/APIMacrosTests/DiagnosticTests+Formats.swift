// SPDX-License-Identifier: Apache-2.0

import SwiftDiagnostics
import Testing

@testable import StrataAPIExpansion

extension DiagnosticTests {
    // MARK: Formats, fields, replies

    @Test(arguments: ["FormUrlEncoded", "Multipart"])
    func aFormatNeedsABody(format: String) {
        expectProblem(
            #"@\#(format) @GET("/x") func x(a: Int) async throws"#, .formatWithoutBody(format, "GET"), at: 1,
            fixed: #"@GET("/x") func x(a: Int) async throws"#)
        #expect(problems(#"@\#(format) @GET("/x") func x(@Field a: Int) async throws"#).isEmpty)
    }

    @Test(arguments: ["FormUrlEncoded(decoder: d)", "JSON(encoder: e, decoder: d)"])
    func theDecoderOfAFormatThatGoesStays(format: String) {
        expectProblem(
            #"@\#(format) @GET("/x") func x(a: Int) async throws -> User"#,
            .formatWithoutBody(String(format.prefix { $0 != "(" }), "GET"), at: 1,
            fixed: #"@JSON(decoder: d) @GET("/x") func x(a: Int) async throws -> User"#)
    }

    @Test func theClientsOwnErrorHasNoModel() {
        expectProblem(
            #"@ErrorModel(E.self) @GET("/x") func x() async throws(NetworkClientError)"#, .unusedErrorModel, at: 1,
            fixed: #"@GET("/x") func x() async throws(NetworkClientError)"#)
        #expect(problems(#"@ErrorModel(E.self) @GET("/x") func x() async throws(UsersError)"#).isEmpty)
    }

    @Test func besideSelfNoParameterHidesAMember() {
        expectProblem(
            #"@GET("/x") func x(`self`: Int, apiCall: Int) async throws"#, .hiddenMember("apiCall"), at: 32,
            fixed: #"@GET("/x") func x(`self`: Int, apiCall apiCall2: Int) async throws"#)
        expectProblem(
            in: "@API protocol A", #"@GET("/x") func x(_ `self`: Int, b onX: Int) async throws"#,
            .hiddenMember("onX"), at: 36,
            fixed: #"@GET("/x") func x(_ `self`: Int, b onX2: Int) async throws"#)
        for parameters in ["self a: Int, apiCall: Int", "`self`: Int, apiCall b: Int", "`self`: Int, onX: Int"] {
            #expect(problems(#"@GET("/x") func x(\#(parameters)) async throws"#).isEmpty)
        }
    }

    @Test func aBodyHasOneFormat() {
        expectProblem(
            #"@JSON @Multipart @PUT("/x") func x(a: Int) async throws"#, .twoFormats("JSON", "Multipart"), at: 7,
            fixed: #"@JSON @PUT("/x") func x(a: Int) async throws"#)
        expectProblem(
            source: "@API @JSON @Multipart struct A {}", .twoFormats("JSON", "Multipart"), at: 12,
            fixed: "@API @JSON struct A {}")
    }

    @Test func fixedFieldsMayGoOnTheWire() {
        expectProblem(#"@Headers(["a b": "c"]) @GET("/x") func x() async throws"#, .illegalFieldName("a b"), at: 11)
        for value in [#"c\r\nd: e"#, #"c\0"#, #"\u{1}c"#, #"c\u{7f}"#] {
            expectProblem(source: #"@API @Headers(["a": "\#(value)"]) struct A {}"#, .illegalFieldValue("a"), at: 21)
        }
        #expect(expand(#"@API @Headers(["a": "c\td ü"]) struct A {}"#).diagnostics.isEmpty)
        expectProblem(#"@GET("/x") func x(@Header("a:") b: Int) async throws"#, .illegalFieldName("a:"), at: 27)
    }

    @Test func elementsOfTuplesHaveLabels() {
        expectProblem(
            #"@GET("/x") func x() async throws -> (id: Int, String)"#, .unlabelledElement, at: 47,
            fixed: #"@GET("/x") func x() async throws -> (id: Int, value1: String)"#)
        expectProblem(
            #"@GET("/x") func x() async throws -> [(a: Int, b: (Int, d: Int))?]"#, .unlabelledElement, at: 51,
            fixed: #"@GET("/x") func x() async throws -> [(a: Int, b: (value0: Int, d: Int))?]"#)
    }

    @Test func aTableIsOfOneEndpoint() {
        expectProblem(source: "@API @EventStreaming(decoding: Update.events) struct A {}", .tableOfType, at: 6)
        #expect(
            problems(#"@EventStreaming(decoding: T.t) @GET("/x") func x() async throws -> APIStream<Update>"#).isEmpty)
    }

    /// Allowed, because some servers want it; the expansion is not held back.
    @Test func theContentOfAGetIsRemarkedOn() {
        let (source, diagnostics) = expand(#"@API struct A { @GET("/x") func x(@Body a: Int) async throws }"#)
        #expect(diagnostics.map(\.message) == [Rule.contentOfGet.message])
        #expect(diagnostics.map(\.diagMessage.severity) == [.remark])
        #expect(source.contains("call.body(.init(a))"))
        for method in ["POST", "DELETE", #"HTTP(method: "GET", path:"#] {
            let attribute = method.hasPrefix("HTTP") ? #"@HTTP(method: "GET", path: "/x")"# : "@\(method)(\"/x\")"
            #expect(problems("\(attribute) func x(@Body a: Int) async throws").isEmpty)
        }
    }

    @Test func anEnumIsReportedOnce() {
        for source in ["@API enum A {}", #"@API enum A { @GET("/x") func x() async throws }"#] {
            #expect(expand(source).diagnostics.map(\.message) == [Rule.unsupportedType.message])
        }
    }

    @Test func aStreamIsReturnedAsOne() {
        expectProblem(
            #"@EventStreaming @GET("/x") func x() async throws -> (a: Int, b: Int)"#, .streamExpected, at: 53,
            fixed: #"@GET("/x") func x() async throws -> (a: Int, b: Int)"#)
        expectProblem(
            #"@EventStreaming @GET("/x") func x() async throws"#, .streamExpected, at: 1,
            fixed: #"@GET("/x") func x() async throws"#)
    }

    @Test(arguments: ["[Int]", "Event?", "String", "Foundation.Data", "Int", "HTTPHeaders", "NetworkResponse<Event>"])
    func whatIsNoStreamIsNotReturnedAsOne(type: String) {
        expectProblem(
            #"@EventStreaming @GET("/x") func x() async throws -> \#(type)"#, .streamExpected, at: 53,
            fixed: #"@GET("/x") func x() async throws -> \#(type)"#)
        // It may be an alias.
        #expect(problems(#"@EventStreaming @GET("/x") func x() async throws -> Events"#).isEmpty)
    }

    @Test func elementsOfStreamsAndPublishersAreNoTuples() {
        expectProblem(
            #"@EventStreaming @GET("/x") func x() async throws -> AsyncThrowingStream<(a: Int, b: Int), any Error>"#,
            .misplacedTuple, at: 73)
        expectProblem(
            #"@EventStreaming @GET("/x") func x() async throws -> sending AsyncStream<[(a: Int, Int)]>"#,
            .misplacedTuple, at: 73)
        expectProblem(
            #"@GET("/x") func x() -> Combine.AnyPublisher<(a: Int, b: Int)?, any Error>"#, .misplacedTuple, at: 45)
        for type in ["AnyPublisher<(), any Error>", "AnyPublisher<Void, any Error>", "AnyPublisher<[Int], any Error>"] {
            #expect(problems(#"@GET("/x") func x() -> \#(type)"#).isEmpty)
        }
    }

    @Test func aTupleStandsWhereItCanBeRead() {
        expectProblem(#"@GET("/x") func x() async throws -> Page<[(a: Int, b: Int)]>"#, .misplacedTuple, at: 42)
        expectProblem(#"@GET("/x") func x() async throws -> Page<Set<(a: Int, b: Int)>>"#, .misplacedTuple, at: 46)
        expectProblem(
            #"@GET("/x") func x() async throws -> (a: Page<(b: Int, c: Int)>, d: Int)"#, .misplacedTuple, at: 46)
        expectProblem(#"@GET("/x") func x() async throws -> [Int: (a: Int, b: Int)]"#, .tupleKey, at: 38)
        expectProblem(
            #"@GET("/x") func x() async throws -> Dictionary<UUID, [(a: Int, b: Int)]>?"#, .tupleKey, at: 48)
        for type in ["[Swift.String: (a: Int, b: Int)]", "[Int: [Int]]", "Page<Void>", "Page<(Int) -> Int>"] {
            #expect(problems(#"@GET("/x") func x() async throws -> \#(type)"#).isEmpty)
        }
    }

    @Test func aReplyIsConcrete() {
        expectProblem(#"@GET("/x") func x() async throws -> some P"#, .opaqueReply, at: 37)
    }

    @Test(arguments: [
        "String", "[Int]", "Data", "(a: Int, b: Int)", "Foundation.Data", "Swift.Int", "AsyncStream<Event>",
        "NetworkResponse<[Event]>", "NetworkResponse<HTTPHeaders>",
    ])
    func aHeadHasNoBody(type: String) {
        expectProblem(
            #"@HEAD("/x") func x() async throws -> \#(type)"#, .headReply, at: 38,
            fixed: #"@HEAD("/x") func x() async throws -> HTTPHeaders"#)
        // What may be an alias, and what is there without a body.
        for type in [
            "Head", "HTTPFields", "NetworkResponse<Void>", "NetworkResponse<()>", "NetworkResponse<Event>",
            "NetworkResponse<Event?>", "StrataCore.NetworkResponse<Data>",
        ] {
            #expect(problems(#"@HEAD("/x") func x() async throws -> \#(type)"#).isEmpty)
        }
    }

    @Test func aKeyPathLeadsSomewhere() {
        expectProblem(#"@ResponseKeyPath("") @GET("/x") func x() async throws"#, .emptyKeyPath, at: 18)
    }
}
