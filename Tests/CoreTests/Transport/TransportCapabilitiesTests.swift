// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataTesting
import Testing

struct TransportCapabilitiesTests {
    @Test func namesItsFeatures() {
        let features: TransportCapabilities.Features = [.streamingResponse, .brotli, .concurrentUpload]
        let capabilities = TransportCapabilities(name: "libcurl/8.5.0", features: features)
        #expect("\(capabilities)" == "libcurl/8.5.0: streamingResponse, brotli, concurrentUpload")
    }

    private static let all: TransportCapabilities.Features = [
        .httpVersionChoice, .http2PriorKnowledge, .http3, .invalidFieldSkipping, .interimResponses, .expectContinue,
        .requestProxies, .upgrades, .webSockets, .requestTrailers, .bodyOnAnyMethod, .streamingUpload,
    ]

    private func failure(
        _ missing: TransportCapabilities.Features, _ method: HTTPMethod = .post, _ body: RequestBody = .empty,
        url: String = "https://h/", _ options: (inout RequestOptions) -> Void = { _ in }
    ) async throws -> String? {
        struct Named: NetworkTransport {
            let capabilities: TransportCapabilities
            func send(_ request: TransportRequest) async throws -> TransportResponse {
                TransportResponse(head: HTTPResponse(status: .ok), body: ResponseBody(Data()))
            }
        }
        let capabilities = TransportCapabilities(name: "named", features: Self.all.subtracting(missing))
        let client = makeClient(ScriptedTransport()) { $0.transport = Named(capabilities: capabilities) }
        var request = try TransportRequest(method: method, url: url, body: body)
        options(&request.options)
        do { _ = try await client.execute(request) } catch let error as NetworkClientError {
            #expect(error.code == .unsupportedByTransport)
            return error.message
        }
        return nil
    }

    /// A request that needs more than there is fails, and says which transport has it.
    @Test func whatIsMissingIsNamed() async throws {
        let curl = "; CurlTransport (module StrataCurl) does"
        let native = "; NativeTransport (module StrataNative) does"
        let data = RequestBody.data(Data("x".utf8))
        let unknown = RequestBody.stream(isReplayable: true) { PiecesSource([Data("x".utf8)]) }
        let known = RequestBody.stream(length: 1, isReplayable: true) { PiecesSource([Data("x".utf8)]) }
        let trailed = RequestBody.stream(isReplayable: true, hasTrailers: true) { PiecesSource([]) }
        let none = "named does not support "
        #expect(try await failure(.httpVersionChoice) { $0.httpVersion = .http1 } == none + "HTTP/1.1 only" + curl)
        #expect(try await failure([]) { $0.httpVersion = .http1 } == nil)
        #expect(
            try await failure(.http2PriorKnowledge) { $0.httpVersion = .http2PriorKnowledge }
                == none + "HTTP/2 with prior knowledge" + curl)
        #expect(try await failure([]) { $0.httpVersion = .http2PriorKnowledge } == nil)
        #expect(
            try await failure(.http3) { $0.httpVersion = .http3 }
                == "named has no HTTP/3; CurlTransport has it where its libcurl was built with it")
        #expect(try await failure([]) { $0.httpVersion = .http3 } == nil)
        #expect(
            try await failure([], url: "http://h/") { $0.httpVersion = .http3 }
                == "HTTP/3 is for https alone, and the URL is not")
        #expect(
            try await failure(.invalidFieldSkipping) { $0.skipsInvalidFields = true }
                == none + "skipping invalid fields" + curl)
        #expect(try await failure([]) { $0.skipsInvalidFields = true } == nil)
        #expect(
            try await failure(.requestTrailers, .post, trailed) == none + "trailers behind a request's body" + native)
        #expect(try await failure(.bodyOnAnyMethod, .get, data) == none + "a body on GET" + curl)
        #expect(try await failure(.bodyOnAnyMethod, .head, data) == none + "a body on HEAD" + curl)
        #expect(try await failure(.bodyOnAnyMethod, .delete, data) == nil)
        #expect(try await failure(.bodyOnAnyMethod, .get) == nil)
        #expect(try await failure([], .get, data) == nil)
        #expect(try await failure(.streamingUpload, .post, unknown) == none + "a body of unknown length" + curl)
        #expect(try await failure(.streamingUpload, .post, known) == nil)
        #expect(try await failure(.streamingUpload, .post, data) == nil)
        #expect(try await failure([], .post, unknown) == nil)
        #expect(try await failure(Self.all) == nil)
    }

    @Test func eachFeatureHasItsName() {
        let names = [
            "streamingResponse", "streamingUpload", "backpressure", "bodyOnAnyMethod", "exactFields", "http2",
            "http2PriorKnowledge", "httpVersionChoice", "anyMethod", "connectTimeout", "contentDecoding", "brotli",
            "zstd", "proxies", "unixDomainSockets", "customTrust", "clientCertificates", "publicKeyPinning",
            "challengesDelivered", "concurrentUpload", "invalidFieldSkipping", "http3", "requestTrailers",
            "responseTrailers", "interimResponses", "expectContinue", "upgrades", "requestProxies", "webSockets",
        ]
        let all = TransportCapabilities.Features(rawValue: (1 << 29) - 1)
        #expect("\(all)" == names.joined(separator: ", "))
        #expect(
            "\(TransportCapabilities.Features.upgrades)" == "upgrades" && "\(TransportCapabilities.Features())".isEmpty)
    }
}
