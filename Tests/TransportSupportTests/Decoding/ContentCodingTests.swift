// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataTesting
import Testing

@testable import StrataTransportSupport

struct ContentCodingTests {
    private func decoded(_ status: Int, length: Int64?) -> TransportResponse {
        var response = TransportResponse(
            head: HTTPResponse(status: .init(code: status), headerFields: Self.fields),
            body: ResponseBody(length: length, source: PiecesSource([])), metrics: TransportMetrics())
        ContentCoding.decode(&response)
        return response
    }

    private static let fields: HTTPFields = [.contentEncoding: "gzip", .contentLength: "12"]

    @Test func movesWhatDecodingMakesUntrueToTheMetrics() {
        let response = decoded(200, length: 12)
        #expect(response.head.headerFields.isEmpty)
        #expect(response.metrics?.contentEncoding == "gzip")
        #expect(response.metrics?.contentLength == 12)
        #expect(response.body.length == nil)
    }

    @Test func takesNoNameWithABlankForACoding() {
        var response = TransportResponse(
            head: HTTPResponse(status: .ok, headerFields: [.contentEncoding: "g zip"]),
            body: ResponseBody(Data("x".utf8)))
        ContentCoding.decode(&response)
        #expect(response.head.headerFields == [.contentEncoding: "g zip"])
    }

    /// Also when its end comes later than its head.
    @Test(arguments: [204, 304]) func leavesTheHeadOfAResponseWithoutABodyAlone(_ status: Int) {
        let response = decoded(status, length: 0)
        #expect(response.head.headerFields == Self.fields)
        #expect(response.body.length == 0)
    }
}
