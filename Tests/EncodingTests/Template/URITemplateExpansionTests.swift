// SPDX-License-Identifier: Apache-2.0

import StrataEncoding
import Testing

/// The examples of RFC 6570, section by section.
struct URITemplateExpansionTests {
    private let variables: [String: URITemplate.Value] = [
        "count": ["one", "two", "three"], "dom": ["example", "com"], "dub": "me/too", "hello": "Hello World!",
        "half": "50%", "var": "value", "who": "fred", "base": "http://example.com/home/", "path": "/foo/bar",
        "list": ["red", "green", "blue"], "keys": ["semi": ";", "dot": ".", "comma": ","], "v": "6", "x": "1024",
        "y": "768", "empty": "", "empty_list": [], "empty_keys": [:],
        // Not of the standard's own: empty values within others.
        "gaps": ["", "a", ""], "pairs": ["a": "", "b": "c"],
    ]

    private func check(_ template: String, _ expected: String) throws {
        #expect(try URITemplate(template).expand(variables) == expected, "\(template)")
    }

    /// §3.2.1.
    @Test(arguments: [
        ("{count}", "one,two,three"), ("{count*}", "one,two,three"), ("{/count}", "/one,two,three"),
        ("{/count*}", "/one/two/three"), ("{;count}", ";count=one,two,three"),
        ("{;count*}", ";count=one;count=two;count=three"), ("{?count}", "?count=one,two,three"),
        ("{?count*}", "?count=one&count=two&count=three"), ("{&count*}", "&count=one&count=two&count=three"),
    ])
    func aListGoesOutByItsOperator(_ template: String, _ expected: String) throws { try check(template, expected) }

    /// §3.2.2.
    @Test(arguments: [
        ("{var}", "value"), ("{hello}", "Hello%20World%21"), ("{half}", "50%25"), ("O{empty}X", "OX"),
        ("O{undef}X", "OX"), ("{x,y}", "1024,768"), ("{x,hello,y}", "1024,Hello%20World%21,768"),
        ("?{x,empty}", "?1024,"), ("?{x,undef}", "?1024"), ("?{undef,y}", "?768"), ("{var:3}", "val"),
        ("{var:30}", "value"), ("{list}", "red,green,blue"), ("{list*}", "red,green,blue"),
        ("{keys}", "semi,%3B,dot,.,comma,%2C"), ("{keys*}", "semi=%3B,dot=.,comma=%2C"),
    ])
    func aSimpleExpansion(_ template: String, _ expected: String) throws { try check(template, expected) }

    /// §3.2.3.
    @Test(arguments: [
        ("{+var}", "value"), ("{+hello}", "Hello%20World!"), ("{+half}", "50%25"),
        ("{base}index", "http%3A%2F%2Fexample.com%2Fhome%2Findex"), ("{+base}index", "http://example.com/home/index"),
        ("O{+empty}X", "OX"), ("O{+undef}X", "OX"), ("{+path}/here", "/foo/bar/here"),
        ("here?ref={+path}", "here?ref=/foo/bar"), ("up{+path}{var}/here", "up/foo/barvalue/here"),
        ("{+x,hello,y}", "1024,Hello%20World!,768"), ("{+path,x}/here", "/foo/bar,1024/here"),
        ("{+path:6}/here", "/foo/b/here"), ("{+list}", "red,green,blue"), ("{+list*}", "red,green,blue"),
        ("{+keys}", "semi,;,dot,.,comma,,"), ("{+keys*}", "semi=;,dot=.,comma=,"),
    ])
    func aReservedExpansion(_ template: String, _ expected: String) throws { try check(template, expected) }

    /// §3.2.4.
    @Test(arguments: [
        ("{#var}", "#value"), ("{#hello}", "#Hello%20World!"), ("{#half}", "#50%25"), ("foo{#empty}", "foo#"),
        ("foo{#undef}", "foo"), ("{#x,hello,y}", "#1024,Hello%20World!,768"), ("{#path,x}/here", "#/foo/bar,1024/here"),
        ("{#path:6}/here", "#/foo/b/here"), ("{#list}", "#red,green,blue"), ("{#list*}", "#red,green,blue"),
        ("{#keys}", "#semi,;,dot,.,comma,,"), ("{#keys*}", "#semi=;,dot=.,comma=,"),
    ])
    func aFragmentExpansion(_ template: String, _ expected: String) throws { try check(template, expected) }

    /// §3.2.5.
    @Test(arguments: [
        ("{.who}", ".fred"), ("{.who,who}", ".fred.fred"), ("{.half,who}", ".50%25.fred"),
        ("www{.dom*}", "www.example.com"), ("X{.var}", "X.value"), ("X{.empty}", "X."), ("X{.undef}", "X"),
        ("X{.var:3}", "X.val"), ("X{.list}", "X.red,green,blue"), ("X{.list*}", "X.red.green.blue"),
        ("X{.keys}", "X.semi,%3B,dot,.,comma,%2C"), ("X{.keys*}", "X.semi=%3B.dot=..comma=%2C"),
        ("X{.empty_keys}", "X"), ("X{.empty_keys*}", "X"), ("X{.empty_list}", "X"), ("X{.empty_list*}", "X"),
    ])
    func aLabelExpansion(_ template: String, _ expected: String) throws { try check(template, expected) }

    /// §3.2.6.
    @Test(arguments: [
        ("{/who}", "/fred"), ("{/who,who}", "/fred/fred"), ("{/half,who}", "/50%25/fred"),
        ("{/who,dub}", "/fred/me%2Ftoo"), ("{/var}", "/value"), ("{/var,empty}", "/value/"), ("{/var,undef}", "/value"),
        ("{/var,x}/here", "/value/1024/here"), ("{/var:1,var}", "/v/value"), ("{/list}", "/red,green,blue"),
        ("{/list*}", "/red/green/blue"), ("{/list*,path:4}", "/red/green/blue/%2Ffoo"),
        ("{/keys}", "/semi,%3B,dot,.,comma,%2C"), ("{/keys*}", "/semi=%3B/dot=./comma=%2C"),
    ])
    func aPathExpansion(_ template: String, _ expected: String) throws { try check(template, expected) }

    /// §3.2.7.
    @Test(arguments: [
        ("{;who}", ";who=fred"), ("{;half}", ";half=50%25"), ("{;empty}", ";empty"),
        ("{;v,empty,who}", ";v=6;empty;who=fred"), ("{;v,bar,who}", ";v=6;who=fred"), ("{;x,y}", ";x=1024;y=768"),
        ("{;x,y,empty}", ";x=1024;y=768;empty"), ("{;x,y,undef}", ";x=1024;y=768"), ("{;hello:5}", ";hello=Hello"),
        ("{;list}", ";list=red,green,blue"), ("{;list*}", ";list=red;list=green;list=blue"),
        ("{;keys}", ";keys=semi,%3B,dot,.,comma,%2C"), ("{;keys*}", ";semi=%3B;dot=.;comma=%2C"),
        ("{;gaps*}", ";gaps;gaps=a;gaps"), ("{;pairs*}", ";a;b=c"), ("{;pairs}", ";pairs=a,,b,c"),
    ])
    func aParameterExpansion(_ template: String, _ expected: String) throws { try check(template, expected) }

    /// §3.2.8 and §3.2.9, which differ in how they begin.
    @Test(arguments: [
        ("{?who}", "?who=fred"), ("{?half}", "?half=50%25"), ("{?x,y}", "?x=1024&y=768"),
        ("{?x,y,empty}", "?x=1024&y=768&empty="), ("{?x,y,undef}", "?x=1024&y=768"), ("{?var:3}", "?var=val"),
        ("{?list}", "?list=red,green,blue"), ("{?list*}", "?list=red&list=green&list=blue"),
        ("{?keys}", "?keys=semi,%3B,dot,.,comma,%2C"), ("{?keys*}", "?semi=%3B&dot=.&comma=%2C"),
        ("{?gaps*}", "?gaps=&gaps=a&gaps="), ("{?pairs*}", "?a=&b=c"), ("{?pairs}", "?pairs=a,,b,c"),
        ("{?undef}", ""), ("{?empty_list,empty_keys*}", ""),
    ])
    func aQueryExpansion(_ template: String, _ expected: String) throws {
        try check(template, expected)
        try check(template.replacing("?", with: "&"), expected.replacing("?", with: "&"))
        try check("?fixed=yes" + template.replacing("?", with: "&"), "?fixed=yes" + expected.replacing("?", with: "&"))
    }

    /// §2.4.1: what a prefix is of; §3.2.1: in which it counts characters.
    @Test(arguments: [
        ("{list:3}", "list"), ("{?keys:3}", "keys"), ("{+list:1}", "list"), ("{x,keys:2}", "keys"),
    ])
    func aPrefixIsOfTextAlone(_ template: String, _ name: String) throws {
        let error = #expect(throws: URITemplateError.self) { try URITemplate(template).expand(variables) }
        #expect(error?.reason == "a prefix of \"\(name)\", which is not text" && error?.offset == nil)
        #expect(error?.description == "URI template: a prefix of \"\(name)\", which is not text")
    }

    @Test func everyReservedCharacterStaysWhereItMay() throws {
        let reserved = ":/?#[]@!$&'()*+,;="
        let unreserved = "AZaz09-._~"
        let value: [String: URITemplate.Value] = ["v": .string(reserved + unreserved + " \"<>\\^`{|}é")]
        let rest = "%20%22%3C%3E%5C%5E%60%7B%7C%7D%C3%A9"
        for form in ["+", "#"] {
            let expanded = try URITemplate("{\(form)v}").expand(value)
            #expect(expanded == (form == "#" ? "#" : "") + reserved + unreserved + rest)
        }
        #expect(
            try URITemplate("{v}").expand(value)
                == "%3A%2F%3F%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D" + unreserved + rest)
    }
}
