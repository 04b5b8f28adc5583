// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataCurl
import StrataTesting

/// How long the calls to others take while one server does its worst, in milliseconds:
///
///     Stress attacks [words]
enum Attacks {
    /// So many calls to the hostile server at once.
    private static let attacked = 8

    static func run(_ words: String?) async {
        print("cancel | limit, beyond it | answer: median, most | and the attacked calls end")
        for attack in Attack.all where words.map(attack.description.contains) ?? true {
            let transport = CurlTransport(configuration: .init(), environment: { _ in nil })
            do {
                print("\(attack): \(try await figures(attack, transport))")
            } catch {
                print("\(attack): \(error)")
            }
            await transport.shutdown()
        }
    }

    private static func figures(_ attack: Attack, _ transport: CurlTransport) async throws -> String {
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
        answers.sort()
        let figures = [cancels.max(), limits.max(), answers[answers.count / 2], answers.last].map {
            String(format: "%.1f", $0 ?? 0)
        }
        return "\(figures[0]) | \(figures[1]) | \(figures[2]), \(figures[3]) | \(ends.sorted().joined(separator: ", "))"
    }

    private static func send(
        to server: RawServer, _ transport: CurlTransport, isOverHTTP2: Bool = false, limit: Duration
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
