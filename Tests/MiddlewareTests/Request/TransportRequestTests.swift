// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import Testing

@testable import StrataMiddleware

/// The changes that layers make to a request.
struct TransportRequestTests {
    private func request(_ path: String?) throws -> TransportRequest {
        var request = try TransportRequest(url: "https://a.example/")
        request.head.path = path
        return request
    }

    @Test(
        arguments: [
            (nil, []), ("/", []), ("/x?", []), ("/x?a", ["a"]), ("/x?a=1&b=2", ["a", "b"]), ("/x?a=1&a=2", ["a"]),
            ("/x?&a=1&&b", ["a", "b"]), ("/x?a%20b=1", ["a b"]), ("/x?a%2Bb=1", ["a+b"]), ("/x?a=b?c=d", ["a"]),
            ("/?=1", [""]),
        ] as [(String?, [String])])
    func theNamesInAQueryAreDecoded(_ path: String?, _ names: [String]) throws {
        #expect(try request(path).queryItemNames == Set(names.map { ExactText($0) }))
    }

    @Test(
        arguments: [
            (nil, "/?k=v"), ("/", "/?k=v"), ("/x", "/x?k=v"), ("/x?", "/x?k=v"), ("/x?a", "/x?a&k=v"),
            ("/x?a=1&", "/x?a=1&k=v"), ("/x&", "/x&?k=v"),
        ] as [(String?, String)])
    func anItemIsAppended(_ path: String?, _ expected: String) throws {
        var request = try request(path)
        request.addQueryItem("k", "v")
        #expect(request.head.path == expected)
    }

    @Test func anItemIsEncodedOnce() throws {
        var request = try request("/x")
        request.addQueryItem("a b&", "c=d%20é")
        #expect(request.head.path == "/x?a%20b%26=c%3Dd%2520%C3%A9")
    }

    @Test(
        arguments: [
            (nil, nil), ("/", "/"), ("/x?a=1", "/x?a=1"), ("/x?k=1", "/x"), ("/x?k", "/x"), ("/x?a=1&k=2", "/x?a=1"),
            ("/x?k=1&a=1&k=2&b", "/x?a=1&b"), ("/x?%6B=1&a", "/x?a"), ("/x?K=1", "/x?K=1"), ("/x?kk=1", "/x?kk=1"),
            ("/k?a=k", "/k?a=k"),
        ] as [(String?, String?)])
    func allItemsOfANameAreRemoved(_ path: String?, _ expected: String?) throws {
        var request = try request(path)
        request.removeQueryItems(named: "k")
        #expect(request.head.path == expected)
    }

    @Test func aFieldIsSetOrKept() throws {
        var request = try request("/")
        request.head.headerFields[.accept] = "a/b"
        #expect(try request.setting(.accept, to: "c/d").head.headerFields[.accept] == "c/d")
        #expect(try request.setting(.accept, to: "c/d", replacing: false).head.headerFields[.accept] == "a/b")
        #expect(try request.setting(.userAgent, to: "x", replacing: false).head.headerFields[.userAgent] == "x")
    }

    @Test func aFieldMayHaveBytesThatAreNoText() throws {
        var request = try request("/")
        request.head.headerFields.append(HTTPField(name: .authorization, value: "old"))
        request.head.headerFields.append(HTTPField(name: .authorization, value: "older"))
        let value = Array("Digest username=\"".utf8) + [0xE9, 0x22]
        let fields = try request.setting(.authorization, to: value).head.headerFields
        #expect(fields[fields: .authorization].map { $0.withUnsafeBytesOfValue { Array($0) } } == [value])
        for control: UInt8 in [0x00, 0x0A, 0x0D] {
            let error = #expect(throws: NetworkClientError.self) {
                try request.setting(.authorization, to: [0x61, control, 0x62])
            }
            #expect(error?.code == .invalidRequest)
        }
    }

    @Test func aRequestWithoutACallBeginsOne() throws {
        var request = try request("/")
        request.options.timeouts.deadline = .seconds(60)
        let remaining = try #require(request.callOrNew.remaining)
        #expect(remaining > .zero && remaining <= .seconds(60))
        request.options.timeouts.deadline = nil
        #expect(request.callOrNew.remaining == nil)
    }
}
