// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import Testing

struct StatusPolicyTests {
    @Test(arguments: [StatusPolicy.ranges(200..<300, 304..<305, 404..<404), .ranges(200...299, 304...304)])
    func takesRangesOfBothKinds(policy: StatusPolicy) {
        let codes = [199, 200, 299, 300, 304, 305, 404].filter { policy.accepts(.init(code: $0)) }
        #expect(codes == [200, 299, 304])
    }

    @Test func rangesOfBothKindsAreTheSame() {
        #expect(StatusPolicy.ranges(200..<300) == .ranges(200...299))
        #expect(StatusPolicy.codes(404, .max) == .ranges(404...404, Int.max...Int.max))
    }
}
