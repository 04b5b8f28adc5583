// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StrataMiddleware

/// RFC 9562 §4, §5.4.
struct RandomIdentifierTests {
    @Test func isAUUIDOfVersionFour() {
        let all = (0..<2000).map { _ in RandomIdentifier.uuid() }
        #expect(Set(all).count == 2000)
        let digits = Set("0123456789ABCDEF")
        for text in all {
            let groups = text.split(separator: "-", omittingEmptySubsequences: false)
            #expect(groups.map(\.count) == [8, 4, 4, 4, 12], "\(text)")
            #expect(groups.joined().allSatisfy { digits.contains($0) }, "\(text)")
            #expect(groups[2].first == "4", "\(text)")
            #expect(groups[3].first.map { "89AB".contains($0) } == true, "\(text)")
        }
        // Everywhere else each digit comes.
        let places = all.map { Array($0) }
        for place in [0, 7, 9, 12, 15, 17, 20, 22, 24, 35] {
            #expect(Set(places.map { $0[place] }) == digits, "\(place)")
        }
        #expect(Set(places.map { $0[19] }) == ["8", "9", "A", "B"])
    }
}
