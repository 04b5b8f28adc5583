// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import MiddlewareSupport
import StrataCore
import StrataMiddleware
import StrataTesting
import Synchronization
import TestSupport
import Testing

@testable import StrataAuthentication

struct DigestAuthMiddlewareTests {
    /// A server that checks what it gets by the rules of RFC 7616, and hands out nonces that last as long as it says.
    final class Server: Sendable {
        private struct State {
            var nonce = 0
            /// The nonce of the last challenge: what a session's key is made of.
            var challenged = 0
            var seen: Set<String> = []
        }

        private let state = Mutex(State())
        private let qop: String?
        private let algorithm: String
        private let extra: String
        private let usesPerNonce: Int
        private let nextNonce: Bool

        init(
            algorithm: String = "SHA-256", qop: String? = "auth", extra: String = "", usesPerNonce: Int = .max,
            nextNonce: Bool = false
        ) {
            self.algorithm = algorithm
            self.qop = qop
            self.extra = extra
            self.usesPerNonce = usesPerNonce
            self.nextNonce = nextNonce
        }

        func answer(_ request: RecordedRequest) -> ScriptedReply {
            guard let text = request["authorization"] else { return challenge(isStale: false) }
            var parser = ChallengeParser(String(text.dropFirst("Digest ".count)))
            let given = parser.parameters()
            let (current, challenged, isReplayed) = state.withLock { state in
                let isNew = state.seen.insert("\(given["nonce"] ?? "") \(given["nc"] ?? "")").inserted
                return (state.nonce, state.challenged, !isNew)
            }
            let count = given["nc"].flatMap { Int($0, radix: 16) } ?? 1
            guard given["nonce"] == "n\(current)", count <= usesPerNonce else { return challenge(isStale: true) }
            guard !isReplayed || qop == nil, let parsed = challengeValue(isStale: false), given["opaque"] == "o\"p"
            else {
                return challenge(isStale: false)
            }
            let expected = DigestResponse(
                challenge: parsed, username: "Mufasa", password: Secret.password, method: request.method.rawValue,
                uri: request.target, clientNonce: given["cnonce"] ?? "",
                session: .init(server: "n\(challenged)", client: given["cnonce"] ?? ""),
                count: UInt32(count), bodyHash: DigestHasher.hash(Array(request.text.utf8), by: parsed.algorithm),
                hash: DigestHasher.hash(_:by:))
            guard given["response"] == expected.response, given["uri"] == request.target else {
                return challenge(isStale: false)
            }
            guard nextNonce else { return .text("welcome") }
            let next = state.withLock { state in
                state.nonce += 1
                return state.nonce
            }
            return .status(200, fields: [.authenticationInfo: "nextnonce=\"n\(next)\", qop=auth"])
        }

        private func challengeText(isStale: Bool) -> String {
            let nonce = state.withLock { state in
                if isStale { state.nonce += 1 }
                return state.nonce
            }
            return "Digest realm=\"a \\\"b\\\"\", nonce=\"n\(nonce)\", opaque=\"o\\\"p\", algorithm=\(algorithm)"
                + (qop.map { ", qop=\"\($0)\"" } ?? "") + (isStale ? ", stale=TRUE" : "") + extra
        }

        private func challengeValue(isStale: Bool) -> DigestChallenge? {
            DigestChallenge.strongest(of: AuthenticationChallenge.parse(challengeText(isStale: isStale)))
        }

        private func challenge(isStale: Bool) -> ScriptedReply {
            let text = challengeText(isStale: isStale)
            state.withLock { $0.challenged = $0.nonce }
            return .text("who?", status: 401, fields: [.wwwAuthenticate: text])
        }
    }

    let auth = DigestAuthMiddleware(username: "Mufasa", password: Secret.password)

    func client(_ server: Server, _ auth: DigestAuthMiddleware? = nil) -> (NetworkClient, ScriptedTransport) {
        let transport = ScriptedTransport { server.answer($0) }
        return (makeClient(transport, auth ?? self.auth), transport)
    }

    @Test(arguments: ["MD5", "MD5-sess", "SHA-256", "SHA-256-SESS", "sha-256"])
    func answersByEachAlgorithm(algorithm: String) async throws {
        for qop in ["auth", "auth-int", "foo, auth-int,auth"] {
            let auth = DigestAuthMiddleware(username: "Mufasa", password: Secret.password)
            let (client, transport) = client(Server(algorithm: algorithm, qop: qop), auth)
            let body = RequestBody.stream(isReplayable: true) { PiecesSource([Data("bo".utf8), Data("dy".utf8)]) }
            let response = try await client.call(.post, "/a%20b?q=1", body: body)
            #expect(response.head.status == .ok, "\(algorithm) \(qop)")
            #expect(transport.requests.map(\.text) == ["body", "body"])
            #expect(response.exchange.attempts.map(\.reason) == [.first, .other("challenge answered")])
            #expect(try await client.call().head.status == .ok)
            #expect(transport.requests.count == 3, "the second call is answered at once")
        }
    }

    @Test func answersServersOfRFC2069() async throws {
        let (client, transport) = client(Server(algorithm: "MD5", qop: nil))
        #expect(try await client.call().head.status == .ok)
        let value = try #require(transport.requests[1]["authorization"])
        #expect(!value.contains("qop") && !value.contains("nc=") && !value.contains("cnonce"))
    }

    @Test func namesTheNonceThatASessionsKeyIsMadeOf() async throws {
        let challenge = #"Digest realm="r", nonce="n", algorithm=MD5-sess"#
        let transport = ScriptedTransport(.status(401, fields: [.wwwAuthenticate: challenge]), .status(200))
        _ = try await makeClient(transport, auth).call()
        #expect(try #require(transport.requests.last?["authorization"]).contains("cnonce="))
    }

    @Test func countsTheUsesOfANonce() async throws {
        let (client, transport) = client(Server())
        for _ in 0..<11 { #expect(try await client.call().head.status == .ok) }
        let last = try #require(transport.requests.last?["authorization"])
        #expect(last.contains("nc=0000000b"))
        #expect(last.contains("qop=auth,"))
    }

    @Test func answersAgainWhenTheNonceIsStale() async throws {
        let (client, transport) = client(Server(usesPerNonce: 2))
        for _ in 0..<4 { #expect(try await client.call().head.status == .ok) }
        #expect(transport.requests.count == 6)
    }

    @Test(arguments: ["SHA-256", "SHA-256-sess"])
    func takesTheNextNonceThatIsNamed(algorithm: String) async throws {
        let (client, transport) = client(Server(algorithm: algorithm, nextNonce: true))
        for _ in 0..<4 { #expect(try await client.call().head.status == .ok) }
        #expect(transport.requests.count == 5)
        let last = try #require(transport.requests.last?["authorization"])
        #expect(last.contains("nc=00000001") && last.contains("nonce=\"n3\""))
    }

    @Test func manyCallsAtOnceAreAllAnswered() async throws {
        let (client, _) = client(Server())
        await withTaskGroup(of: Int?.self) { group in
            for _ in 0..<100 { group.addTask { try? await client.call().head.status.code } }
            for await status in group { #expect(status == 200) }
        }
    }

    /// The nonces and counts of three calls, of which the second is made while the answer of the first is on its way.
    private func uses(ofNonces nonces: [String]) async throws -> [String?] {
        let state = Mutex((client: NetworkClient?.none, nonces: nonces, hasAnswer: false))
        let transport = ScriptedTransport { request in
            guard request["authorization"] != nil else {
                let nonce = state.withLock { $0.nonces.removeFirst() }
                return .status(401, fields: [.wwwAuthenticate: "Digest realm=\"r\", nonce=\"\(nonce)\", qop=\"auth\""])
            }
            let client = state.withLock { state in
                defer { state.hasAnswer = true }
                return state.hasAnswer ? nil : state.client
            }
            _ = try await client?.call()
            return .status(200)
        }
        let client = makeClient(transport, auth)
        state.withLock { $0.client = client }
        for _ in 0..<2 { #expect(try await client.call().head.status == .ok) }
        return transport.requests.map { request in
            guard let value = request["authorization"] else { return nil }
            var parser = ChallengeParser(String(value.dropFirst("Digest ".count)))
            let given = parser.parameters()
            return "\(given["nonce"] ?? "") \(given["nc"] ?? "")"
        }
    }

    /// A server may take it only once: another call's would make the answer on its way look like wrong credentials.
    @Test func keepsANonceToOneCallUntilItsAnswerIsAccepted() async throws {
        let uses = try await uses(ofNonces: ["a", "b"])
        #expect(uses == [nil, "a 00000001", nil, "b 00000001", "a 00000002"])
    }

    @Test func countsTheUsesOfANonceThatIsNotAcceptedYet() async throws {
        let uses = try await uses(ofNonces: ["a", "a"])
        #expect(uses == [nil, "a 00000001", nil, "a 00000002", "a 00000003"])
    }

    @Test func hashesTheUserName() async throws {
        let (client, transport) = client(Server(extra: ", userhash=true"))
        #expect(try await client.call().head.status == .ok)
        let value = try #require(transport.requests[1]["authorization"])
        #expect(value.contains("userhash=true") && !value.contains("Mufasa"))
    }

    @Test func writesAUserNameThatIsNotASCIIInTheExtendedForm() async throws {
        let transport = ScriptedTransport(
            .status(401, fields: [.wwwAuthenticate: #"Digest realm="r", nonce="n", qop="auth", charset=UTF-8"#]),
            .status(200))
        let auth = DigestAuthMiddleware(username: "Jäsøn Doe", password: Secret.password)
        _ = try await makeClient(transport, auth).call()
        #expect(transport.requests[1]["authorization"]?.contains("username*=UTF-8''J%C3%A4s%C3%B8n%20Doe") == true)
    }

    /// A body of three pieces, of which each does something.
    private final class CountedSource: BodySource {
        private let state = Mutex((pieces: 0, isCancelled: false))
        private let onPiece: @Sendable () -> Void

        init(onPiece: @escaping @Sendable () -> Void) { self.onPiece = onPiece }

        var pieces: Int { state.withLock { $0.pieces } }
        var isCancelled: Bool { state.withLock { $0.isCancelled } }

        func next() -> Data? {
            let count = state.withLock { state in
                state.pieces += 1
                return state.pieces
            }
            onPiece()
            return count <= 3 ? Data("x".utf8) : nil
        }

        func cancel() { state.withLock { $0.isCancelled = true } }
    }

    @Test func hashesNoMoreOfABodyWhoseCallIsOver() async throws {
        let challenge = #"Digest realm="r", nonce="n", qop="auth-int""#
        let transport = ScriptedTransport(.status(401, fields: [.wwwAuthenticate: challenge]), .status(200))
        let clock = VirtualClock()
        let client = makeClient(transport, auth, clock: clock)
        _ = try await client.call()

        let given = CountedSource { withUnsafeCurrentTask { $0?.cancel() } }
        await #expect(throws: CancellationError.self) {
            try await Task {
                _ = try await client.call(.post, body: .stream(isReplayable: true) { given })
            }.value
        }
        let late = CountedSource { clock.advance(by: .seconds(60)) }
        await #expect {
            _ = try await client.call(.post, body: .stream(isReplayable: true) { late }) {
                $0.timeouts.deadline = .seconds(30)
            }
        } throws: { error in
            (error as? NetworkClientError)?.timeout == .deadline
        }
        #expect([given, late].map(\.pieces) == [1, 1])
        #expect([given, late].map(\.isCancelled) == [true, true])
        #expect(transport.requests.count == 2)
    }

    @Test func handsUpTheRefusalOfWrongCredentials() async throws {
        let (client, transport) = client(Server(), DigestAuthMiddleware(username: "Mufasa", password: "wrong"))
        let response = try await client.call()
        #expect(response.head.status == .unauthorized)
        #expect(try await response.body.collect() == Data("who?".utf8))
        #expect(transport.requests.count == 2)
    }

    @Test func doesNotFollowAServerThatFindsEverythingStale() async throws {
        let transport = ScriptedTransport(
            .status(401, fields: [.wwwAuthenticate: #"Digest realm="r", nonce="n", qop="auth", stale=true"#]))
        #expect(try await makeClient(transport, auth).call().head.status == .unauthorized)
        #expect(transport.requests.count == 3)
    }

    @Test(arguments: [
        #"Digest realm="r", qop="auth""#, #"Digest nonce="n""#, #"Digest realm="r", nonce="n", algorithm=test"#,
        #"Digest realm="r", nonce="n", algorithm=SHA-512-256"#, #"Digest realm="r", nonce="n", qop="new""#,
        #"Basic realm="r""#, "",
        #"Digest realm="r", nonce=abc==, qop="auth", algorithm=SHA-256"#, #"Digest realm="r", nonce="a"b""#,
    ])
    func handsUpWhatItCannotAnswer(challenge: String) async throws {
        let transport = ScriptedTransport(.text("no", status: 401, fields: [.wwwAuthenticate: challenge]))
        let response = try await makeClient(transport, auth).call()
        #expect(try await response.body.collect() == Data("no".utf8))
        #expect(transport.requests.count == 1)
    }

    @Test func handsUpTheRefusalOfABodyThatIsUsedUp() async throws {
        let (client, transport) = client(Server())
        #expect(try await client.call(.post, body: oneShotBody()).head.status == .unauthorized)
        #expect(transport.requests.count == 1)
        _ = try await client.call()
        #expect(try await client.call(.post, body: oneShotBody()).head.status == .ok)
    }

    /// What the refusal says is for the next call, be it the first challenge or another nonce.
    @Test func signsInThoughNoBodyCanBeSentAgain() async throws {
        let (client, transport) = client(Server(usesPerNonce: 2))
        var statuses: [Int] = []
        for _ in 0..<6 { statuses.append(try await client.call(.post, body: oneShotBody()).head.status.code) }
        #expect(statuses == [401, 200, 200, 401, 200, 200])
        #expect(transport.requests.count == 6)
        #expect(transport.requests[1]["authorization"]?.contains("nc=00000001") == true)
    }

    @Test func answersTheStrongestChallenge() async throws {
        let transport = ScriptedTransport(
            .status(
                401,
                fields: [
                    .wwwAuthenticate: #"Basic realm="r", Digest realm="r", nonce="a", algorithm=MD5, qop="auth""#,
                    .wwwAuthenticate: #"Digest realm="r", nonce="b", algorithm=SHA-256, qop="auth""#,
                    .wwwAuthenticate: #"Digest realm="r", nonce="c", algorithm=MD5-sess, qop="auth""#,
                    .wwwAuthenticate: #"Digest realm="r", nonce="d", algorithm=SHA-512-256, qop="auth""#,
                ]), .status(200))
        _ = try await makeClient(transport, auth).call()
        #expect(transport.requests[1]["authorization"]?.contains("nonce=\"b\"") == true)
    }

    @Test func answersNoForeignOrigin() async throws {
        let transport = ScriptedTransport(
            .redirect(to: "https://other.example/"),
            .status(401, fields: [.wwwAuthenticate: #"Digest realm="r", nonce="n", qop="auth""#]))
        #expect(try await makeClient(transport, auth).call().head.status == .unauthorized)
        #expect(transport.requests.count == 2)
    }

    @Test func isOfTheRealmsBytesAndGivesThemBack() async throws {
        let challenge = Array(#"Digest realm="caf"#.utf8) + [0xe9] + Array(#" \"x\"", nonce="n""#.utf8)
        var fields = HTTPFields()
        fields.append(HTTPField(name: .wwwAuthenticate, value: challenge))
        let transport = ScriptedTransport(.status(401, fields: fields), .status(200))
        let auth = DigestAuthMiddleware(username: "me", password: Secret.password)
        #expect(try await makeClient(transport, auth).call().head.status == .ok)

        func md5(_ bytes: [UInt8]) -> String { DigestHasher.hash(bytes, by: .md5) }
        let realm = Array("caf".utf8) + [0xe9] + Array(#" "x""#.utf8)
        let secret = md5(Array("me:".utf8) + realm + Array(":\(Secret.password)".utf8))
        let response = md5(Array("\(secret):n:\(md5(Array("GET:/".utf8)))".utf8))
        let sent = try #require(transport.requests[1].head.headerFields[fields: .authorization].first)
        #expect(sent.text.contains(#"realm="café \"x\"", "#))
        #expect(sent.value.contains("caf\u{FFFD}"), "in Latin-1, as it came")
        #expect(sent.text.contains("response=\"\(response)\""))
    }

    /// Each layer that may not stand on this side of it, with the one to move and where to.
    @Test func namesItsPlaceInTheList() {
        let key = APIKeyMiddleware(Secret.apiKey, in: .query("k"))
        let pairs: [(outer: any NetworkMiddleware, inner: any NetworkMiddleware, move: String)] = [
            (auth, RedirectMiddleware(), "DigestAuthMiddleware behind RedirectMiddleware"),
            (auth, RetryMiddleware(), "DigestAuthMiddleware behind RetryMiddleware"),
            (auth, QueryItemsMiddleware([]), "DigestAuthMiddleware behind QueryItemsMiddleware"),
            (auth, key, "DigestAuthMiddleware behind APIKeyMiddleware"),
            (TraceparentMiddleware(), auth, "TraceparentMiddleware behind DigestAuthMiddleware"),
        ]
        for pair in pairs {
            let report = makeClient(ScriptedTransport(), pair.outer, pair.inner).pipelineReport
            #expect(report.findings.contains { $0.fix == "Move \(pair.move) in the list." }, "\(report)")
        }
    }

    @Test func reportsABodyThatItCannotSendAgain() throws {
        for (body, count) in [(oneShotBody(), 1), (.data(Data()), 0)] {
            let request = try TransportRequest(method: .put, url: "https://api.example/", body: body)
            let report = makeClient(ScriptedTransport(), auth).pipelineReport(for: request)
            #expect(report.findings.count == count, "\(report)")
        }
    }

    @Test func makesDifferentNonces() {
        #expect(Set((0..<100).map { _ in DigestAuthMiddleware.randomNonce() }).count == 100)
    }
}
