// SPDX-License-Identifier: Apache-2.0

import EchoServer
import Foundation
import HTTPTypes
import StrataCore
import TestSupport
import Testing

@testable import StrataNative
@testable import StrataTesting

/// Many calls at once over few connections, half of them cancelled.
struct NativeHTTP2StressTests {
    @Test(.timeLimit(.minutes(5))) func everyCallGetsItsOwnAnswerOrItsCancel() async throws {
        try await EchoServer.withServer(.init(tls: EchoServer.TLS(), http2: true)) { server in
            let authority = try #require(server.certificateAuthority)
            let url = "https://localhost:\(server.port)"
            try await withNative({ $0.tls.trust = .pem(Data(authority.certificatePEM.utf8)) }) { transport in
                await withTaskGroup(of: Void.self) { group in
                    for worker in 0..<64 {
                        group.addTask {
                            var random = SeededGenerator(seed: UInt64(worker) &+ 7)
                            for number in 0..<40 {
                                let isCancelled = Bool.random(using: &random)
                                let delay = Int.random(in: 0..<2000, using: &random)
                                await call(transport, url, "\(worker)-\(number)", number, isCancelled ? delay : nil)
                            }
                        }
                    }
                }
                await eventually { transport.liveTransfers == 0 }
                let response = try await transport.send(.get, url + "/get")
                #expect(response.metrics?.httpVersion == "HTTP/2" && response.head.status == .ok)
            }
        }
    }

    private func call(
        _ transport: NativeTransport, _ url: String, _ name: String, _ number: Int, _ cancelAfter: Int?
    ) async {
        let task = Task {
            let body: RequestBody =
                switch number % 4 {
                case 0: .empty
                case 1: .data(Data(name.utf8))
                default: .stream(isReplayable: true) { PiecesSource([Data(name.utf8), Data(count: 20_000)]) }
                }
            let response = try await transport.send(
                number % 4 == 0 ? .get : .post, url + (number % 4 == 0 ? "/get" : "/post") + "?name=\(name)", body: body
            )
            return String(decoding: try await response.body.collect(), as: UTF8.self)
        }
        if let cancelAfter {
            try? await Task.sleep(for: .microseconds(cancelAfter))
            task.cancel()
        }
        switch await task.result {
        case .success(let text): #expect(text.contains("name=\(name)"))
        case .failure(let error): #expect(error is CancellationError && cancelAfter != nil, "\(error)")
        }
    }
}
