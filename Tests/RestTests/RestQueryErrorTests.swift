// SPDX-License-Identifier: Apache-2.0

import StrataRest
import Testing

struct RestQueryErrorTests {
    @available(*, deprecated, message: "tests the old name")
    @Test func theOldNameOfACaseMatches() {
        func isNoResponse(_ error: RestQueryError) -> Bool {
            switch error {
            case .urlReponse: true
            default: false
            }
        }
        #expect(isNoResponse(.urlResponse))
        #expect(!isNoResponse(.urlValidation))
        #expect(!isNoResponse(.statusCode(500)))
    }
}
