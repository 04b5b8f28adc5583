// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import Testing

struct NetworkClientErrorTests {
    @Test func isDescribedTheSameWhereverItIsShown() {
        let error: any Error = NetworkClientError(
            .unacceptableStatus, "gone", response: HTTPResponse(status: .gone))
        #expect("\(error)" == "unacceptableStatus: gone (status 410)")
        #expect(error.localizedDescription == "\(error)")
    }

    @Test func namesTheStatusOnce() {
        let error = NetworkClientError(
            .unacceptableStatus, "the server answered with status 410", response: HTTPResponse(status: .gone))
        #expect("\(error)" == "unacceptableStatus: the server answered with status 410")
    }

    @Test func showsACauseThatQuotesNoValuesInOneLine() {
        struct Lost: ValueFreeError { var outline: String }
        let error = NetworkClientError(
            .decodingFailed, "no", response: HTTPResponse(status: .ok), cause: Lost(outline: "a\r\nb\u{2028}c"))
        #expect("\(error)" == "decodingFailed: no: a  b c (status 200)")
        let long = Lost(outline: String(repeating: "k", count: 301))
        let cut = String(repeating: "k", count: 300) + "…"
        #expect("\(NetworkClientError(.decodingFailed, "no", cause: long))" == "decodingFailed: no: \(cut)")
    }

    @Test func whatMayPassByItselfIsTransient() {
        var unprocessed = NetworkClientError(.tlsFailed, "lost in the handshake")
        unprocessed.isUnprocessed = true
        let transient: [NetworkClientError] = [
            NetworkClientError(.connectionLost, ""), NetworkClientError(.dnsFailed, ""),
            NetworkClientError(.cannotConnect, ""), .timedOut(.attempt), .timedOut(.idle), .timedOut(.connect),
            unprocessed,
        ]
        let lasting: [NetworkClientError] = [
            .timedOut(.deadline), NetworkClientError(.tlsFailed, ""), NetworkClientError(.unacceptableStatus, ""),
            NetworkClientError(.protocolViolation, ""), NetworkClientError(.cancelled, ""),
        ]
        #expect(transient.allSatisfy { $0.isTransient })
        #expect(!lasting.contains { $0.isTransient })
    }
}
