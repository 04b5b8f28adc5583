// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataAPI
import StrataCore

extension Sender {
    private static func api(
        _ method: String, _ template: String = "/x", _ build: @escaping @Sendable (inout APICall) -> Void
    ) -> Sender {
        Sender { client in
            var call = APICall(Provider(client), method: method, template: template)
            build(&call)
            try await call.send()
        }
    }

    static func api(_ value: @escaping @Sendable () -> CallValue) -> [Place: Sender] {
        [
            .path: api("GET", "/x/{v}") { $0.path("v", value()) },
            .query: api("GET") { $0.query("v", value(), isNamed: true) },
            .header: api("GET") { $0.header("X-V", value()) },
            .form: api("POST") {
                $0.format(.form)
                $0.field("v", value(), isNamed: true)
            },
            .json: api("POST") { $0.field("v", value()) },
            .part: api("POST") {
                $0.format(.multipart)
                $0.part("v", value())
            },
            .body: api("POST") { $0.body(value()) },
        ]
    }
}

extension Sender {
    /// Every front end that takes a value by its type.
    static func all(of value: some Codable & Sendable) -> [FrontEnd: [Place: Sender]] {
        [.core: core(value), .api: api { CallValue(value) }, .requests: requests(value), .rest: rest(value)]
    }
}
