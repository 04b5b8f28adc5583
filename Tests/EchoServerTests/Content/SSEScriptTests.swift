// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import Testing

@testable import EchoServer

struct SSEScriptTests {
    @Test func stepsAreReadInOrder() throws {
        let text = #"{"steps": [{"send": "data: é\n\n"}, {"wait_ms": 1.5}, {"send_base64": "/w=="}, {"drop": true}]}"#
        let script = try SSEScript(json: Array(text.utf8))
        #expect(script.status == 200)
        #expect(script.contentType == "text/event-stream")
        #expect(script.steps == [.send(Array("data: é\n\n".utf8)), .wait(.microseconds(1500)), .send([0xFF]), .drop])
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"steps": [{}]}"#, #"{"steps": [{"wait_ms": -1}]}"#, #"{"status": 99, "steps": []}"#,
    ])
    func whatIsNotUnderstoodIsRefused(text: String) {
        #expect(throws: HTTPError.self) { try SSEScript(json: Array(text.utf8)) }
    }
}
