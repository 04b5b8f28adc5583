// SPDX-License-Identifier: Apache-2.0

import StrataRest
import Testing

struct RestBearerTokenTests {
    @Test func neverPrintsTheToken() {
        var dumped = ""
        dump(RestBearerToken(value: "s3cret", type: token.type), to: &dumped)
        #expect(!"\(RestBearerToken(value: "s3cret", type: token.type))\(dumped)".contains("s3cret"))
    }
}
