// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import StrataTransportSupport
import Testing

struct ProxiesTests {
    private func proxies(
        _ environment: [String: String] = [:], _ policy: ProxyPolicy = .environment
    ) throws -> Proxies {
        try Proxies(policy, environment: { environment[$0] })
    }

    private func head(_ url: String) -> HTTPRequest {
        guard let request = try? TransportRequest(url: url) else {
            return HTTPRequest(method: .get, scheme: nil, authority: nil, path: nil)
        }
        return request.head
    }

    @Test func takesProxiesFromTheEnvironment() throws {
        let proxies = try proxies([
            "http_proxy": "http://a:1", "HTTPS_PROXY": "http://b:2", "no_proxy": "localhost,.example",
        ])
        #expect(proxies.http.url == "http://a:1")
        #expect(proxies.https.url == "http://b:2")
        #expect(proxies.choice(for: head("http://localhost/")) == .direct)
        #expect(proxies.choice(for: head("https://a.example/")) == .direct)
        #expect(proxies.choice(for: head("http://a.test/")) == .http)
        #expect(proxies.choice(for: head("https://a.test/")) == .https)
    }

    @Test func fallsBackToTheProxyForAll() throws {
        let proxies = try proxies(["ALL_PROXY": "socks5h://c:3", "https_proxy": "http://b:2"])
        #expect(proxies.http.url == "socks5h://c:3")
        #expect(proxies.https.url == "http://b:2")
    }

    @Test func doesNotReadHTTP_PROXYInCapitals() throws {
        #expect(try proxies(["HTTP_PROXY": "http://evil:1"]).http.url == "")
    }

    @Test func usesNoProxyWhenTold() throws {
        let proxies = try proxies(["http_proxy": "http://a:1"], .none)
        #expect(proxies.http.url == "")
        #expect(proxies.choice(for: head("http://a.example/")) == .direct)
    }

    @Test func usesTheGivenProxyForBothSchemes() throws {
        let proxies = try proxies(
            ["http_proxy": "http://a:1"], .url("http://p:9", user: "u", password: "w", except: ["x", "y"]))
        #expect(proxies.http.url == "http://p:9")
        #expect(proxies.http.user == "u")
        #expect(proxies.http.password == "w")
        #expect(proxies.https == proxies.http)
        #expect(proxies.choice(for: head("http://y/")) == .direct)
        #expect(proxies.choice(for: head("http://z/")) == .http)
    }

    @Test(arguments: [
        "ftp://a:1", "http://", "http://:80", "http://a:port", "http://[::1", "http://a b:1", "http://a:0",
    ])
    func refusesAProxyThatIsNone(_ url: String) {
        let secret = url.replacing("://", with: "://aladdin:opensesame@")
        #expect {
            try proxies([:], .url(secret))
        } throws: { error in
            (error as? NetworkClientError)?.code == .malformedURL && !"\(error)".contains("opensesame")
        }
    }

    @Test func showsNoCredentials() throws {
        let policy = ProxyPolicy.url("http://aladdin:opensesame@p:9", user: "ali", password: "hunter2")
        var dumped = "\(policy) \(String(reflecting: policy))"
        dump(policy, to: &dumped)
        dump(try proxies([:], policy), to: &dumped)
        #expect(dumped.contains("http://p:9"))
        for secret in ["opensesame", "hunter2"] { #expect(!dumped.contains(secret)) }
    }
}
