// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataTool
import Testing

struct TerminalTextTests {
    @Test(arguments: [
        ("a\tb\n", "a\tb\n"), ("\u{1B}[2J", "\\u{1b}[2J"), ("a\r\nb", "a\r\nb"), ("a\rb", "a\\u{d}b"),
        ("\u{202E}x", "\\u{202e}x"),
        ("é 😀", "é 😀"), ("\u{0}", "\\u{0}"),
    ])
    func controlsAreShown(text: String, shown: String) { #expect(TerminalText.safe(text) == shown) }

    @Test func aCharacterMayComeInPieces() {
        let text = "aé€😀\u{1B}z"
        let bytes = Data(text.utf8)
        for first in 0...bytes.count {
            for second in first...bytes.count {
                var reader = TerminalText()
                var shown = reader.feed(bytes[..<first])
                shown += reader.feed(bytes[first..<second])
                shown += reader.feed(bytes[second...]) + reader.end()
                #expect(shown == "aé€😀\\u{1b}z", "cut at \(first) and \(second)")
            }
        }
    }

    @Test func whatIsCutOffAtTheEndIsReplaced() {
        var reader = TerminalText()
        #expect(reader.feed(Data([0x61, 0xE2, 0x82])) + reader.end() == "a\u{FFFD}")
    }
}
