// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import Testing

@testable import StrataNative

struct RequestPlanTests {
    private func plan(
        _ method: HTTPMethod = .get, _ fields: HTTPFields = [:], body: RequestBody = .empty, decodes: Bool = true,
        _ configure: (inout RequestOptions) -> Void = { _ in }
    ) throws -> RequestPlan {
        var options = RequestOptions()
        configure(&options)
        return try RequestPlan(
            TransportRequest(method: method, url: "http://a.test/", headerFields: fields, body: body, options: options),
            decodesContent: decodes)
    }

    @Test func decodesWhatItHasAskedForAlone() throws {
        #expect(try plan().decodesContent)
        #expect(try !plan(decodes: false).decodesContent)
        #expect(try !plan(.head).decodesContent)
        #expect(try !plan(.get, [.acceptEncoding: "gzip"]).decodesContent)
        #expect(try !plan(.get, [.range: "bytes=0-9"]).decodesContent)
    }

    @Test(arguments: ["close", "Close", "x, close", " close ,y"]) func endsTheConnectionWhereThatIsSaid(_ value: String)
        throws
    {
        #expect(try plan(.get, [.connection: value]).closesConnection)
    }

    @Test(arguments: ["keep-alive", "closed", ""]) func keepsTheConnectionOtherwise(_ value: String) throws {
        #expect(try !plan(.get, [.connection: value]).closesConnection)
    }

    @Test func asksForConsentToABodyAlone() throws {
        let wants: (inout RequestOptions) -> Void = { $0.expectContinue = .seconds(2) }
        #expect(try plan(.post, body: .data(Data("x".utf8)), wants).consentLimit == 2_000_000_000)
        #expect(try plan(.post, body: .data(Data()), wants).consentLimit == nil)
        #expect(try plan(.get, [:], wants).consentLimit == nil)
        #expect(try plan(.post, [.expect: "100-Continue"], body: .data(Data("x".utf8))).consentLimit == 1_000_000_000)
        #expect(try plan(.post, body: .data(Data("x".utf8))).consentLimit == nil)
    }

    @Test func asksForAnotherProtocolOverHTTP2WhereThatHasWordsForIt() throws {
        let asks: (inout RequestOptions) -> Void = {
            ($0.upgrade, $0.httpVersion) = ("websocket", .http2PriorKnowledge)
        }
        #expect(try plan(.get, [:], asks).protocols == .http2)
        #expect(try plan(.get, body: .data(Data()), asks).protocols == .http2)
        for (method, body) in [(HTTPMethod.post, RequestBody.empty), (.get, .data(Data("x".utf8)))] {
            let error = #expect(throws: NetworkClientError.self) { try plan(method, body: body, asks) }
            #expect(error?.code == .unsupportedByTransport)
            #expect(try plan(method, body: body) { $0.upgrade = "websocket" }.protocols == .http1)
        }
    }

    @Test func refusesHTTP3() {
        let error = #expect(throws: NetworkClientError.self) { try plan { $0.httpVersion = .http3 } }
        #expect(error?.code == .unsupportedByTransport)
    }
}
