// SPDX-License-Identifier: Apache-2.0

import StrataCore

extension TransportRule {
    private static let source = "RFC 9110 §5.1, §5.5; RFC 9112 §5.1"
    private static let skipping = RuleBench.Ask { $0.skipsInvalidFields = true }

    private static func ok(with line: String) -> RawScript {
        answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX-Before: 1\r\n\(line)\r\nX-After: 2\r\n\r\nok")
    }

    private static let invalid: [(name: String, line: String)] = [
        ("a field line with a blank before its colon", "Access-Control-Allow-Credentials : true"),
        ("a field line with a blank in its name", "X Name: 1"),
        ("a field line with a name that is no token", "X(Name): 1"),
        ("a field line without a name", ": 1"),
    ]

    private static let ofInvalidLines: [TransportRule] = invalid.map { what, line in
        .receives(
            "\(what) is left out when that is asked for", source: source, needs: .invalidFieldSkipping, ask: skipping,
            ok(with: line)
        ) { bench, exchange in
            try bench.expect(exchange.text, is: "ok", "the body")
            try bench.expect([exchange.field("x-before"), exchange.field("x-after")], is: ["1", "2"], "the others")
            try bench.expect(exchange.head.headerFields.count, is: 3, "the number of fields")
            try bench.expect(exchange.metrics?.skippedFieldLines, is: 1, "how many were left out")
        }
    }

    private static let ofFraming: [TransportRule] = ["Content-Length : 4", "Transfer-Encoding : chunked"].map { line in
        .fails(
            "\(line) is an error also when invalid fields are left out", source: "RFC 9112 §6.3",
            needs: .invalidFieldSkipping, ask: skipping, with: [.protocolViolation], ok(with: line))
    }

    private static let large: [TransportRule] = [
        TransportRule("a field line of 120 KB passes, or its error names the limit", source: "contract") { bench in
            let value = String(repeating: "v", count: 120_000)
            do {
                let exchange = try await bench.exchange(script: ok(with: "X-Large: \(value)"))
                try bench.expect(exchange.field("x-large"), is: value, "the value")
            } catch let error as NetworkClientError {
                try bench.expect(error.code, is: .protocolViolation, "the code")
                try bench.expect(error.message.contains("limit"), "the message does not name a limit: \(error.message)")
            }
        }
    ]

    static let invalidFields: [TransportRule] = ofInvalidLines + ofFraming + large
}
