// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataCurl
import StrataEncoding
import StrataStreaming
import Synchronization
import Testing

/// Thousands of streams side by side: counted, not timed.
@Suite(.timeLimit(.minutes(5)))
struct ManyStreamsTests {
    private static let count = 5_000

    /// Lets everybody go on when the last one has arrived.
    private final class Barrier: Sendable {
        private struct State {
            var missing: Int
            var waiting: [CheckedContinuation<Void, Never>] = []
        }

        private let state: Mutex<State>

        init(_ count: Int) {
            state = Mutex(State(missing: count))
        }

        /// Lets all go on who have come, and all who will: the last one is here, or one will not come.
        func open() {
            let released = state.withLock { state in
                state.missing = 0
                defer { state.waiting = [] }
                return state.waiting
            }
            for continuation in released { continuation.resume() }
        }

        func arrive() async {
            await withCheckedContinuation { continuation in
                let isLast = state.withLock { state in
                    state.missing -= 1
                    state.waiting.append(continuation)
                    return state.missing <= 0
                }
                if isLast { open() }
            }
        }
    }

    /// Client and server share the process: two descriptors a stream.
    @Test(.enabled(if: OpenFiles.allow(2 * count + 500), "not enough file descriptors"))
    func fiveThousandAreOpenAtOnce() async throws {
        try await EchoTarget.withServer { server in
            try await withCurl { transport in
                let client = NetworkClient(
                    configuration: NetworkConfiguration(baseURL: URL(string: server.url), transport: transport))
                let script = #"{"steps": [{"send": "id: 1\ndata: a\n\n"}, {"wait_ms": 3600000}]}"#
                let request = NetworkRequest<String, VoidResponse>(path: "sse", method: .post, body: script) {
                    $0.timeouts = Timeouts(connect: .seconds(120), idle: .seconds(240))
                }
                let everybody = Barrier(Self.count)
                let received = try await withThrowingTaskGroup(of: Int.self) { group in
                    for number in 0..<Self.count {
                        group.addTask {
                            var events = 0
                            defer { everybody.open() }
                            for try await event in try await client.events(for: request) {
                                events += event.data == "a" ? 1 : 0
                                // Nobody leaves before all streams are open.
                                await everybody.arrive()
                                // One of them makes an ordinary call beside the rest.
                                if number == 0 {
                                    let get = NetworkRequest<VoidRequest, Data>(path: "get", method: .get)
                                    #expect(try await client.run(get).response.status == .ok)
                                }
                                break
                            }
                            return events
                        }
                    }
                    return try await group.reduce(0, +)
                }
                #expect(received == Self.count)
            }
        }
    }
}
