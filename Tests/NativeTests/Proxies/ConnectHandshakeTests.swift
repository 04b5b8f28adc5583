// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataTransportSupport
import Testing

@testable import StrataNative

struct ConnectHandshakeTests {
    private static let origin = Endpoint(isSecure: true, host: "a.example", port: 443)
    private static let basic = "Proxy-Authorization: Basic YWxhZGRpbjpvcGVu\r\n"
    private static let digest = #"Proxy-Authenticate: Digest realm="r", nonce="n1", qop="auth", algorithm=SHA-256"#

    private func login() -> ProxyLogin { ProxyLogin(user: "aladdin", password: "open") { "c" } }

    private func handshake(
        _ login: ProxyLogin? = nil, to origin: Endpoint = origin, refusals: Int = 0, isExact: Bool = false,
        head limit: Int = 4096
    ) -> ConnectHandshake {
        var limits = ResponseReader.Limits()
        limits.head = limit
        return ConnectHandshake(
            to: origin, login: login, refusals: refusals, isExact: isExact, limits: limits, fields: FieldMemory())
    }

    private func request(_ fields: String = "", _ authority: String = "a.example:443") -> String {
        "CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n\(fields)\r\n"
    }

    private func hear(_ handshake: ConnectHandshake, _ answers: String..., ends: Bool = false) -> ProxyDialogue {
        ProxyDialogue(handshake, hearing: answers.map { Array($0.utf8) }, ends: ends)
    }

    // MARK: - What is said

    @Test(
        arguments: [
            ("a.example", 443, "a.example:443"), ("192.0.2.7", 8443, "192.0.2.7:8443"), ("::1", 443, "[::1]:443"),
            ("fe80::1%eth0", 443, "[fe80::1]:443"),
        ] as [(String, UInt16, String)])
    func asksForATunnel(_ host: String, _ port: UInt16, _ authority: String) {
        let handshake = handshake(to: Endpoint(isSecure: true, host: host, port: port))
        let dialogue = hear(handshake, "HTTP/1.1 200 OK\r\n\r\n")
        #expect(dialogue.texts == [request("", authority)])
        #expect(dialogue.end == .open)
    }

    @Test func showsBasicCredentialsAtOnce() {
        let dialogue = hear(handshake(login()), "HTTP/1.0 200 Connection established\r\nVia: 1.0 p\r\n\r\n")
        #expect(dialogue.texts == [request(Self.basic)])
        #expect(dialogue.end == .open)
    }

    @Test func interimAnswersAreNone() {
        let dialogue = hear(handshake(), "HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\nHTTP/1.1 299 Yes\r\n\r\n")
        #expect(dialogue.end == .open)
    }

    /// The fields of a 2xx to CONNECT say nothing of a body (RFC 9110 §9.3.6).
    @Test(arguments: ["Content-Length: 5", "Transfer-Encoding: chunked"])
    func aTunnelHasNoBody(_ field: String) {
        #expect(hear(handshake(), "HTTP/1.1 200 OK\r\n\(field)\r\n\r\n").end == .open)
    }

    // MARK: - Refusals

    @Test(arguments: [302, 400, 403, 404, 502, 503, 504]) func saysWithWhichStatusItIsRefused(_ status: Int) {
        let dialogue = hear(handshake(login()), "HTTP/1.1 \(status) No\r\nContent-Length: 9\r\n\r\nsome")
        #expect(dialogue.end == .failed("the proxy opened no tunnel: it answered CONNECT with status \(status)"))
    }

    @Test func saysThatCredentialsAreMissingOrWrong() {
        let refusal = "HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"r\"\r\nContent-Length: 0\r\n\r\n"
        #expect(
            hear(handshake(), refusal).end
                == .failed("the proxy opened no tunnel: it asks for credentials (status 407)"))
        #expect(
            hear(handshake(login()), refusal).end
                == .failed("the proxy opened no tunnel: it refused the credentials (status 407)"))
    }

    @Test(arguments: [
        "Content-Length: 4\r\n\r\nwait", "Content-Length: 0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n4\r\nwait\r\n0\r\n\r\n",
    ])
    func answersAChallengeOnTheSameConnection(_ body: String) throws {
        let dialogue = hear(
            handshake(login()), "HTTP/1.1 407 No\r\n\(Self.digest)\r\n\(body)", "HTTP/1.1 200 OK\r\n\r\n")
        #expect(dialogue.end == .open)
        #expect(dialogue.texts.count == 2)
        let second = try #require(dialogue.texts.last)
        #expect(second.contains(#"Proxy-Authorization: Digest username="aladdin", realm="r", uri="a.example:443""#))
        #expect(second.contains(#"algorithm=SHA-256, nonce="n1", nc=00000001, cnonce="c", qop=auth, response=""#))
        #expect(!second.contains("Basic"))
    }

    @Test(arguments: [
        "Connection: close\r\nContent-Length: 4\r\n\r\nwait", "\r\nuntil the end", "Content-Length: 40000\r\n\r\n",
        "Content-Length: 4\r\n\r\nwaitmore",
    ])
    func answersAChallengeOnAnotherConnection(_ rest: String) throws {
        let login = login()
        let first = handshake(login)
        let padding = String(repeating: "x", count: rest.contains("40000") ? 40_000 : 0)
        let dialogue = hear(first, "HTTP/1.1 407 No\r\n\(Self.digest)\r\n\(rest)\(padding)")
        #expect(dialogue.end == .again)
        #expect(first.refusals == 1)
        let second = hear(handshake(login, refusals: first.refusals), "HTTP/1.1 200 OK\r\n\r\n")
        #expect(second.texts[0].contains("Proxy-Authorization: Digest "))
        #expect(second.end == .open)
    }

    @Test func aRefusalThatEndsEarlyIsAnsweredOnAnotherConnection() {
        let dialogue = hear(
            handshake(login()), "HTTP/1.1 407 No\r\n\(Self.digest)\r\nContent-Length: 9\r\n\r\nwait", ends: true)
        #expect(dialogue.end == .again)
    }

    @Test func aProxyThatClosesWithoutAWordIsAskedOnAnotherConnection() {
        let login = login()
        let dialogue = hear(
            handshake(login), "HTTP/1.1 407 No\r\n\(Self.digest)\r\nContent-Length: 0\r\n\r\n", ends: true)
        #expect(dialogue.said.count == 2)
        #expect(dialogue.end == .again)
        #expect(
            hear(handshake(login, refusals: 1), ends: true).end
                == .failed("the proxy closed the connection instead of answering CONNECT"))
    }

    @Test func doesNotGoOnForEver() {
        let login = login()
        var answers: [[UInt8]] = []
        for number in 0..<9 {
            let challenge = #"Proxy-Authenticate: Digest realm="r", nonce="\#(number)", qop="auth", stale=true"#
            answers.append(Array("HTTP/1.1 407 No\r\n\(challenge)\r\nContent-Length: 0\r\n\r\n".utf8))
        }
        let dialogue = ProxyDialogue(handshake(login), hearing: answers)
        #expect(dialogue.said.count == ProxyLogin.maximumRefusals + 1)
        #expect(dialogue.end == .failed("the proxy opened no tunnel: it refused the credentials (status 407)"))
    }

    // MARK: - What breaks the rules

    @Test func aTunnelCarriesNothingYet() {
        let dialogue = hear(handshake(), "HTTP/1.1 200 OK\r\n\r\n\u{16}\u{3}\u{3}")
        #expect(dialogue.end == .failed(NetworkClientError.proxySpeaksUnasked.message))
    }

    /// Behind the head of an open tunnel to a server that may speak first comes what is not the proxy's.
    @Test func takesNothingBehindTheHeadWhereTheServerMaySpeakFirst() {
        let handshake = handshake(isExact: true)
        #expect(handshake.wanted == 1)
        let dialogue = hear(handshake, "HTTP/1.1 200 OK\r\nVia: p\r\n\r\n")
        #expect(dialogue.end == .open)
        #expect(handshake.wanted == 0)
    }

    @Test(arguments: [
        "SSH-2.0-OpenSSH", "\u{5}\u{0}", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX : y\r\n\r\n",
    ])
    func whatIsNoAnswerIsAFailureOfTheProxy(_ answer: String) {
        guard case .failed(let message) = hear(handshake(), answer).end else {
            Issue.record("it passes")
            return
        }
        #expect(message.hasPrefix("the proxy's answer to CONNECT cannot be read: "))
    }

    @Test func aHeadHasALimit() {
        let head = "HTTP/1.1 200 OK\r\nX: " + String(repeating: "x", count: 5000)
        for answers in [[head], ["HTTP/1.1 200 OK\r\n" + String(repeating: "X: y\r\n", count: 1000)]] {
            let dialogue = ProxyDialogue(handshake(), hearing: answers.map { Array($0.utf8) })
            guard case .failed(let message) = dialogue.end else {
                Issue.record("it passes")
                return
            }
            #expect(message.contains("larger than 4096 bytes"))
        }
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nVia: p\r\n"]) func theEndIsAFailure(_ answer: String) {
        #expect(
            hear(handshake(), answer, ends: true).end
                == .failed("the proxy closed the connection instead of answering CONNECT"))
    }

    // MARK: - Splits

    @Test(arguments: [false, true]) func everySplitMeansTheSame(_ isExact: Bool) {
        let dialogues = [
            ["HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nVia: p\r\n\r\n"],
            ["HTTP/1.1 407 No\r\n\(Self.digest)\r\nContent-Length: 4\r\n\r\nwait", "HTTP/1.1 200 OK\r\n\r\n"],
            [
                "HTTP/1.1 407 No\r\n\(Self.digest)\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nwait\r\n0\r\n\r\n",
                "HTTP/1.1 200\r\n\r\n",
            ],
            ["HTTP/1.1 407 No\r\n\(Self.digest)\r\nConnection: close\r\n\r\n"],
            ["HTTP/1.1 502 Bad Gateway\r\n\r\n"], ["HTTP/1.1 200 OK\r\n\r\n!"], ["HTTP/2 200\r\n\r\n"],
        ].map { $0.map { Array($0.utf8) } }
        for answers in dialogues {
            let whole = ProxyDialogue(handshake(login(), isExact: isExact), hearing: answers)
            for (index, answer) in answers.enumerated() {
                for byte in 0...answer.count {
                    let split = ProxyDialogue(
                        handshake(login(), isExact: isExact), hearing: answers, cutAt: (index, byte))
                    #expect(split.said == whole.said)
                    // What is no answer may be seen earlier, and told in other words.
                    if case .failed = whole.end, case .failed = split.end { continue }
                    #expect(split.end == whole.end)
                }
            }
        }
    }
}
