// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding
import StrataTesting
import Testing

struct RequestPathTests {
    private func sent(_ path: RequestPath) async throws -> String {
        let transport = ScriptedTransport()
        let client = NetworkClient(
            configuration: NetworkConfiguration(baseURL: URL(string: "https://h/v1"), transport: transport))
        _ = try await client.run(NetworkRequest<VoidRequest, VoidResponse>(path: path, method: .get))
        return transport.requests[0].url
    }

    private func failure(_ path: RequestPath) async -> NetworkClientError? {
        let transport = ScriptedTransport()
        let client = NetworkClient(
            configuration: NetworkConfiguration(baseURL: URL(string: "https://h/v1"), transport: transport))
        let error = await #expect(throws: NetworkClientError.self) {
            try await client.run(NetworkRequest<VoidRequest, VoidResponse>(path: path, method: .delete))
        }
        #expect(transport.requests.isEmpty)
        #expect(error?.exchange?.attempts.isEmpty == true)
        return error
    }

    /// Whatever a value is, it stays one segment, and comes out as it went in.
    @Test(arguments: [
        "a", "a/b", "../x", "..%2f", "%2e%2e", "a?b=c&d", "a#b", "ä ö", "%", "100%", "http://evil.example", "a\\b",
        "\u{301}",
        "a\r\nHost: x", " ", "...", ".a", "+", ";v=1", "\0",
    ])
    func aValueIsOneSegment(_ value: String) async throws {
        let url = try await sent("users/\(value)/posts")
        let segments = url.split(separator: "/", omittingEmptySubsequences: false)
        #expect(segments.count == 7)
        #expect(String(segments[5]).removingPercentEncoding == value)
        #expect(url.hasPrefix("https://h/v1/users/") && url.hasSuffix("/posts"))
    }

    @Test(arguments: [("", "is empty"), (".", "'.' or '..'"), ("..", "'.' or '..'"), ("%2E", "'.' or '..'")])
    func aValueThatNamesAnotherResourceFails(_ value: String, _ reason: String) async throws {
        if value == "%2E" {
            // Encoded, the value is the text "%2E", which no server takes for a dot.
            #expect(try await sent("users/\(value)") == "https://h/v1/users/%252E")
            return
        }
        for path: RequestPath in [
            "users/\(value)", "users/\(value)/posts", "\(value)/posts", "/\(value)", "a/\(value)?q=1",
        ] {
            let error = await failure(path)
            #expect(error?.code == .malformedURL)
            #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
        }
    }

    @Test func missingValuesFail() async {
        let (text, number, part) = (String?.none, Int?.none, Substring?.none)
        for path: RequestPath in ["users/\(text)", "users/\(number)", "users/\(part)", "users?page=\(number)"] {
            #expect(await failure(path)?.code == .malformedURL)
        }
        let error = await failure("users/\(1)/posts/\(text)?token=s3cret")
        #expect(error?.message == "value 2 of the path \"users/{}/posts/{}\" is nil")
    }

    @Test func dotsOfValuesAndTextsTogetherFail() async {
        for (first, second) in [(".", ""), ("", "."), (".", ".")] {
            let code = await failure("a/\(first)\(second)/b")?.code
            #expect(code == .malformedURL)
        }
        let dot = "."
        #expect(await failure("a/.\(dot)/b")?.code == .malformedURL)
        #expect(await failure("a/%2e\(dot)/b")?.code == .malformedURL)
    }

    @Test func aQueryIsTypedAsItIs() async throws {
        let (word, none) = ("a&b=c/..", "")
        #expect(try await sent("search?q=\(word)&x=\(none)&y=1") == "https://h/v1/search?q=a%26b%3Dc%2F..&x=&y=1")
    }

    @Test func aFragmentIsNotSent() async throws {
        #expect(try await sent("posts/1#comments") == "https://h/v1/posts/1")
        #expect(try await sent("posts?q=1#\(2)") == "https://h/v1/posts?q=1")
        #expect(try await sent(RequestPath(raw: "posts#a?b")) == "https://h/v1/posts")
    }

    @Test func whatIsEncodedAlreadyStaysAsItIs() async throws {
        let key = "2026/11/a%2Fb.txt"
        #expect(try await sent("files/\(raw: key)") == "https://h/v1/files/2026/11/a%2Fb.txt")
        #expect(try await sent("files/\(raw: "../x")") == "https://h/v1/x")
        #expect(try await sent("a%2Fb/ä") == "https://h/v1/a%2Fb/%C3%A4")
    }

    @Test func aCompleteURLStandsForItself() async throws {
        let (host, id) = ("other.example", 7)
        #expect(try await sent("https://other.example/a/\(id)") == "https://other.example/a/7")
        #expect(try await sent("https://\(host)/a") == "https://other.example/a")
        let moved = "other.example/x"
        #expect(await failure("https://\(moved)/a")?.code == .malformedURL)
        let url = "https://other.example"
        #expect(try await sent("\(url)") == "https://h/v1/https%3A%2F%2Fother.example")
        #expect(try await sent(RequestPath(raw: url)) == "https://other.example/")
    }

    @Test func aStringIsTextOfAURL() throws {
        let text = "users/a b/../c#d"
        let client = NetworkClient(
            configuration: NetworkConfiguration(baseURL: URL(string: "https://h"), transport: ScriptedTransport()))
        let request = try client.makeTransportRequest(
            NetworkRequest<VoidRequest, VoidResponse>(path: text, method: .get))
        #expect(request.url == "https://h/users/c%23d")
    }

    @Test func valuesStayOutOfMessagesAndDescriptions() async {
        let (secret, none) = (Leak.mark, "")
        let error = await failure("a/\(secret)/\(none)?key=\(secret)")
        #expect(error.map { !"\($0)".contains(Leak.mark) } == true)
        let path: RequestPath = "a?key=\(secret)"
        #expect("\(path)" == "a")
        #expect(!String(reflecting: path).contains(Leak.mark))
    }

    @Test func isTheSameWhenItsTextAndItsOutcomeAre() {
        let (one, none) = (1, Int?.none)
        #expect(("a/1" as RequestPath) == "a/\(one)")
        #expect(("a/1" as RequestPath) != "a/2")
        #expect(("a/" as RequestPath) != "a/\(none)")
        #expect(("a/\(none)" as RequestPath) == "a/\(none)")
        #expect(Set(["a", "a", "b", "a/\(none)"] as [RequestPath]).count == 3)
    }

    @Test func aDumpHasNoQuery() {
        let path: RequestPath = "https://u:p@h/a?key=s3cret"
        #expect("\(path)" == "https://h/a")
        #expect(Mirror(reflecting: path).children.map { "\($0.value)" } == ["https://h/a"])
    }

    private enum Leak { static let mark = "s3cret" }
}
