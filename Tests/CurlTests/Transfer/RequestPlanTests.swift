// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataTesting
import Testing

@testable import StrataCurl

struct RequestPlanTests {
    private func plan(
        _ method: HTTPRequest.Method, _ fields: HTTPFields = [:], body: RequestBody = .empty, decodes: Bool = true
    ) throws -> RequestPlan {
        try RequestPlan(
            TransportRequest(method: method, url: "http://example.com/", headerFields: fields, body: body),
            decodesContent: decodes)
    }

    private func length(_ plan: RequestPlan) -> Int64? {
        switch plan.sending {
        case .nothing: nil
        case .bytes(let data): Int64(data.count)
        case .stream(let length): length ?? -1
        }
    }

    @Test(arguments: [
        (HTTPRequest.Method.get, nil), (.delete, nil), (.head, nil), (.post, Int64(0)), (.put, 0), (.patch, 0),
    ])
    func sendsALengthOfZeroWhereAMethodExpectsABody(_ method: HTTPRequest.Method, _ expected: Int64?) throws {
        #expect(length(try plan(method)) == expected)
    }

    @Test func sendsWhatIsKnownByLengthAndTheRestInChunks() throws {
        #expect(length(try plan(.post, body: .data(Data("abc".utf8)))) == 3)
        let stream = AsyncStream<Data> { $0.finish() }
        #expect(length(try plan(.post, body: .stream(length: 7, from: stream))) == 7)
        #expect(length(try plan(.post, body: .stream(from: stream))) == -1)
        #expect(length(try plan(.get, body: .data(Data("{}".utf8)))) == 2)
    }

    @Test func refusesABodyWithHEAD() {
        #expect { try plan(.head, body: .data(Data("x".utf8))) } throws: {
            ($0 as? NetworkClientError)?.code == .unsupportedByTransport
        }
    }

    @Test func keepsLibcurlsOwnFieldsAway() throws {
        #expect(try plan(.get).extraLines == [.noAccept, .acceptEncoding])
        #expect(try plan(.post).extraLines == [.noAccept, .noContentType, .noExpect, .acceptEncoding])
        let fields: HTTPFields = [.accept: "a/b", .contentType: "c/d", .expect: "100-continue", .acceptEncoding: "br"]
        #expect(try plan(.post, fields).extraLines.isEmpty)
    }

    @Test(
        arguments: [UInt32(0x07_51_00), 0x07_58_01, 0x08_00_01, 0x08_09_01, 0x08_0A_00, 0x08_0E_00],
        [RequestBody.empty, .data(Data()), .data(Data([7])), .stream(from: AsyncStream { $0.finish() })])
    func keepsAnOldLibcurlFromConfusingStreams(_ number: UInt32, _ body: RequestBody) throws {
        var libcurl = CurlVersion.current
        libcurl.number = number
        let isOld = number < 0x08_0A_00
        for scheme in ["http", "https"] {
            for version in [HTTPVersionPolicy.automatic, .http1, .http2PriorKnowledge] {
                var options = RequestOptions()
                options.httpVersion = version
                let plan = try RequestPlan(
                    TransportRequest(method: .put, url: "\(scheme)://example.com/", body: body, options: options),
                    decodesContent: true, libcurl: libcurl)
                let isKept = isOld && body.length != 0 && version == .automatic
                #expect(plan.version == (isKept ? .http1 : version))
                let speaksHTTP2 = scheme == "https" ? version != .http1 : version == .http2PriorKnowledge
                #expect(plan.mayShareConnection == (speaksHTTP2 && !isOld && libcurl.hasHTTP2))
            }
        }
    }

    @Test(arguments: [("close", true), ("keep-alive,\tClose", true), ("closed", false), ("keep-alive", false)])
    func knowsTheLastRequestOfAConnection(_ value: String, _ expected: Bool) throws {
        #expect(try plan(.get, [.connection: value]).closesConnection == expected)
        #expect(try !plan(.get).closesConnection)
    }

    @Test func asksForCodingsUnlessTheBodyIsWantedAsItIs() throws {
        #expect(try plan(.get).decodesContent)
        #expect(try !plan(.get, decodes: false).decodesContent)
        #expect(try !plan(.get, [.acceptEncoding: "gzip"]).decodesContent)
        #expect(try !plan(.get, [.range: "bytes=0-9"]).decodesContent)
        #expect(try !plan(.head).decodesContent)
    }

    @Test(arguments: [(HTTPRequest.Method.get, true), (.put, true), (.delete, true), (.post, false), (.patch, false)])
    func repeatsIdempotentMethodsAlone(_ method: HTTPRequest.Method, _ isReplayable: Bool) throws {
        #expect(try plan(method).isIdempotent == isReplayable)
    }

    @Test func repeatsNoStreamThatComesOnce() throws {
        let stream = AsyncStream<Data> { $0.finish() }
        #expect(try !plan(.put, body: .stream(from: stream)).isReplayable)
    }

    // MARK: Interaction

    private func plan(
        _ body: RequestBody, _ options: (inout RequestOptions) -> Void
    ) throws -> RequestPlan {
        var request = try TransportRequest(method: .post, url: "http://example.com/", body: body)
        options(&request.options)
        return try RequestPlan(request, decodesContent: true)
    }

    @Test func waitsForConsentOverHTTP1() throws {
        let plan = try plan(.data(Data("abc".utf8))) { $0.expectContinue = .seconds(2) }
        #expect(plan.expectsContinue)
        #expect(plan.continueWait == .seconds(2))
        #expect(plan.extraLines.contains(.expectContinue) && !plan.extraLines.contains(.noExpect))
        #expect(plan.version == .http1)
    }

    @Test(arguments: [RequestBody.empty, .data(Data())]) func hasNothingToHoldBackWithoutABody(_ body: RequestBody)
        throws
    {
        let plan = try plan(body) { $0.expectContinue = .seconds(2) }
        #expect(!plan.expectsContinue && plan.continueWait == nil && plan.version == .automatic)
    }

    @Test func refusesTrailersOfRequests() {
        let body = RequestBody.stream(isReplayable: true, hasTrailers: true) { PiecesSource([]) }
        #expect { try plan(body) { _ in } } throws: { ($0 as? NetworkClientError)?.code == .unsupportedByTransport }
    }

    @Test(arguments: [HTTPVersionPolicy.http2PriorKnowledge, .http3])
    func refusesToWaitInOtherVersions(_ version: HTTPVersionPolicy) {
        #expect {
            try plan(.data(Data("abc".utf8))) {
                $0.httpVersion = version
                $0.expectContinue = .seconds(1)
            }
        } throws: { ($0 as? NetworkClientError)?.code == .unsupportedByTransport }
    }

    @Test func refusesToSwitchProtocols() {
        #expect {
            try plan(.empty) { $0.upgrade = "echo" }
        } throws: { ($0 as? NetworkClientError)?.code == .unsupportedByTransport }
    }
}
