// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataTesting
import Testing

@testable import StrataEncoding

struct ByteSearchTests {
    private func finds(_ text: String, in pieces: [Data]) -> Bool {
        var search = ByteSearch(for: text)
        return pieces.reduce(false) { $0 || search.finds(in: $1) }
    }

    /// Of two letters, so that most texts begin with what they also hold further on.
    @Test func findsWhatIsThereAndNothingElse() {
        var generator = SeededGenerator(seed: 3)
        func text(_ lengths: ClosedRange<Int>) -> String {
            String(
                (0..<Int.random(in: lengths, using: &generator)).map { _ in Bool.random(using: &generator) ? "a" : "b" }
            )
        }
        var found = 0
        for _ in 0..<2000 {
            let (pattern, content) = (text(1...7), text(0...24))
            let isThere = content.contains(pattern)
            found += isThere ? 1 : 0
            #expect(finds(pattern, in: [Data(content.utf8)]) == isThere, "\(pattern) in \(content)")
            #expect(finds(pattern, in: content.utf8.map { Data([$0]) }) == isThere, "\(pattern) in \(content)")
        }
        #expect((500...1500).contains(found))
    }

    @Test(arguments: [("aab", "aaab"), ("abab", "abaabab"), ("aabaaab", "aabaabaaab"), ("--b", "---b"), ("a", "a")])
    func aMatchThatFailsMayBeginTheNext(pattern: String, content: String) {
        for pieces in Data(content.utf8).rechunked(.everySplit) {
            #expect(finds(pattern, in: pieces))
            #expect(!finds(pattern, in: pieces.dropLast()))
        }
    }

    @Test func whatWasFoundStaysFound() {
        var search = ByteSearch(for: "ab")
        let answers = ["a", "b", "x", ""].map { search.finds(in: Data($0.utf8)) }
        #expect(answers == [false, true, true, true])
    }
}
