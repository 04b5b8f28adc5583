// SPDX-License-Identifier: Apache-2.0

import StrataTesting
import Testing

@testable import StrataCore

/// What holds for any text at all, tried on much of it. The texts are the same in each run.
struct RequestURLPropertyTests {
    private static let alphabet = Array("abx019 \t\r\n\0\u{7f}\"\\=,;:/?#[]@!$&'()*+%-._~{}<>|^`é😀\u{301}İß。\u{fe0f}")

    private static func texts(_ count: Int) -> [String] {
        var generator = SeededGenerator(seed: 1)
        return (0..<count).map { _ in
            let length = Int.random(in: 0...24, using: &generator)
            return String((0..<length).compactMap { _ in alphabet.randomElement(using: &generator) })
        }
    }

    private func isOnTheWireAsItIs(_ text: String) -> Bool { text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f } }

    @Test func whatIsAcceptedIsCleanAndMeansItself() throws {
        var accepted = 0
        for text in Self.texts(4000) {
            for prefix in ["https://", "http://[", "https://a.example/", "https://a.example?"] {
                guard let url = try? RequestURL(prefix + text) else { continue }
                accepted += 1
                #expect(isOnTheWireAsItIs(url.text), "\((prefix + text).debugDescription)")
                #expect(try RequestURL(url.text).text == url.text, "\((prefix + text).debugDescription)")
            }
        }
        #expect(accepted > 4000)
    }

    @Test func noPathLeavesItsHost() throws {
        let base = try RequestURL("https://a.example/api?k=1")
        for text in Self.texts(4000) {
            let url = try RequestURL(base: base, path: text)
            #expect(url.authority == "a.example" && isOnTheWireAsItIs(url.text), "\(text.debugDescription)")
            #expect(url.query?.hasPrefix("k=1") == true)
        }
    }
}
