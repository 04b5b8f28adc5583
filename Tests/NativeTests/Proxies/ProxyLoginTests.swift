// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import Testing

@testable import StrataNative

struct ProxyLoginTests {
    private func login() -> ProxyLogin { ProxyLogin(user: "Mufasa", password: "Circle of Life") { "f2" } }

    private func challenge(_ parts: String...) -> HTTPFields {
        var fields = HTTPFields()
        for part in parts { fields.append(HTTPField(name: .proxyAuthenticate, value: part)) }
        return fields
    }

    private func show(_ login: ProxyLogin, content: Data? = Data()) -> (value: String, answer: ProxyLogin.Answer)? {
        login.field(method: "GET", target: "http://a.example/dir", content: content).map { ($0.field.value, $0.answer) }
    }

    @Test func beginsWithBasic() throws {
        let login = ProxyLogin(user: "a:b", password: "ü")
        let shown = try #require(show(login))
        #expect(shown.value == "Basic \(Data("a:b:ü".utf8).base64EncodedString())")
        #expect(shown.answer == .basic)
        // Refused is refused.
        #expect(!login.learn(from: challenge("Basic realm=\"r\""), after: .basic))
        #expect(!login.learn(from: [:], after: .basic))
    }

    /// RFC 7616 §3.9.1 has the figures, for a server.
    @Test func computesWhatTheStandardComputes() throws {
        let login = ProxyLogin(user: "Mufasa", password: "Circle of Life") {
            "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
        }
        let nonce = "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v"
        let parts = #"Digest realm="http-auth@example.org", qop="auth, auth-int", nonce="\#(nonce)", algorithm="#
        #expect(login.learn(from: challenge(parts + "MD5", parts + "SHA-256"), after: .basic))
        let field = try #require(login.field(method: "GET", target: "/dir/index.html", content: nil)).field
        #expect(field.value.contains("response=\"753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1\""))
        let weak = ProxyLogin(user: "Mufasa", password: "Circle of Life") {
            "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"
        }
        #expect(weak.learn(from: challenge(parts + "MD5"), after: .basic))
        let md5 = try #require(weak.field(method: "GET", target: "/dir/index.html", content: nil)).field
        #expect(md5.value.contains("response=\"8ca523f5e9506fed4657c9700eebdbec\""))
    }

    @Test func countsTheUsesOfANonce() throws {
        let login = login()
        #expect(login.learn(from: challenge(#"Digest realm="r", nonce="n", qop="auth""#), after: .basic))
        for count in 1...3 {
            let shown = try #require(show(login))
            #expect(shown.value.contains("nc=0000000\(count)"))
            #expect(shown.answer == .digest(nonce: "n", isFirst: count == 1))
        }
    }

    @Test func aFreshAnswerThatIsRefusedHasTheWrongPassword() throws {
        let login = login()
        #expect(login.learn(from: challenge(#"Digest realm="r", nonce="n1", qop="auth""#), after: .basic))
        let first = try #require(show(login))
        #expect(!login.learn(from: challenge(#"Digest realm="r", nonce="n2", qop="auth""#), after: first.answer))
        #expect(
            login.learn(from: challenge(#"Digest realm="r", nonce="n2", qop="auth", stale=true"#), after: first.answer))
        #expect(try #require(show(login)).value.contains(#"nonce="n2", nc=00000001"#))
    }

    @Test func anOldNonceIsReplacedThoughNobodySaysThatItIsOld() throws {
        let login = login()
        #expect(login.learn(from: challenge(#"Digest realm="r", nonce="n1", qop="auth""#), after: .basic))
        _ = show(login)
        let second = try #require(show(login))
        #expect(login.learn(from: challenge(#"Digest realm="r", nonce="n2", qop="auth""#), after: second.answer))
        #expect(try #require(show(login)).answer == .digest(nonce: "n2", isFirst: true))
    }

    /// Two requests are challenged at once; the second goes on with what the first has learned.
    @Test func whatAnotherRequestHasLearnedIsUsed() throws {
        let login = login()
        #expect(login.learn(from: challenge(#"Digest realm="r", nonce="n1", qop="auth""#), after: .basic))
        let old = try #require(show(login))
        #expect(
            login.learn(from: challenge(#"Digest realm="r", nonce="n2", qop="auth", stale=true"#), after: old.answer))
        #expect(login.learn(from: challenge(#"Digest realm="r", nonce="n3", qop="auth""#), after: old.answer))
        #expect(try #require(show(login)).value.contains(#"nonce="n2""#))
    }

    /// RFC 7616 §5.8: an attacker on the way could take the stronger challenges out.
    @Test func isNotTalkedDown() throws {
        let login = login()
        let strong = #"Digest realm="r", nonce="n1", qop="auth", algorithm=SHA-256"#
        #expect(login.learn(from: challenge(strong), after: .basic))
        let answer = try #require(show(login)).answer
        #expect(!login.learn(from: challenge("Basic realm=\"r\""), after: answer))
        #expect(
            !login.learn(from: challenge(#"Digest realm="r", nonce="n2", qop="auth", stale=true"#), after: answer))
        #expect(try #require(show(login)).value.hasPrefix("Digest "))
    }

    @Test func coversTheBodyWhereTheProxyWantsThat() throws {
        let login = login()
        #expect(login.learn(from: challenge(#"Digest realm="r", nonce="n", qop="auth-int""#), after: .basic))
        #expect(show(login, content: nil) == nil)
        let (one, other) = (try #require(show(login, content: Data("a".utf8))), try #require(show(login)))
        #expect(one.value.contains("qop=auth-int"))
        #expect(one.value != other.value)
    }

    @Test(arguments: ["Negotiate", #"Digest realm="r", nonce="n", algorithm=SHA-512-256"#, "Digest nonce"])
    func otherChallengesAreNotAnswered(_ value: String) {
        #expect(!login().learn(from: challenge(value), after: .basic))
    }
}
