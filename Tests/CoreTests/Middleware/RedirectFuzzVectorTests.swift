// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import TestSupport
import Testing

private let fuzzed = "redirect/redirect-location-fuzz.json"

/// `Location` fields that no server should send. What must hold for any of them is judged always, what a case says of its own
/// where it says it.
struct RedirectFuzzVectorTests {
    private static let base = "https://a.example/dir/page?q=1"

    @Test(.vectors(fuzzed)) func whateverALocationSaysTheNextRequestIsSound() async throws {
        let cases = try JSONValue(parsing: Vectors.data(fuzzed))
        let lists = cases.object?.values.compactMap(\.array) ?? [cases.array ?? []]
        #expect(lists.contains { !$0.isEmpty })
        for vector in lists.joined() { try await judge(FuzzCase(vector)) }
    }

    /// The same for locations made here: pieces of URLs in any order, with bytes that are none of a URL.
    @Test func soIsItForAnyMixtureOfPieces() async throws {
        let pieces = [
            "http:", "https:", "HTTP://", "file:", "javascript:", "//", "/", "\\", "\\\\", "..", "%2e%2e", ".", "?",
            "#", "@",
            "b.example", "a.example", "[::1]", "[", "]", ":", "443", "99999", "user:pw", "%", "%00", "%0d%0a", " ",
            "\t", "é",
            "\u{301}", "。", "xn--", "\u{fffd}", "x", "",
        ]
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<3000 {
            let location = (0..<Int.random(in: 0...6, using: &generator))
                .compactMap { _ in pieces.randomElement(using: &generator) }.joined()
            try await judge(FuzzCase(.string(location)))
        }
    }

    private func judge(_ vector: FuzzCase) async throws {
        guard !vector.locations.isEmpty else { return }
        var fields = HTTPFields()
        for location in vector.locations { fields.append(HTTPField(name: .location, value: location)) }
        let transport = ScriptedTransport(.status(vector.status, fields: fields), .status(200))
        var request = try TransportRequest(url: vector.base ?? Self.base)
        request.head.headerFields[.authorization] = "Bearer s3cret"
        let response = try? await makeClient(transport).execute(request)
        let requests = transport.requests
        #expect(requests.count == 1 || requests.count == 2, "\(vector.id)")
        guard requests.count == 2 else {
            #expect(vector.isRefused != false || response?.head.status.code == vector.status, "\(vector.id)")
            return
        }
        checkSoundness(requests[1], after: request, vector)
        #expect(vector.isRefused != true, "\(vector.id): \(requests[1].url)")
        if let url = vector.url {
            #expect(canonical(requests[1].url) == canonical(url), "\(vector.id): \(requests[1].url)")
        }
        if let host = vector.host { #expect(host == URLReference(requests[1].url).authority, "\(vector.id)") }
    }

    private func checkSoundness(_ next: RecordedRequest, after first: TransportRequest, _ vector: FuzzCase) {
        #expect(next.url.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "\\") }, "\(vector.id)")
        let url = URLReference(next.url)
        #expect(url.scheme == "https" || (url.scheme == "http" && first.origin?.scheme == "http"), "\(vector.id)")
        #expect(url.authority?.isEmpty == false && url.authority?.contains("@") == false, "\(vector.id): \(next.url)")
        #expect(url.fragment == nil && url.path.hasPrefix("/"), "\(vector.id): \(next.url)")
        #expect((try? RequestURL(next.url))?.text == next.url, "\(vector.id): \(next.url) is not canonical")
        let isHome = Origin(scheme: url.scheme, authority: url.authority) == first.origin
        #expect((next["authorization"] == "Bearer s3cret") == isHome, "\(vector.id): \(next.url)")
    }

    /// Without a fragment, which stays with the client.
    private func canonical(_ url: String) -> String { (try? RequestURL(url))?.text ?? url }
}

/// A location, alone or with what is known of it, under the names that the other files use.
private struct FuzzCase {
    let id: String
    let status: Int
    let base: String?
    let locations: [String]
    /// Whether it leads nowhere; `nil` when that is not said.
    let isRefused: Bool?
    let url: String?
    let host: String?

    init(_ vector: JSONValue) {
        let expected = vector["expect"] ?? vector["expected"] ?? vector
        let location = vector["location"] ?? vector["value"] ?? vector["input"] ?? vector
        locations = location.array?.compactMap(\.string) ?? location.string.map { [$0] } ?? []
        id = vector["id"]?.string ?? locations.joined(separator: ", ").debugDescription
        status = vector["status"]?.int ?? 302
        base = (vector["from"] ?? vector["base"])?.string
        let text = vector["location"] == nil ? nil : expected.string
        url = text.flatMap { $0.contains("://") ? $0 : nil } ?? (expected["url"] ?? expected["href"])?.string
        host = url == nil ? expected["host"]?.string?.lowercased() : nil
        let isFailure = expected["failure"]?.bool ?? expected["follow"]?.bool.map { !$0 }
        isRefused = isFailure ?? (text == "error" || expected["error"]?.string != nil ? true : url.map { _ in false })
    }
}
