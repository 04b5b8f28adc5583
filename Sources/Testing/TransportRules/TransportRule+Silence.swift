// SPDX-License-Identifier: Apache-2.0

import StrataCore

extension TransportRule {
    /// Ways to give up a call to which nothing has come.
    private enum Ending: String, CaseIterable {
        case idle = "its idle timeout", attempt = "its attempt timeout", cancel = "a cancel"

        var timeouts: Timeouts {
            let limit = Duration.milliseconds(400)
            return Timeouts(idle: self == .idle ? limit : .seconds(10), attempt: self == .attempt ? limit : nil)
        }
    }

    /// A call that ends so, in silence.
    private static func giveUp(
        _ ending: Ending, _ bench: RuleBench, _ server: RawServer, version: HTTPVersionPolicy,
        isBegun: @escaping @Sendable (RawLog) -> Bool
    ) async throws {
        let ask = RuleBench.Ask {
            $0.timeouts = ending.timeouts
            $0.httpVersion = version
        }
        let call = try await bench.begin(ask, with: server, until: isBegun)
        if ending == .cancel {
            try await Task.sleep(for: .milliseconds(400))
            call.cancel()
        }
        guard case .failure = await call.result else { throw RuleViolation("a silent server has answered") }
    }

    private static let source = "golang/go#36026, okhttp#3261"

    private static let overHTTP1: [TransportRule] = Ending.allCases.map { ending in
        TransportRule("after \(ending.rawValue) in silence the next call is on another connection", source: source) {
            bench in
            let server = try RawServer.start(scripts: [
                [.readRequest, .respond(body: "one"), .readRequest, .hang], alive,
            ])
            defer { server.stop() }
            _ = try await bench.exchange(with: server)
            try await giveUp(ending, bench, server, version: .automatic) { $0.requests.count == 2 }
            try bench.expect(try await bench.exchange(with: server).text, is: "ok", "the next answer")
            try bench.expect(server.log.connectionCount, is: 2, "the number of connections")
        }
    }

    private static let overHTTP2: [TransportRule] = Ending.allCases.map { ending in
        TransportRule(
            "after \(ending.rawValue) in silence the next call over HTTP/2 is on another connection", source: source,
            needs: .http2PriorKnowledge
        ) { bench in
            let server = try RawServer.start(streams: [.answer("one"), [], .answer("ok")])
            defer { server.stop() }
            let ask = RuleBench.Ask { $0.httpVersion = .http2PriorKnowledge }
            _ = try await bench.exchange(ask, with: server)
            try await giveUp(ending, bench, server, version: .http2PriorKnowledge) { $0.streams.count == 2 }
            try bench.expect(try await bench.exchange(ask, with: server).text, is: "ok", "the next answer")
            let connections = server.log.streams.map(\.connection)
            try bench.expect(connections[1] != connections[2], "it went out on the silent connection")
        }
    }

    static let silence: [TransportRule] = overHTTP1 + overHTTP2
}
