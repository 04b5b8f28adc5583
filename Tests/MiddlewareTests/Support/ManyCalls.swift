// SPDX-License-Identifier: Apache-2.0

import Foundation
import MiddlewareSupport
import StrataCore
import StrataEncoding
import StrataTesting

/// Ten thousand calls at once, of which every second is cancelled: before it begins, while it waits, at the hand-over, while it is answered or
/// while its body is read, as the seed has it. The client searches nothing for secrets, which would take most of the time.
struct ManyCalls {
    let client: NetworkClient
    let seed: UInt64

    init(seed: UInt64, _ transport: ScriptedTransport, _ layer: any NetworkMiddleware, clock: VirtualClock) {
        var configuration = NetworkConfiguration(
            baseURL: URL(string: "https://api.example"), transport: transport, middleware: [layer])
        configuration.clock = clock
        client = NetworkClient(configuration: configuration)
        self.seed = seed
    }

    /// - Parameter call: gets the number of the call.
    func run(_ call: @escaping @Sendable (NetworkClient, Int) async throws -> Void) async {
        var random = SeededGenerator(seed: seed)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<10_000 {
                let turns = Int.random(in: 0...6, using: &random)
                group.addTask { [client] in
                    let running = Task { try await call(client, number) }
                    if number.isMultiple(of: 2) {
                        for _ in 0..<turns { await Task.yield() }
                        running.cancel()
                    }
                    _ = await running.result
                }
            }
        }
    }
}
