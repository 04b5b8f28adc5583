// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import StrataTesting
import Testing

struct ExchangeRecordTests {
    @Test func anAttemptShowsNoFieldAndNoQuery() async throws {
        let request = try TransportRequest(
            url: "https://a.example/1?token=secret", headerFields: [.authorization: "Bearer secret"])
        let attempts = try await makeClient(ScriptedTransport()).execute(request).exchange.attempts
        var dumped = ""
        dump(attempts, to: &dumped)
        for text in ["\(attempts)", "\(attempts[0])", dumped] {
            #expect(text.contains("first: GET https://a.example/1 -> 200 in 0 ms"))
            #expect(!text.contains("secret"))
        }
    }
}
