// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataTesting
import TestSupport
import Testing

private let redirectTable = "redirect/redirect-table.json"

/// Case by case through a client.
@Suite(.vectors(redirectTable))
struct RedirectVectorTests {
    private struct Vector: Decodable {
        struct Expectation: Decodable {
            struct Hop: Decodable {
                let status: Int?
                let url: String?
                let headers_dropped: [String]?
                let headers_kept: [String]?
            }

            let follow: Bool?
            let method: String?
            let url: String?
            let url_any: [String]?
            let final_url: String?
            let response_url: String?
            let headers_kept: [String]?
            let headers_dropped: [String]?
            let body: String?
            let deliver_status: Int?
            let or_error: String?
            let error: String?
            let custom_secret_header: String?
            let authorization_any: [String?]?
            let never: String?
            let if_referer_sent: String?
            let third_request: Hop?
            let history: [Hop]?
            let max_redirects: Int?
            let requests_seen: Int?
            let chain: Bool?
        }

        let id: String
        let status: Int
        let method: String
        let from: String
        let locations: [String]
        let level: String?
        let request_headers: [[String]]
        let request_body: String?
        let response_headers: [[String]]?
        let response_body: String?
        let option: String?
        let expect: Expectation

        enum CodingKeys: String, CodingKey {
            case id, status, method, from, location, level, request_headers, request_body, response_headers,
                response_body, option, expect
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.decode(String.self, forKey: .id)
            status = try container.decode(Int.self, forKey: .status)
            method = try container.decode(String.self, forKey: .method)
            from = try container.decode(String.self, forKey: .from)
            if let list = try? container.decode([String].self, forKey: .location) {
                locations = list
            } else {
                locations = try container.decodeIfPresent(String.self, forKey: .location).map { [$0] } ?? []
            }
            level = try container.decodeIfPresent(String.self, forKey: .level)
            request_headers = try container.decodeIfPresent([[String]].self, forKey: .request_headers) ?? []
            request_body = try container.decodeIfPresent(String.self, forKey: .request_body)
            response_headers = try container.decodeIfPresent([[String]].self, forKey: .response_headers)
            response_body = try container.decodeIfPresent(String.self, forKey: .response_body)
            option = try container.decodeIfPresent(String.self, forKey: .option)
            expect = try container.decode(Expectation.self, forKey: .expect)
        }

        func request() throws -> TransportRequest {
            let method = try #require(HTTPMethod(method))
            var request = try TransportRequest(method: method, url: from)
            for pair in request_headers { try request.head.headerFields.addValue(pair[1], forName: pair[0]) }
            if let request_body { request.body = body(Data(request_body.utf8)) }
            // `Name: …`, what is to be configurable about it
            if let name = expect.custom_secret_header.flatMap({ HTTPField.Name(String($0.prefix { $0 != ":" })) }) {
                request.options.sensitiveFields = [name]
            }
            request.options.redirects.limit = expect.max_redirects ?? 20
            request.options.redirects.preservesPOST = option?.contains("keep method") == true
            request.options.redirects.allowsDowngrade = option?.contains("allowed") == true
            return request
        }

        /// One that can be sent once where the redirect is not followed: that may be the reason.
        private func body(_ bytes: Data) -> RequestBody {
            expect.follow == false ? .stream(isReplayable: false) { PiecesSource([bytes]) } : .data(bytes)
        }

        /// What one chain of redirects goes through: "hop1 https://…", or a target alone.
        var hops: [String] { locations.map { $0.split(separator: " ").last.map(String.init) ?? $0 } }

        /// How many redirects follow each other: "chain of 5 redirects".
        var chainLength: Int? {
            guard let words = locations.first, words.hasPrefix("chain of ") else { return nil }
            return words.split(separator: " ").lazy.compactMap { Int($0) }.first
        }

        var isChain: Bool { expect.chain == true || chainLength != nil }

        /// Whether a field can hold the locations at all: no transport hands up one with a line break.
        var isCarried: Bool { locations.allSatisfy(HTTPField.isValidValue) }

        func fields() throws -> HTTPFields {
            var fields = HTTPFields()
            for pair in response_headers ?? [] { try fields.addValue(pair[1], forName: pair[0]) }
            for location in locations { fields.append(HTTPField(name: .location, value: location)) }
            return fields
        }
    }

    private let vectors: [Vector]

    init() throws {
        vectors = try Vectors.cases(redirectTable)
    }

    private func single() -> [Vector] {
        vectors.filter { $0.expect.follow != nil && !$0.isChain }
    }

    /// Whether it is an error about a redirect that cannot be followed.
    private func endsRedirection(_ error: any Error) -> Bool {
        let codes: [NetworkClientError.Code] = [
            .invalidRedirect, .tooManyRedirects, .bodyNotReplayable, .protocolViolation, .malformedURL,
        ]
        return (error as? NetworkClientError).map { codes.contains($0.code) } ?? false
    }

    @Test func redirectsAreFollowedOrNot() async throws {
        for vector in single() where vector.isCarried {
            try await Vectors.judge(vector.id, vector.level) { try await judge(vector) }
        }
    }

    private func judge(_ vector: Vector) async throws {
        let body = PiecesSource([Data((vector.response_body ?? "moved").utf8)])
        let fields = try vector.fields()
        let transport = ScriptedTransport { request in
            request.number == 0 ? .source(status: vector.status, fields: fields) { body } : .status(200)
        }
        let expect = vector.expect
        let mayFail = expect.or_error != nil || expect.error != nil
        let request = try vector.request()
        do {
            let response = try await makeClient(transport).execute(request)
            if expect.follow == true {
                #expect(response.head.status == .ok, "\(vector.id)")
                // Else the connection could not be used again. To HEAD there is no body.
                #expect(body.remaining == 0 || vector.method == "HEAD", "\(vector.id)")
                checkURLs(of: response, vector)
            } else {
                #expect(expect.error == nil, "\(vector.id)")
                #expect(response.head.status.code == expect.deliver_status ?? vector.status, "\(vector.id)")
            }
        } catch {
            #expect(mayFail && endsRedirection(error), "\(vector.id): \(error)")
            if mayFail, expect.follow == true { return }
        }
        if expect.follow == true {
            let second = try #require(transport.requests.dropFirst().first, "\(vector.id)")
            #expect(transport.requests.count == 2, "\(vector.id)")
            check(second, vector)
        } else {
            #expect(transport.requests.count == 1, "\(vector.id)")
        }
    }

    /// `HTTPField` makes such a value harmless before anybody sees it.
    @Test func whatAFieldCannotHoldInjectsNothing() async throws {
        for vector in single() where !vector.isCarried {
            let transport = ScriptedTransport(.status(vector.status, fields: try vector.fields()), .status(200))
            let request = try vector.request()
            _ = try? await makeClient(transport).execute(request)
            #expect(!transport.requests.isEmpty, "\(vector.id)")
            for request in transport.requests {
                #expect(request.url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }, "\(vector.id)")
            }
        }
    }

    private func check(_ second: RecordedRequest, _ vector: Vector) {
        let expect = vector.expect
        if let method = expect.method { #expect(second.method.rawValue == method, "\(vector.id)") }
        if let urls = expect.url_any { #expect(urls.contains(second.url), "\(vector.id): \(second.url)") }
        if let url = expect.url { #expect(canonical(second.url) == canonical(url), "\(vector.id): \(second.url)") }
        if expect.headers_kept != nil {
            #expect(second.hasBody == (expect.body != nil), "\(vector.id)")
            #expect(second.text == expect.body ?? "", "\(vector.id)")
        }
        let sent = Dictionary(vector.request_headers.map { ($0[0].lowercased(), $0[1]) }) { $1 }
        for name in expect.headers_kept ?? [] {
            // Content-Length is the transport's to set.
            guard let value = sent[name.lowercased()] else { continue }
            #expect(second[name] == value, "\(vector.id): \(name)")
        }
        for name in expect.headers_dropped ?? [] { #expect(second[name] == nil, "\(vector.id): \(name)") }
        if let secret = expect.custom_secret_header {
            let name = String(secret.prefix { $0 != ":" })
            let isDropped = expect.headers_dropped?.contains("Authorization") == true
            #expect((second[name] == nil) == isDropped, "\(vector.id): \(name)")
        }
        if let fields = expect.authorization_any { #expect(fields.contains(second["authorization"]), "\(vector.id)") }
        if let never = expect.never { #expect(second["authorization"] != never, "\(vector.id)") }
        if let referer = expect.if_referer_sent { #expect(second["referer"] ?? referer == referer, "\(vector.id)") }
        if sent["cookie"] == nil { #expect(second["cookie"] == nil, "\(vector.id)") }
    }

    private func checkURLs(of response: TransportResponse, _ vector: Vector) {
        if let url = vector.expect.response_url { #expect(response.url == url, "\(vector.id)") }
        // Fragments stay with the caller.
        if let url = vector.expect.final_url {
            #expect(response.url == String(url.prefix { $0 != "#" }), "\(vector.id)")
        }
        for (attempt, hop) in zip(response.exchange.attempts, vector.expect.history ?? []) {
            #expect(attempt.status?.code == hop.status && attempt.url == hop.url, "\(vector.id)")
        }
    }

    /// Without the default port, which need not be sent.
    private func canonical(_ url: String) -> String {
        (try? TransportRequest(url: url).url) ?? url
    }

    @Test func chainsEndAtTheLimit() async throws {
        for vector in vectors {
            guard let length = vector.chainLength else { continue }
            let transport = ScriptedTransport { request in
                request.number < length ? .redirect(vector.status, to: "/\(request.number + 1)") : .status(200)
            }
            let request = try vector.request()
            if vector.expect.error == nil {
                #expect(try await makeClient(transport).execute(request).head.status == .ok, "\(vector.id)")
                #expect(transport.requests.count == length + 1, "\(vector.id)")
            } else {
                await #expect("\(vector.id)") {
                    _ = try await makeClient(transport).execute(request)
                } throws: {
                    isFailure($0, .tooManyRedirects)
                }
                if let seen = vector.expect.requests_seen { #expect(transport.requests.count == seen, "\(vector.id)") }
            }
        }
    }

    /// Several locations are those of several redirects, round and round.
    private func isLoop(_ vector: Vector) -> Bool {
        vector.expect.error != nil && vector.expect.follow == nil && vector.chainLength == nil
    }

    @Test func loopsEndWithAnError() async throws {
        for vector in vectors.filter(isLoop) {
            let fields = try vector.fields()
            let hops = vector.hops
            let transport = ScriptedTransport { request in
                hops.count < 2
                    ? .status(vector.status, fields: fields)
                    : .redirect(vector.status, to: hops[request.number % hops.count])
            }
            let request = try vector.request()
            await #expect("\(vector.id)") {
                _ = try await makeClient(transport).execute(request)
            } throws: {
                endsRedirection($0)
            }
        }
    }

    private func isLongChain(_ vector: Vector) -> Bool {
        vector.isChain && vector.chainLength == nil && vector.expect.error == nil
    }

    @Test func whatWasDroppedStaysDropped() async throws {
        for vector in vectors.filter(isLongChain) {
            try await Vectors.judge(vector.id, vector.level) {
                let replies = vector.hops.map { ScriptedReply.redirect(vector.status, to: $0) }
                let transport = ScriptedTransport(replies + [.status(200)])
                _ = try await makeClient(transport).execute(try vector.request())
                guard let hop = vector.expect.third_request else { return }
                let third = try #require(transport.requests.dropFirst(2).first, "\(vector.id)")
                for name in hop.headers_dropped ?? [] { #expect(third[name] == nil, "\(vector.id): \(name)") }
                for name in hop.headers_kept ?? [] { #expect(third[name] != nil, "\(vector.id): \(name)") }
                if let url = hop.url { #expect(canonical(third.url) == canonical(url), "\(vector.id)") }
            }
        }
    }

    @Test func whatNobodyLooksAtIsNamed() {
        let unseen = vectors.filter {
            $0.expect.follow == nil && $0.chainLength == nil && !isLoop($0) && !isLongChain($0)
        }
        Vectors.passOver(unseen.map(\.id), of: redirectTable)
    }
}
