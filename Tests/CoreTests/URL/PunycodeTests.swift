// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StrataCore

struct PunycodeTests {
    /// RFC 3492 §7.1, without those samples that mark upper case, and some names of every day.
    @Test(arguments: [
        ("ليهمابتكلموشعربي؟", "egbpdaj6bu4bxfgehfvwxn"), ("他们为什么不说中文", "ihqwcrb4cv8a8dqg056pqjye"),
        ("почемужеонинеговорятпорусски", "b1abfaaepdrnnbgefbadotcwatmq2g4l"),
        ("3年B組金八先生", "3B-ww4c5e180e575a65lsy2b"),
        ("安室奈美恵-with-SUPER-MONKEYS", "-with-SUPER-MONKEYS-pc58ag80a8qai00g7n9n"),
        ("Hello-Another-Way-それぞれの場所", "Hello-Another-Way--fc4qua05auwb3674vfr0b"),
        ("ひとつ屋根の下2", "2-u9tlzr9756bt3uc0v"), ("MajiでKoiする5秒前", "MajiKoi5-783gue6qz075azm5e"),
        ("パフィーdeルンバ", "de-jg4avhby1noc0d"), ("そのスピードで", "d9juau41awczczp"), ("bücher", "bcher-kva"),
        ("a\u{80}", "a-ba"), ("\u{7f}\u{80}", "\u{7f}-ba"),
        ("ü", "tda"),
    ])
    func encodesTheSamples(label: String, encoded: String) {
        #expect(Punycode.encode(label[...]) == encoded)
    }
}
