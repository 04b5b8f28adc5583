// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import EchoServer

struct MediaTypeTests {
    @Test(arguments: [
        ("text/HTML", "text/html", [:]),
        ("text/plain; Charset=\"UTF-8\" ;x=y", "text/plain", ["charset": "UTF-8", "x": "y"]),
        ("form-data; name=\"a\\\"b;c\"; filename=\"d%22e\"", "form-data", ["name": "a\"b;c", "filename": "d\"e"]),
        ("form-data; name=n; filename*=UTF-8''na%C3%AFve.txt", "form-data", ["name": "n", "filename": "naïve.txt"]),
        ("form-data; filename=\"C:\\temp\\x\"", "form-data", ["filename": "C:\\temp\\x"]),
        ("a/b; flag; q=", "a/b", ["q": ""]),
        ("a/b; x=\"open", "a/b", ["x": "open"]),
        ("", "", [:]),
    ])
    func parametersAreUnquoted(text: String, essence: String, parameters: [String: String]) {
        let type = MediaType(text)
        #expect(type.essence == essence)
        #expect(type.parameters == parameters)
    }
}
