// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding
import StrataNative
import StrataWebSocket

/// The client of the Autobahn test suite: for each case of its fuzzing server, sends back what comes. Run by `scripts/autobahn`.
///
///     AutobahnClient URL [plain]
@main
struct AutobahnClient {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        let transport = NativeTransport(configuration: .init(), environment: { _ in nil })
        var configuration = NetworkConfiguration(
            baseURL: URL(string: arguments.first ?? "http://127.0.0.1:9001"), transport: transport)
        configuration.options.timeouts.idle = .seconds(120)
        let client = NetworkClient(configuration: configuration)
        let options = WebSocket.Options(
            ping: .never, compression: arguments.contains("plain") ? nil : .init(clientWindowBits: 15))

        let counting = try await client.webSocket("getCaseCount", options: options)
        guard case .text(let text) = try await counting.receive(), let count = Int(text) else { exit(2) }
        print("\(count) cases")
        for number in 1...max(1, count) {
            do {
                let socket = try await client.webSocket("runCase?case=\(number)&agent=Strata", options: options)
                while let message = try await socket.receive() { try await socket.send(message) }
            } catch {
                // Many cases break the protocol; the report tells what was right.
            }
            if number.isMultiple(of: 50) { print(number) }
        }
        let reports = try await client.webSocket("updateReports?agent=Strata", options: options)
        while try await reports.receive() != nil {}
        await transport.shutdown()
    }
}
