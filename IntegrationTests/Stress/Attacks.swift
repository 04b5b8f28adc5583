// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataTesting

/// How long the calls to others take while one server does its worst, in milliseconds:
///
///     Stress attacks [curl|native] [words]
enum Attacks {
    /// So many calls to the hostile server at once.
    private static let attacked = 8

    static func run(_ words: String?, over makeTransport: () -> any NetworkTransport) async {
        print("median, most: cancel | limit, beyond it | answer | and the attacked calls end")
        for attack in Attack.all where words.map(attack.description.contains) ?? true {
            let transport = makeTransport()
            do {
                print("\(attack): \(try await figures(attack, transport))")
            } catch {
                print("\(attack): \(error)")
            }
            await transport.shutdown()
        }
    }

    private static func figures(_ attack: Attack, _ transport: any NetworkTransport) async throws -> String {
        let hostile = try attack.start()
        let silent = try RawServer.start(script: [.readRequest, .hang])
        let sane = try RawServer.start(script: .forever(.readRequest, .respondWithTarget))
        defer { for server in [hostile, silent, sane] { server.stop() } }
        let calls = (0..<attacked).map { _ in
            Task {
                try await send(to: hostile, transport, isOverHTTP2: attack.isOverHTTP2, limit: .seconds(5))
            }
        }
        try await Task.sleep(for: .milliseconds(20))
        var (cancels, limits, answers): ([Double], [Double], [Double]) = ([], [], [])
        for _ in 0..<10 {
            let call = Task { try await send(to: silent, transport, limit: .seconds(60)) }
            try await Task.sleep(for: .milliseconds(10))
            cancels.append(
                await milliseconds {
                    call.cancel()
                    _ = await call.result
                })
            limits.append(
                await milliseconds { _ = try? await send(to: silent, transport, limit: .milliseconds(50)) } - 50)
            answers.append(await milliseconds { _ = try? await send(to: sane, transport, limit: .seconds(60)) })
        }
        var ends: Set<String> = []
        for call in calls {
            switch await call.result {
            case .success: ends.insert("as if answered")
            case .failure(let error as NetworkClientError): ends.insert("\(error.code)")
            case .failure(let error): ends.insert("\(error)")
            }
        }
        let figures = [cancels, limits, answers].map { times in
            String(format: "%.1f, %.1f", times.sorted()[times.count / 2], times.max() ?? 0)
        }
        return (figures + [ends.sorted().joined(separator: ", ")]).joined(separator: " | ")
    }

    private static func send(
        to server: RawServer, _ transport: any NetworkTransport, isOverHTTP2: Bool = false, limit: Duration
    ) async throws {
        var request = try TransportRequest(url: server.url)
        request.options.timeouts.attempt = limit
        if isOverHTTP2 { request.options.httpVersion = .http2PriorKnowledge }
        let body = try await transport.send(request).body
        for try await _ in body {}
    }

    private static func milliseconds(_ body: () async -> Void) async -> Double {
        await ContinuousClock().measure(body) / .milliseconds(1)
    }
}
