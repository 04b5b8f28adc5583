// SPDX-License-Identifier: Apache-2.0

import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension TransportRule {
    /// A gigabyte that comes a thousand bytes at a time.
    static let slowUpload = RequestBody.stream(length: 1 << 30) {
        AsyncStream<Data>(unfolding: {
            try? await Task.sleep(for: .milliseconds(20))
            return Task.isCancelled ? nil : Data(count: 1000)
        })
    }

    /// A request read, then these bytes, then an orderly close.
    static func answer(_ text: String) -> RawScript { [.readRequest, .send(text), .close] }

    /// A response that is a success with this body.
    static func ok(_ fields: String = "", body: String = "") -> String {
        "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\(fields)\r\n\(body)"
    }

    /// The script's answer is a success that looks so.
    static func receives(
        _ name: String, source: String, needs: TransportCapabilities.Features = [],
        ask: RuleBench.Ask = RuleBench.Ask(),
        _ script: RawScript, check: @escaping @Sendable (RuleBench, RuleBench.Exchange) throws -> Void
    ) -> TransportRule {
        TransportRule(name, source: source, needs: needs) { bench in
            try check(bench, try await bench.exchange(ask, script: script))
        }
    }

    /// The script's answer is an error, with one of these codes.
    static func fails(
        _ name: String, source: String, needs: TransportCapabilities.Features = [],
        ask: RuleBench.Ask = RuleBench.Ask(),
        with codes: Set<NetworkClientError.Code>, _ script: RawScript
    ) -> TransportRule {
        TransportRule(name, source: source, needs: needs) { bench in
            let error = try await bench.failure(ask, script: script)
            try bench.expect(codes.contains(error.code), "the code is \(error.code), not one of \(codes)")
        }
    }

    /// The request looks so on the wire.
    static func sends(
        _ name: String, source: String, needs: TransportCapabilities.Features = [], _ ask: RuleBench.Ask,
        check: @escaping @Sendable (RuleBench, RawLog.Request) throws -> Void
    ) -> TransportRule {
        TransportRule(name, source: source, needs: needs) { bench in
            let exchange = try await bench.exchange(ask, script: [.readRequest, .respond()])
            try check(bench, try bench.theRequest(exchange.log))
        }
    }
}
