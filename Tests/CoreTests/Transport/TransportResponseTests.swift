// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import Testing

struct TransportResponseTests {
    @Test func aCopyIsAValueOfItsOwn() {
        var metrics = TransportMetrics()
        metrics.httpVersion = "HTTP/2"
        let original = TransportResponse(
            head: HTTPResponse(status: .ok), body: ResponseBody(Data("body".utf8)), metrics: metrics)
        var copy = original
        copy.head.status = .notFound
        copy.body = ResponseBody()
        copy.metrics?.httpVersion = "HTTP/3"
        #expect(original.head.status == .ok)
        #expect(original.body.data == Data("body".utf8))
        #expect(original.metrics == metrics)
        #expect(copy.head.status == .notFound)
        #expect(copy.body.data == Data())
        #expect(copy.metrics?.httpVersion == "HTTP/3")
    }
}
