// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import Testing

/// What is hidden of a text, and what around it is not.
struct SecretSearchTests {
    private func shown(_ text: String, _ contentType: String? = nil) -> String {
        Redaction.standard.body(Data(text.utf8), contentType: contentType)
    }

    @Test(arguments: [
        ("password: S", "password: ***"), ("password:  S S\nb: 1", "password:  ***\nb: 1"),
        ("user: ada\npassword: S\r\nhost: h", "user: ada\npassword: ***\r\nhost: h"),
        ("password:", "password:"), ("password: ", "password: "), ("password: ***\nb: 1", "password: ***\nb: 1"),
        ("pass phrase: S", "pass phrase: ***"), ("my API key: S", "my API key: ***"),
        ("password d e f: x", "password d e f: x"), ("the two secret words: S", "the two secret words: ***"),
        ("$password: S", "$password: ***"), ("user[pin]: S", "user[pin]: ***"), ("@auth: S", "@auth: ***"),
        ("password = S\nb = 1", "password = ***\nb = 1"), ("password =S", "password =***"),
        ("https://a.example/x", "https://a.example/x"), ("x = 1", "x = 1"), ("x: 1", "x: 1"), (": S", ": S"),
    ])
    func aSecretStandsBehindItsNameOnALine(text: String, expected: String) {
        #expect(shown(text) == expected)
    }

    @Test(arguments: [
        ("password: 'S S' # x", "password: '***' # x"), ("password: \"S\", b: 1", "password: \"***\", b: 1"),
        ("password: \"S\"T, b: 1", "password: ***, b: 1"), ("password: 'S''S' x", "password: '***' x"),
        ("password: 'S\\'S' x", "password: '***' x"), ("password: 'S", "password: ***"),
        ("password: '' x", "password: '' x"), ("password: '\nb: 1", "password: ***"),
        ("'password': 'S', 'b': 'c'", "'password': '***', 'b': 'c'"), ("{'password': 'S'}", "{'password': '***'}"),
        ("{'password': S}\nx", "{'password': ***\nx"), ("-H 'Token: S S' x", "-H 'Token: ***' x"),
        ("password: 'S';b", "password: '***';b"), ("password: 'S')b", "password: '***')b"),
    ])
    func aValueInQuotesEndsWithThem(text: String, expected: String) {
        #expect(shown(text) == expected)
    }

    @Test(arguments: [
        ("Authorization: Bearer S", "Authorization: Bearer ***"),
        ("authorization: Basic \tS", "authorization: Basic \t***"),
        ("X-Authorization: Digest a=b, c", "X-Authorization: Digest ***"), ("Authorization: S", "Authorization: ***"),
        ("Authorization: S ", "Authorization: ***"), ("Authorization: (S) T", "Authorization: ***"),
        ("-H 'Authorization: Token S' x", "-H 'Authorization: Token ***' x"),
        ("Authentication: Token S", "Authentication: ***"),
    ])
    func theSchemeOfCredentialsIsKept(text: String, expected: String) {
        #expect(shown(text) == expected)
    }

    @Test(arguments: [
        ("password: |\n  S\n  T\nb: 2", "password: ***\nb: 2"), ("password: >\n  S\nb: 2", "password: ***\nb: 2"),
        ("password: |-\n\n  S\n\n  T\n\nb: 2", "password: ***\n\nb: 2"),
        ("password:\n  S\nb: 2", "password:***\nb: 2"), ("password:\n- S\n- T\nb: 2", "password:***\nb: 2"),
        ("password:\nb: 2", "password:\nb: 2"), ("a:\n  password:\n  - S\n  b: 2", "a:\n  password:***\n  b: 2"),
        ("a:\n  password:\n    S\n b: 2", "a:\n  password:***\n b: 2"),
        ("- password: |\n    S\nb: 2", "- password: ***\nb: 2"),
        ("\tpassword:\n\t\tS\n\tb: 2", "\tpassword:***\n\tb: 2"), ("password: |\n  S", "password: ***"),
        ("password: S\n  T\nb: 2", "password: ***\n  T\nb: 2"),
    ])
    func aBlockEndsWhereItIsIndentedNoMore(text: String, expected: String) {
        #expect(shown(text, "application/yaml") == expected)
    }

    @Test(arguments: [
        ("<password>S</password><b>x</b>", "<password>***</password><b>x</b>"),
        ("<a:password x='1'>S</a:password>", "<a:password x='1'>***</a:password>"),
        ("<token><b>S</b></token><b>x</b>", "<token>***</token><b>x</b>"),
        ("<password/><b>x</b>", "<password/><b>x</b>"),
        ("<password></password><b>x</b>", "<password></password><b>x</b>"),
        ("<password>S<b>x", "<password>***"), ("<a><password>S", "<a><password>***"), ("<password>", "<password>"),
        ("<_pin>S</_pin>", "<_pin>***</_pin>"), ("<1pin>x</1pin>", "<1pin>x</1pin>"), ("<pin", "<pin"),
        ("<a>password</a><b>x</b>", "<a>password</a><b>x</b>"), ("</password>x<b>y</b>", "</password>x<b>y</b>"),
        ("<!-- <password>S</password> -->", "<!-- <password>***</password> -->"),
    ])
    func anElementHidesItsContent(text: String, expected: String) {
        #expect(shown(text, "application/xml") == expected)
    }

    @Test(arguments: [
        ("<a password='S' b='x'/>", "<a password=*** b='x'/>"),
        ("<a b='x' c:pin = 'S'>y</a>", "<a b='x' c:pin = '***'>y</a>"),
        ("<a password = \"S\" b=\"x\">y</a>", "<a password = \"***\" b=\"x\">y</a>"),
        ("<a password=S b=x>y</a>", "<a password=*** b=x>y</a>"),
        ("<a password = '' b='x'/>", "<a password = '' b='x'/>"),
        ("<a b='>' password = 'S>S'>x</a>", "<a b='>' password = '***'>x</a>"),
        ("<a b=\"'\" pin =\n'S'>x", "<a b=\"'\" pin =\n'***'>x"),
        ("<a password>x</a>", "<a password>x</a>"), ("<a b='x'>y</a>", "<a b='x'>y</a>"),
    ])
    func anAttributeHidesItsValue(text: String, expected: String) {
        #expect(shown(text, "application/xml") == expected)
    }

    @Test(arguments: [
        ("<add key=\"password\" value=\"S\" other=\"x\"/>", "<add key=\"password\" value=\"***\" other=\"x\"/>"),
        ("<add value='S' key='password'>T</add><b>x</b>", "<add value='***' key='password'>***</add><b>x</b>"),
        ("<add key='user' value='x'/>", "<add key='user' value='x'/>"),
        ("<add other='password' value='x'/>", "<add other='password' value='x'/>"),
        ("<input name='password' value='S'>x</form>", "<input name='password' value='***'>x</form>"),
        ("<meta name='csrf-token' content='S'><p>x</p>", "<meta name='csrf-token' content='***'><p>x</p>"),
        (
            "<key>password</key><string>S</string><string>x</string>",
            "<key>password</key><string>***</string><string>x</string>"
        ),
        ("<key>user</key><string>x</string>", "<key>user</key><string>x</string>"),
        ("<name>pin</name> <value>S</value><b>x</b>", "<name>pin</name> <value>***</value><b>x</b>"),
        ("<other>pin</other><value>x</value>", "<other>pin</other><value>x</value>"),
    ])
    func whatNamesASecretHidesWhatStandsBesideIt(text: String, expected: String) {
        #expect(shown(text, "application/xml") == expected)
    }

    @Test(arguments: [
        (#"{"name":"password","value":"S","x":"y"}"#, #"{"name":"password","value":"***","x":"y"}"#),
        (#"{"value":"S","x":1,"Key" : "pin"}"#, #"{"value":"***","x":1,"Key" : "pin"}"#),
        (#"{"n":"pin","v":12,"b":[1]}"#, #"{"n":"pin","v":"***","b":[1]}"#),
        (#"{"name":"password","a":{"value":"x"}}"#, #"{"name":"password","a":{"value":"x"}}"#),
        (#"[{"name":"password"},{"value":"x"}]"#, #"[{"name":"password"},{"value":"x"}]"#),
        (#"{"a":[{"name":"pin"}],"value":"x"}"#, #"{"a":[{"name":"pin"}],"value":"x"}"#),
        (#"{"key":"user","value":"x"}"#, #"{"key":"user","value":"x"}"#),
        (#"{"name":5,"value":"x"}"#, #"{"name":5,"value":"x"}"#), (#"{"name":"#, #"{"name":"#),
        (#"{"other":"pin","value":"x"}"#, #"{"other":"pin","value":"x"}"#),
        (#"{"name":"pin","valued":"x"}"#, #"{"name":"pin","valued":"x"}"#),
        (#"{"name":"password","values":[1,{"a":2}],"b":3}"#, #"{"name":"password","values":"***","b":3}"#),
        (#"{"name":"Authorization","value":"Token S"}"#, #"{"name":"Authorization","value":"***"}"#),
        (#"{"name":"Authorization","value":"Bearer S3CRET1"}"#, #"{"name":"Authorization","value":"Bearer ***"}"#),
        (#"{"name":"Authorization","value":["Bearer S3CRET1"]}"#, #"{"name":"Authorization","value":"***"}"#),
        (#"{"name":"pin","value":"Bearer S3CRET1"}"#, #"{"name":"pin","value":"***"}"#),
    ])
    func anObjectThatNamesASecretHidesItsValue(text: String, expected: String) {
        #expect(shown(text, "application/json") == expected)
    }

    @Test(arguments: [
        (#"{"pin":[[1],{"a":2}],"b":1}"#, #"{"pin":"***","b":1}"#),
        (#"{"pin":{"a":"]}"},"b":1}"#, #"{"pin":"***","b":1}"#),
        (#"{"pin": 1 ,"b":1}"#, #"{"pin": "***" ,"b":1}"#), (#"{"pin":true}"#, #"{"pin":"***"}"#),
        (#"[{"pin":-1.5}]"#, #"[{"pin":"***"}]"#), (#"{"pin":[1, 2],"b":[3]}"#, #"{"pin":"***","b":[3]}"#),
        (#"{"pin":"#, #"{"pin":"***""#), (#"{"pin":[1,"#, #"{"pin":"***""#), (#"{"pin" : "S""#, #"{"pin" : "***""#),
        (#"{"pin":"a\"b","c":"d"}"#, #"{"pin":"***","c":"d"}"#), (#"{"pin","b":1}"#, #"{"pin","b":1}"#),
        ("{\"pin\"\n:\t1\n}", "{\"pin\"\n:\t\"***\"\n}"),
    ])
    func aMemberHidesItsValueAlone(text: String, expected: String) {
        #expect(shown(text, "application/json") == expected)
    }

    /// What is deeper than four strings counts as secret.
    @Test func textInStringsIsSearchedToADepth() {
        func nested(_ count: Int, _ inner: String) -> String {
            (0..<count).reduce(inner) { text, _ in
                "{\"a\":\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\"}"
            }
        }
        for count in 0...4 {
            let text = nested(count, #"{"b":1}"#)
            #expect(shown(text, "application/json") == text)
        }
        #expect(shown(nested(5, #"{"b":1}"#), "application/json") == nested(4, #"{"a":"***"}"#))
        #expect(shown(nested(5, "plain"), "application/json") == nested(5, "plain"))
    }

    /// What is no JSON may go on in the next line.
    @Test(arguments: ["\"token\":\n\"S\"", "\"token\":\n\"S\"\n{\"a\":1}"])
    func linesThatAreNoJSONAreSearchedTogether(text: String) {
        #expect(!shown(text, "application/x-ndjson").contains("S"))
    }

    @Test(arguments: [
        "{pin='S}", "[{a: [1, {pin='S}]}]", "{\"a\":\"]\", pin='S}",
    ])
    func aLineOfJSONThatIsWholeHidesNothingOfTheNext(line: String) throws {
        let end = try #require(line.range(of: "'S"))
        let hidden = line[..<end.lowerBound] + "***"
        #expect(shown(line + "\n{\"b\":1}", "application/x-ndjson") == hidden + "\n{\"b\":1}")
        #expect(shown("{\"b\":1}\n\n" + line, "application/jsonl") == "{\"b\":1}\n\n" + hidden)
    }

    @Test(arguments: [
        ("AKIA0123456789abcde", false), ("AKIA0123456789abcdef", true), ("sk-0123456789abcde", false),
        ("sk-0123456789abcdef", true), ("xAKIA0123456789abcdef", false), ("eyJ0123456789._-bcde", true),
        ("eyJ0123456789._-bcd", true), ("eyJ0123456789._-bc", false), ("SG.0123456789abcdef", true),
    ])
    func aKeyIsKnownByItsMarkAndItsLength(key: String, isSecret: Bool) {
        #expect(shown("see \(key), x") == "see \(isSecret ? "***" : key), x")
        #expect(shown(key) == (isSecret ? "***" : key))
    }

    @Test(arguments: [
        (
            "a\n-----BEGIN PRIVATE KEY-----\nS\n-----END PRIVATE KEY-----\nb",
            "a\n-----BEGIN PRIVATE KEY-----***-----END PRIVATE KEY-----\nb"
        ),
        ("-----BEGIN RSA PRIVATE KEY-----\nS-----T", "-----BEGIN RSA PRIVATE KEY-----***"),
        ("-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----"),
        (
            "-----BEGIN PUBLIC KEY-----\nx\n-----END PUBLIC KEY-----",
            "-----BEGIN PUBLIC KEY-----\nx\n-----END PUBLIC KEY-----"
        ),
        ("-----END PRIVATE KEY-----\nx", "-----END PRIVATE KEY-----\nx"),
        (
            "-----BEGIN X-----\nx\n-----END X-----\n-----BEGIN PRIVATE KEY-----\nS\n-----END PRIVATE KEY-----y",
            "-----BEGIN X-----\nx\n-----END X-----\n-----BEGIN PRIVATE KEY-----***-----END PRIVATE KEY-----y"
        ),
    ])
    func aPrivateKeyIsHiddenBetweenItsLines(text: String, expected: String) {
        #expect(shown(text) == expected)
    }

    @Test(arguments: [
        ("Bearer abcdefghijklmno x", "Bearer abcdefghijklmno x"), ("Bearer abcdefghijklmnop x", "Bearer *** x"),
        ("Bearer xA", "Bearer ***"), ("Bearer A", "Bearer A"), ("Basic dTpw x", "Basic *** x"),
        ("Basic dXA= x", "Basic dXA= x"),
        ("Basic  dTpwcA== x", "Basic  *** x"), ("BEARER a1==,", "BEARER ***,"), ("'bearer a1", "'bearer ***"),
        ("xbearer a1", "xbearer a1"), ("bearer", "bearer"), ("basic ", "basic "), ("Bearer a1=x", "Bearer a1=x"),
        ("Bearer a1=\"x\"", "Bearer a1=\"x\""), ("\"Bearer a1=\", x", "\"Bearer ***\", x"),
        ("Bearer a1='", "Bearer ***'"),
    ])
    func credentialsAreToldFromWords(text: String, expected: String) {
        #expect(shown(text) == expected)
    }

    @Test(arguments: [
        ("text/csv", "user,password\nbob,S", true), ("text/csv", "user;\"pin\"\nbob;S", true),
        ("text/csv", "user,email\npassword,x", false), ("text/tab-separated-values", "user\tpin\r\nbob\tS", true),
        ("text/tab-separated-values", "user\tmail\r\npin\tx", false), ("text/plain", "user,password\nbob,x", false),
        ("application/xml", "<a>&lt;password&gt;S&lt;/password&gt;</a>", true),
        ("application/xml", "<a>&#60;password&#62;S&#60;/password&#62;</a>", true),
        ("application/xml", "<a>&#x3c;password&#x3e;S&#x3C;/password&#x3E;</a>", true),
        ("application/xml", "<a>&lt;b pin=&quot;S&quot;/&gt;</a>", true),
        ("application/xml", "<a>&lt;b&gt;x&lt;/b&gt;</a>", false),
        ("application/xml", "<a>x &amp; y</a>", false), ("application/xml", "<a>&lt;x</a>", false),
        ("multipart/form-data", "--b", true), ("x, Multipart/mixed", "--b", true),
    ])
    func theSizeAloneIsShownWhereNoSearchWouldFindAll(type: String, text: String, isHidden: Bool) {
        let shown = shown(text, type)
        #expect(shown.hasPrefix("<\(text.utf8.count) bytes") == isHidden)
        #expect(isHidden || shown == text)
    }

    @Test func bytesAreOverwrittenWhereTheyAreSecret() {
        let (start, end) = (Data([0, 1, 0xFF]), Data([0xFE, 0x80]))
        func hidden(_ text: String) -> Data { Redaction.standard.bytes(start + Data(text.utf8) + end) }
        func expected(_ text: String) -> Data { start + Data(text.utf8) + end }
        #expect(hidden("Bearer S3CRET1,") == expected("Bearer *******,"))
        #expect(
            hidden("x AKIA0123456789abcdef ghp_0123456789abcdef")
                == expected("x ******************** ********************"))
        #expect(hidden("Basic dTpw;") == expected("Basic ****;"))
        #expect(hidden("password=x") == expected("password=x"))
        #expect(Redaction.standard.bytes(Data()).isEmpty)
    }

    @Test(
        arguments: [
            ([], true), (Array("aä\t\r\n€😀".utf8), true), ([0x61, 0], false), ([0x1B], false), ([0x1F], false),
            ([0x20, 0x7F], true), ([0xFF], false), ([0x61, 0xC3], true), ([0xC3, 0x61], false), ([0xE2, 0x82], true),
            ([0xE2], true), ([0xF0, 0x9F, 0x98], true), ([0xF0], true), ([0xC1], false), ([0xF5], false),
            ([0x80], false), ([0xC3, 0xA4, 0xA4], false), ([0xF0, 0x9F, 0x98, 0x80, 0x80], false), ([0xC2], true),
            ([0xF4], true), ([0x61, 0xE0, 0xA0], true),
        ] as [([UInt8], Bool)])
    func textIsUTF8WithoutControlCharacters(bytes: [UInt8], isText: Bool) {
        #expect(Redaction.isText(Data(bytes)) == isText)
    }
}
