// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding
import StrataRest
import StrataTesting
import TestSupport
import Testing

/// Properties and a server on this machine, each told of the other by the configuration alone.
@Suite(.timeLimit(.minutes(5)))
struct RestPropertyTests {
    private struct Fruit: Codable, Equatable {
        var name: String
    }

    private struct Account: Codable, Equatable {
        var email: String
        var password: String
    }

    private struct Shop {
        @Rest(path: "signin", bearer: false) var account = Account(email: "", password: "")
        @Rest(path: "/fruit") var fruit = Fruit(name: "")
        @Rest(path: "basket") var basket: [String] = []
    }

    private func shop(
        _ server: RawServer, _ transport: any NetworkTransport, store: any TokenStore = MemoryTokenStore()
    ) -> Shop {
        let configuration = RestConfiguration(
            scheme: "http", host: "127.0.0.1", port: server.port,
            client: NetworkClient(configuration: NetworkConfiguration(baseURL: nil, transport: transport)),
            tokenStore: store)
        return RestConfiguration.withCurrent(configuration) { Shop() }
    }

    private static let token = #"{"token": "fresh", "accountInfo": {"accountType": "user"}}"#

    /// Answers in this order, each on a connection of its own.
    private func answers(_ answers: (status: Int, body: String)...) throws -> RawServer {
        try RawServer.start(
            scripts: answers.map { answer in
                [.readRequest, .respond(answer.status, fields: ["Connection: close"], body: answer.body), .close]
            })
    }

    @Test(arguments: TestedTransport.allCases)
    func signsInKeepsTheTokenAndSendsIt(over transport: TestedTransport) async throws {
        let folder = try TemporaryFolder()
        let file = folder["token"]
        let server = try answers((200, Self.token), (200, #"{"name": "kiwi"}"#), (200, #"{"name": "fig"}"#))
        defer { server.stop() }
        try await transport.run { transport in
            let first = shop(server, transport, store: FileTokenStore(file))
            first.$account.email.wrappedValue = "ada@example.com"
            first.$account.password.wrappedValue = "p+w"
            _ = try await (first.$account<!).value
            _ = try await (first.$fruit>?).value
            #expect(first.fruit.name == "kiwi")
            // As after a start of the program: the token is in the file.
            let second = shop(server, transport, store: FileTokenStore(file))
            let again = try await second.$fruit.get().value
            #expect(again.name == "fig")
        }
        let requests = server.log.requests
        #expect(requests.map { "\($0.method) \($0.target)" } == ["POST /signin", "GET /fruit", "GET /fruit"])
        #expect(requests.map { $0.values(of: "Authorization") } == [[], ["Bearer fresh"], ["Bearer fresh"]])
        let account = try JSONDecoder().decode(Account.self, from: Data(try #require(requests.first).body))
        #expect(account == Account(email: "ada@example.com", password: "p+w"))
    }

    @Test(arguments: TestedTransport.allCases)
    func chainsBeginTheSecondWhenTheFirstHasSucceeded(over transport: TestedTransport) async throws {
        let server = try answers((200, Self.token), (201, ""), (200, #"{"name": "kiwi"}"#), (503, ""))
        defer { server.stop() }
        try await transport.run { transport in
            let shop = shop(server, transport)
            let chain = shop.$account<! ->> shop.$basket <- ["kiwi"] ->> shop.$fruit>?
            #expect(server.log.requests.isEmpty)
            let last = try await chain.value
            #expect(last.name == "kiwi")
            #expect(shop.basket == ["kiwi"])
            let broken = shop.$basket <- ["fig"] ->> shop.$fruit>?
            let error = await #expect(throws: RestQueryError.self) { try await broken.value }
            guard case .statusCode(503)? = error else {
                Issue.record("the chain failed with \(String(describing: error))")
                return
            }
            #expect(shop.basket == ["kiwi"])
        }
        let lines = server.log.requests.map { "\($0.method) \($0.target)" }
        #expect(lines == ["POST /signin", "POST /basket", "GET /fruit", "POST /basket"])
    }

    @Test(arguments: TestedTransport.allCases)
    func cancelsTheTransferWithTheSubscription(over transport: TestedTransport) async throws {
        let server = try RawServer.start(script: [.readRequest, .readToEnd])
        defer { server.stop() }
        try await transport.run { transport in
            let shop = shop(server, transport, store: signedIn)
            let cancellable = shop.$fruit.get().sink(
                receiveCompletion: { _ in Issue.record("a cancelled request completed") },
                receiveValue: { _ in Issue.record("a cancelled request has a value") })
            try await server.wait { $0.requests.count == 1 }
            cancellable.cancel()
            try await server.wait { $0.isClosedByPeer }
            #expect(shop.fruit.name.isEmpty)
        }
    }

    @Test(arguments: TestedTransport.allCases)
    func cancelsTheTransferWithTheTask(over transport: TestedTransport) async throws {
        let server = try RawServer.start(script: [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"), .readToEnd,
        ])
        defer { server.stop() }
        try await transport.run { transport in
            let shop = shop(server, transport, store: signedIn)
            let task = Task { try await shop.$fruit.get().value }
            try await server.wait { $0.requests.count == 1 }
            task.cancel()
            let result = await task.result
            guard case .failure(RestQueryError.cancelled) = result else {
                Issue.record("the task ended with \(result)")
                return
            }
            try await server.wait { $0.isClosedByPeer }
        }
    }

    @Test(arguments: TestedTransport.allCases)
    func tellsWhatTheTransportTold(over transport: TestedTransport) async throws {
        let refusing = try RawServer.refusing()
        defer { refusing.stop() }
        let truncating = try RawServer.start(script: [
            .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"), .close,
        ])
        defer { truncating.stop() }
        try await transport.run { transport in
            for (server, expected) in [
                (refusing, URLError.Code.cannotConnectToHost), (truncating, .networkConnectionLost),
            ] {
                let shop = shop(server, transport, store: signedIn)
                let error = await #expect(throws: RestQueryError.self) { try await shop.$fruit.get().value }
                guard case .url(let failure)? = error, failure.code == expected else {
                    Issue.record("\(expected) is \(String(describing: error))")
                    continue
                }
                #expect(shop.fruit.name.isEmpty)
            }
        }
    }

    private var signedIn: MemoryTokenStore {
        MemoryTokenStore(Data(#"{"token": "T", "accountInfo": {"accountType": "user"}}"#.utf8))
    }
}
