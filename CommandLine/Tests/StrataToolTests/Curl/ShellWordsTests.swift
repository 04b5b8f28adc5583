// SPDX-License-Identifier: Apache-2.0

import StrataTool
import Testing

struct ShellWordsTests {
    @Test(arguments: [
        ("a b  c", ["a", "b", "c"]),
        ("a 'b c' \"d e\"", ["a", "b c", "d e"]),
        ("a''b \"\" ''", ["ab", "", ""]),
        (#"a\ b \' \""#, ["a b", "'", "\""]),
        (#"'it'\''s'"#, ["it's"]),
        (#""a\"b\\c\d""#, [#"a"b\c\d"#]),
        ("a \\\n  b", ["a", "b"]),
        ("a \\\r\n b", ["a", "b"]),
        ("\"a\\\nb\"", ["ab"]),
        (#"$'a\nb\t\'\x41\u00e9\U0001F600\101'"#, ["a\nb\t'A\u{e9}\u{1F600}A"]),
        (#"$'\ud83d\ude00'"#, ["\u{1F600}"]),
        (#"$'\ud83d!'"#, ["\u{FFFD}!"]),
        (#"$'\xc3\xa9'"#, ["\u{e9}"]),
        (#"cost$ "$" '$HOME'"#, ["cost$", "$", "$HOME"]),
        ("http://a/?b=1 # comment", ["http://a/?b=1"]),
        ("a#b", ["a#b"]),
        ("", []),
        ("\u{e9}\u{301}", ["\u{e9}\u{301}"]),
    ])
    func wordsAreThoseOfAShell(text: String, words: [String]) throws {
        #expect(try ShellWords.split(text) == words)
    }

    @Test(arguments: [
        "a 'b", "a \"b", "a $'b", "a \\", "a | b", "a > f", "a & b", "a; b", "a `b`", "\"`b`\"", "a $HOME",
        "\"$TOKEN\"", "${A}",
        "$(b)", "a < f", #"$'a\"#, #""a\"#,
    ])
    func whatAShellWouldDoWithThemIsAnError(text: String) {
        #expect(throws: UsageError.self) { try ShellWords.split(text) }
    }

    @Test func everyPrefixIsWordsOrAnError() {
        let text = #"curl 'a b' "c\"d" $'e\u00e9\x41' \f https://a/?b=1 -H 'X: "y"' # end"#
        for end in text.indices { _ = try? ShellWords.split(String(text[..<end])) }
    }
}
