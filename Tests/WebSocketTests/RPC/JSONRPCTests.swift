// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding
import StrataTesting
import TestSupport
import Testing

@testable import StrataWebSocket

@Suite(.timeLimit(.minutes(10)))
struct JSONRPCTests {
    /// A server that answers by these lines.
    ///
    /// - Parameter received: what it got, when that was `count` messages.
    private func server(
        _ answers: [String: [String]], received: SharedResult<[String]> = SharedResult(), count: Int = 1
    ) async throws -> WebSocket {
        let client = NetworkClient(serving: { socket in
            var texts: [String] = []
            while case .text(let text)? = try await socket.receive() {
                texts.append(text)
                if texts.count == count { received.finish(.success(texts)) }
                for (part, lines) in answers where text.contains(part) {
                    for line in lines { try await socket.send(line) }
                }
            }
        })
        return try await client.webSocket("rpc")
    }

    @Test func pairsResultsWithCalls() async throws {
        let received = SharedResult<[String]>()
        let rpc = JSONRPC(
            try await server(
                [
                    // The second is answered first.
                    #""add""#: [#"{"jsonrpc":"2.0","id":2,"result":7}"#, #"{"jsonrpc":"2.0","result":19,"id":1}"#]
                ], received: received))
        async let first = rpc.call("subtract", [42, 23], as: Int.self)
        _ = try await received.value()
        #expect(try await rpc.call("add", ["a": 3, "b": 4], as: Int.self) == 7)
        #expect(try await first == 19)
    }

    @Test func reportsTheErrorOfThePeer() async throws {
        let rpc = JSONRPC(
            try await server([
                "foobar": [#"{"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"},"id":1}"#]
            ]))
        await #expect(throws: JSONRPCError(.methodNotFound)) { _ = try await rpc.call("foobar", as: String.self) }
    }

    @Test func aResultThatIsNoModelIsAnError() async throws {
        let rpc = JSONRPC(try await server(["get": [#"{"jsonrpc":"2.0","result":"text","id":1}"#]]))
        let error = await #expect(throws: NetworkClientError.self) { _ = try await rpc.call("get", as: Int.self) }
        #expect(error?.code == .decodingFailed)
    }

    @Test func answersThePeer() async throws {
        let received = SharedResult<[String]>()
        let socket = try await server(
            [
                "go": [
                    #"{"jsonrpc":"2.0","method":"double","params":[21],"id":"a"}"#,
                    #"{"jsonrpc":"2.0","method":"double","params":["x"],"id":"b"}"#,
                    #"{"jsonrpc":"2.0","method":"nothing","id":null}"#,
                    #"{"jsonrpc":"2.0","method":"tell","params":[1]}"#,
                    #"[{"jsonrpc":"2.0","method":"double","params":[1],"id":9}]"#, "{",
                    #"{"jsonrpc":"2.0","id":1,"result":null}"#,
                ]
            ], received: received, count: 7)
        let told = SharedResult<[Int]>()
        let rpc = JSONRPC(socket) { request in
            switch request.method {
            case "double": return try request.params(as: [Int].self)[0] * 2
            case "tell":
                #expect(request.isNotification)
                told.finish(.success(try request.params(as: [Int].self)))
                return nil
            default: throw JSONRPCError(.methodNotFound)
            }
        }
        let nothing: VoidResponse = try await rpc.call("go")
        _ = nothing
        #expect(try await told.value() == [1])
        try await rpc.notify("bye")
        let answers = Set(try await received.value())
        try await rpc.close()
        #expect(answers.contains { $0.contains(#""result":42"#) && $0.contains(#""id":"a""#) })
        #expect(answers.contains { $0.contains("-32602") && $0.contains(#""id":"b""#) })
        #expect(answers.contains { $0.contains("-32601") && $0.contains(#""id":null"#) })
        #expect(answers.contains { $0.contains("-32600") && $0.contains(#""id":null"#) })
        #expect(answers.contains { $0.contains("-32700") })
        #expect(answers.contains { $0.contains(#""method":"bye""#) && !$0.contains("id") })
    }

    @Test func aClosedSocketFailsWhatWaits() async throws {
        let client = NetworkClient(serving: { socket in
            _ = try await socket.receive()
            try await socket.close(.internalError)
        })
        let rpc = JSONRPC(try await client.webSocket("rpc"))
        for _ in 0..<2 {
            await #expect(throws: NetworkClientError.self) { _ = try await rpc.call("any", as: Int.self) }
        }
    }

    @Test func aCancelledCallGoesAway() async throws {
        let received = SharedResult<[String]>()
        let rpc = JSONRPC(try await server([:], received: received))
        let call = Task { try await rpc.call("any", as: Int.self) }
        _ = try await received.value()
        call.cancel()
        await #expect(throws: CancellationError.self) { _ = try await call.value }
    }
}
