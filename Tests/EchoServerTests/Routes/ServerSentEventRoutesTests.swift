// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Testing

@testable import EchoServer

struct ServerSentEventRoutesTests {
    @Test func eventsAreCounted() async throws {
        let response = try await ask("/sse?count=2&event=tick&retry=50")
        #expect(response.headers[.contentType] == "text/event-stream")
        #expect(
            response.text
                == "retry: 50\n\nevent: tick\nid: 1\ndata: {\"n\":1}\n\nevent: tick\nid: 2\ndata: {\"n\":2}\n\n")
    }

    @Test func theLastEventIDGoesOn() async throws {
        let response = try await ask("/sse?count=3", fields: [.lastEventID: "2"])
        #expect(response.text == "id: 3\ndata: {\"n\":3}\n\n")
        #expect(try await ask("/sse?count=3", fields: [.lastEventID: "3"]).statusCode == 204)
        #expect(try await ask("/sse?count=0").statusCode == 204)
        #expect(try await ask("/sse?count=1", fields: [.lastEventID: "x"]).text == "id: 1\ndata: {\"n\":1}\n\n")
    }

    @Test(arguments: [0, 1, 2])
    func droppingBreaksTheBody(count: Int) async throws {
        await #expect(throws: ServerSentEventRoutes.ConnectionDropped.self) {
            try await ask("/sse?count=2&drop_after=\(count)")
        }
        #expect(try await ask("/sse?count=2&drop_after=3").text.hasSuffix("{\"n\":2}\n\n"))
    }

    @Test func scriptsArePlayed() async throws {
        let script =
            #"{"status": 201, "content_type": "x/y", "steps": [{"send": "a\r"}, {"wait_ms": 0}, {"send_base64": "Cg=="}]}"#
        let posted = try await ask("/sse", .post, body: script)
        #expect(posted.statusCode == 201)
        #expect(posted.headers[.contentType] == "x/y")
        #expect(posted.text == "a\r\n")
        let encoded = try #require(script.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        #expect(try await ask("/sse?script=\(encoded)").text == "a\r\n")
        #expect(try await ask("/sse", .post, body: "nonsense").statusCode == 400)
    }
}
