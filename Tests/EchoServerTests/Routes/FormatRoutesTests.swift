// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Testing

@testable import EchoServer

struct FormatRoutesTests {
    @Test func documentsHaveTheirTypes() async throws {
        #expect(try await ask("/xml").headers[.contentType] == "application/xml")
        #expect(try await ask("/html").headers[.contentType]?.hasPrefix("text/html") == true)
        #expect(try await ask("/encoding/utf8").text.contains("\u{2028}"))
        #expect(try await ask("/base64/aMO8LV8_").text == "hü-_?")
        #expect(try await ask("/base64/*").text == "Incorrect Base64 data")
        #expect(try await ask("/links/2").headers[.location] == "/links/2/0")
        #expect(try await ask("/links/2/0").text.contains("<a href='/links/2/1'>1</a>"))
    }
}
