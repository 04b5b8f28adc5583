// SPDX-License-Identifier: Apache-2.0

import StrataCore

extension TransportRule {
    /// What a request may ask for.
    static let capabilities: [TransportRule] = [
        .sends(
            "HTTP/1.1 alone is asked for without an upgrade", source: "RFC 9110 §7.8", needs: .httpVersionChoice,
            RuleBench.Ask { $0.httpVersion = .http1 }
        ) { bench, request in
            try bench.expect(request.version, is: "HTTP/1.1", "the version")
            try bench.expect(request.values(of: "upgrade"), is: [], "Upgrade")
        }
    ]
}
