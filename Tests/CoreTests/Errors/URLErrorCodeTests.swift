// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

struct URLErrorCodeTests {
    @Test(
        arguments: [
            (.cancelled, .cancelled), (.malformedURL, .badURL), (.timedOut, .timedOut), (.dnsFailed, .cannotFindHost),
            (.cannotConnect, .cannotConnectToHost), (.proxyFailed, .cannotConnectToHost),
            (.connectionLost, .networkConnectionLost), (.tooManyRedirects, .httpTooManyRedirects),
            (.invalidRedirect, .redirectToNonExistentLocation), (.protocolViolation, .badServerResponse),
            (.contentEncodingFailed, .cannotDecodeContentData), (.signedOut, .userAuthenticationRequired),
            (.bodyTooLarge, .dataLengthExceedsMaximum), (.tlsFailed, .secureConnectionFailed),
        ] as [(NetworkClientError.Code, URLError.Code)])
    func isTheOneOfURLSession(_ code: NetworkClientError.Code, _ expected: URLError.Code) {
        #expect(NetworkClientError(code, "").urlErrorCode == expected.rawValue)
    }

    @Test(
        arguments: [
            .encodingFailed, .decodingFailed, .unacceptableStatus, .uploadFailed, .internalFailure,
            .unsupportedByTransport,
        ] as [NetworkClientError.Code])
    func isNoneForStagesThatURLSessionDoesNotHave(_ code: NetworkClientError.Code) {
        #expect(NetworkClientError(code, "").urlErrorCode == nil)
    }

    @Test func isThatOfASessionWhichFailed() {
        let cause = URLError(.dataNotAllowed)
        #expect(
            NetworkClientError(.connectionLost, "", cause: cause).urlErrorCode == URLError.Code.dataNotAllowed.rawValue)
        let cancelled = URLError(.cancelled)
        #expect(NetworkClientError(.timedOut, "", cause: cancelled).urlErrorCode == URLError.Code.timedOut.rawValue)
    }
}
