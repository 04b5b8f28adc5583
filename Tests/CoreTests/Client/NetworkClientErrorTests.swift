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
}
