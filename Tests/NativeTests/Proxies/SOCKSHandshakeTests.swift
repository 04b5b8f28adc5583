// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Testing

@testable import StrataNative

struct SOCKSHandshakeTests {
    private static let name = SOCKSTarget("a.example", port: 443)
    private static let nameRequest: [UInt8] = [5, 1, 0, 3, 9] + Array("a.example".utf8) + [1, 0xbb]
    private static let granted: [UInt8] = [5, 0, 0, 1, 127, 0, 0, 1, 0x1f, 0x90]

    private func socks5(
        _ target: SOCKSTarget = name, user: String? = nil, password: String? = nil
    ) throws -> SOCKS5Handshake {
        try SOCKS5Handshake(to: target, user: user, password: password)
    }

    // MARK: - SOCKS5 (RFC 1928)

    @Test(
        arguments: [
            ("a.example", nameRequest), ("192.0.2.7", [5, 1, 0, 1, 192, 0, 2, 7, 1, 0xbb]),
            ("2001:db8::1", [5, 1, 0, 4, 0x20, 1, 0x0d, 0xb8] + Array(repeating: 0, count: 11) + [1, 1, 0xbb]),
        ] as [(String, [UInt8])])
    func asksForAConnection(_ host: String, _ request: [UInt8]) throws {
        let dialogue = ProxyDialogue(
            try socks5(SOCKSTarget(host, port: 443)), hearing: [[5, 0], Self.granted])
        #expect(dialogue.said == [[5, 1, 0], request])
        #expect(dialogue.end == .open)
    }

    /// RFC 1929.
    @Test func showsNameAndPasswordToWhoAsksForThem() throws {
        let handshake = try socks5(user: "aladdin", password: "open")
        let dialogue = ProxyDialogue(handshake, hearing: [[5, 2], [1, 0], Self.granted])
        #expect(
            dialogue.said == [
                [5, 2, 0, 2], [1, 7] + Array("aladdin".utf8) + [4] + Array("open".utf8), Self.nameRequest,
            ])
        #expect(dialogue.end == .open)
        // To nobody else.
        let other = ProxyDialogue(try socks5(user: "aladdin", password: "open"), hearing: [[5, 0], Self.granted])
        #expect(other.said == [[5, 2, 0, 2], Self.nameRequest])
    }

    @Test(
        arguments: [
            [5, 0, 0, 1, 1, 2, 3, 4, 0, 80], [5, 0, 0, 4] + Array(repeating: 9, count: 18),
            [5, 0, 0, 3, 3, 97, 98, 99, 0, 80], [5, 0, 0, 3, 0, 0, 80],
        ] as [[UInt8]])
    func readsTheReplyToItsEndAndNoFurther(_ reply: [UInt8]) throws {
        for extra in [[], [0x15]] as [[UInt8]] {
            let handshake = try socks5()
            let dialogue = ProxyDialogue(handshake, hearing: [[5, 0], reply + extra])
            #expect(dialogue.end == (extra.isEmpty ? .open : .failed(NetworkClientError.proxySpeaksUnasked.message)))
            #expect(handshake.wanted == 0)
        }
    }

    @Test(
        arguments: [
            ([[5, 0xff]], "the SOCKS proxy asks for a user name and password", nil),
            ([[5, 2]], "the SOCKS proxy asks for a user name and password", nil),
            ([[5, 0xff]], "the SOCKS proxy takes no user name and password", "u"),
            ([[5, 1]], "the SOCKS proxy chose a way to log in that was not offered", "u"),
            ([[4, 0]], "what answered is no SOCKS5 proxy", nil),
            ([Array("HTTP/1.1 400".utf8)], "what answered is no SOCKS5 proxy", nil),
            ([[5, 2], [1, 1]], "the SOCKS proxy refused the credentials", "u"),
            ([[5, 0], [5, 2, 0]], "the SOCKS proxy did not connect to the server: its rules do not allow it", nil),
            ([[5, 0], [5, 99, 0]], "the SOCKS proxy did not connect to the server: reply 99", nil),
            ([[5, 0], [4, 0, 0]], "the SOCKS proxy's reply is malformed", nil),
            ([[5, 0], [5, 0, 0, 2, 0]], "the SOCKS proxy's reply is malformed", nil),
        ] as [([[UInt8]], String, String?)])
    func saysWhatIsWrong(_ answers: [[UInt8]], _ message: String, _ user: String?) throws {
        let dialogue = ProxyDialogue(try socks5(user: user, password: "hunter2"), hearing: answers)
        #expect(dialogue.end == .failed(message))
    }

    @Test(
        arguments: [
            (1, "general failure"), (3, "the network is unreachable"), (4, "the host is unreachable"),
            (5, "the connection was refused"), (8, "it does not know this type of address"),
        ] as [(UInt8, String)])
    func anotherAddressMayBeReached(_ code: UInt8, _ reason: String) throws {
        let dialogue = ProxyDialogue(try socks5(), hearing: [[5, 0], [5, code]])
        #expect(dialogue.end == .unreachable("the SOCKS proxy did not connect to the server: \(reason)"))
    }

    @Test func everySplitMeansTheSame() throws {
        let dialogues: [[[UInt8]]] = [
            [[5, 2], [1, 0], Self.granted], [[5, 0], [5, 0, 0, 3, 3, 97, 98, 99, 0, 80]], [[5, 2], [1, 9]],
            [[5, 0], [5, 5, 0, 1]], [[5, 0], [5, 0, 0, 7, 0, 0]], [[5, 0], Self.granted + [1, 2]],
        ]
        for answers in dialogues {
            let whole = ProxyDialogue(try socks5(user: "u", password: "p"), hearing: answers)
            for (index, answer) in answers.enumerated() {
                for byte in 0...answer.count {
                    let split = ProxyDialogue(
                        try socks5(user: "u", password: "p"), hearing: answers, cutAt: (index, byte))
                    #expect(split == whole)
                }
            }
        }
    }

    @Test func theEndIsAFailureWhereverItComes() throws {
        let answers: [[UInt8]] = [[5, 2], [1, 0], Self.granted]
        for index in answers.indices {
            for byte in 0..<answers[index].count {
                let heard = answers[..<index] + [Array(answers[index][..<byte])]
                let dialogue = ProxyDialogue(
                    try socks5(user: "u", password: "p"), hearing: heard.filter { !$0.isEmpty }, ends: true)
                guard case .failed(let message) = dialogue.end else {
                    Issue.record("\(dialogue.end)")
                    continue
                }
                #expect(message.hasPrefix("the SOCKS proxy closed the connection"))
            }
        }
    }

    @Test func whatIsTooLongIsNotSent() {
        let long = String(repeating: "x", count: 256)
        let error = #expect(throws: NetworkClientError.self) { try socks5(user: "u", password: long) }
        #expect(error?.code == .proxyFailed)
        #expect(error.map { !$0.message.contains(long) } == true)
        #expect(throws: NetworkClientError.self) { try socks5(user: long, password: nil) }
        #expect(throws: NetworkClientError.self) { try socks5(SOCKSTarget(long, port: 1)) }
    }

    // MARK: - SOCKS4

    @Test func asksForAnAddressOrAName() throws {
        let reply: [UInt8] = [0, 90, 0, 0, 0, 0, 0, 0]
        let address = ProxyDialogue(
            try SOCKS4Handshake(to: SOCKSTarget("192.0.2.7", port: 80), user: "me"), hearing: [reply])
        #expect(address.said == [[4, 1, 0, 80, 192, 0, 2, 7, 109, 101, 0]])
        #expect(address.end == .open)
        let name = ProxyDialogue(try SOCKS4Handshake(to: Self.name, user: nil), hearing: [reply])
        #expect(name.said == [[4, 1, 1, 0xbb, 0, 0, 0, 1, 0] + Array("a.example".utf8) + [0]])
        #expect(name.end == .open)
    }

    @Test func saysWhatIsWrongWithSOCKS4() throws {
        func end(_ reply: [UInt8], cutAt byte: Int = 0) throws -> ProxyDialogue.End {
            ProxyDialogue(
                try SOCKS4Handshake(to: Self.name, user: nil), hearing: [reply], cutAt: (0, byte), ends: true
            ).end
        }
        for byte in 0...8 {
            #expect(try end([0, 90, 1, 2, 3, 4, 5, 6], cutAt: byte) == .open)
            #expect(
                try end([0, 91, 0, 0, 0, 0, 0, 0], cutAt: byte)
                    == .unreachable("the SOCKS proxy did not connect to the server: it refused or failed"))
        }
        #expect(
            try end([0, 93, 0, 0, 0, 0, 0, 0])
                == .failed("the SOCKS proxy did not connect to the server: it did not accept the user (93)"))
        #expect(try end(Array("HTTP/1.1".utf8)) == .failed("what answered is no SOCKS4 proxy"))
        #expect(try end([0, 90, 0, 0, 0, 0, 0, 0, 1]) == .failed(NetworkClientError.proxySpeaksUnasked.message))
        #expect(
            try end([0, 90]) == .failed("the SOCKS proxy closed the connection instead of connecting to the server"))
        #expect(throws: NetworkClientError.self) { try SOCKS4Handshake(to: SOCKSTarget("::1", port: 1), user: nil) }
        #expect(throws: NetworkClientError.self) { try SOCKS4Handshake(to: Self.name, user: "a\0b") }
    }
}
