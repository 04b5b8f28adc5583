// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding
import StrataTesting
import TestSupport
import Testing

struct RequestURLTests {
    private func build(_ base: String, _ path: String? = nil, _ items: [URLQueryItem] = []) throws -> String {
        try RequestURL(base: RequestURL(base), path: path, items: items).text
    }

    @Test(arguments: [
        ("api.example.com/v1", "the URL \"api.example.com/v1\" has no scheme"),
        ("ftp://a.example/b", "the URL \"ftp://a.example/b\" has a scheme that is neither http nor https"),
        ("https:///b", "the URL \"https:///b\" has no host"),
        ("https://a b/c?token=s3cret#s3cret", "the URL \"https://a b/c\" cannot be used: "),
        ("https://ada:s3cret@h:x/", "the URL \"https://h:x/\" cannot be used: "),
        ("ada:s3cret@h/a", "the URL \"…@h/a\" has a scheme that is neither http nor https"),
        ("a\nb", "the URL \"a\u{FFFD}b\" has no scheme"),
    ])
    func anErrorShowsWhatItComplainsAbout(_ text: String, _ message: String) {
        let error = #expect(throws: NetworkClientError.self) { try RequestURL(text) }
        #expect(error?.code == .malformedURL)
        #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("s3cret") == false)
    }

    @Test func aBaseURLThatIsNoneMakesEveryCallFail() async {
        for text in ["api.example.com", "", "https://[", "https://a b"] {
            let transport = ScriptedTransport()
            var configuration = NetworkConfiguration(baseURL: text, transport: transport)
            configuration.defaultFields = [.authorization: "Bearer t"]
            let client = NetworkClient(configuration: configuration)
            await #expect {
                try await client.run(NetworkRequest<VoidRequest, VoidResponse>(path: "a", method: .get))
            } throws: {
                ($0 as? NetworkClientError)?.code == .malformedURL
            }
            #expect(transport.requests.isEmpty)
        }
    }

    @Test func putsOneSlashBetweenBaseAndPath() throws {
        for base in ["https://h/api/v3", "https://h/api/v3/"] {
            for path in ["posts", "/posts"] { #expect(try build(base, path) == "https://h/api/v3/posts") }
        }
        #expect(try build("https://h", "posts") == "https://h/posts")
        #expect(try build("https://h/api/v3") == "https://h/api/v3")
        #expect(try build("https://h/api/v3", "") == "https://h/api/v3")
        #expect(try build("https://h/api/", "posts/") == "https://h/api/posts/")
    }

    @Test func encodesValuesExactlyOnce() throws {
        let items = [
            URLQueryItem(name: "q", value: "a+b c&d=e"), URLQueryItem(name: "none", value: nil),
            URLQueryItem(name: "ü", value: "100%"), URLQueryItem(name: "empty", value: ""),
        ]
        #expect(try build("https://h/x", nil, items) == "https://h/x?q=a%2Bb%20c%26d%3De&%C3%BC=100%25&empty=")
    }

    @Test func addsQueriesUp() throws {
        let items = [URLQueryItem(name: "z", value: "3")]
        #expect(try build("https://h/v1?key=1", "users?x=2", items) == "https://h/v1/users?key=1&x=2&z=3")
        #expect(try build("https://h/v1?key=1&", "users?x=2&", items) == "https://h/v1/users?key=1&x=2&z=3")
        #expect(try build("https://h/v1?", "users?", items) == "https://h/v1/users?z=3")
        #expect(try build("https://h/v1?key=1", "users", []) == "https://h/v1/users?key=1")
        #expect(try build("https://h/v1", "users", [URLQueryItem(name: "a", value: nil)]) == "https://h/v1/users")
    }

    /// One `&` between two queries, and none where one of them is empty or ends with it.
    @Test func anEmptyQueryIsNoPart() throws {
        #expect(try build("https://h/v1?", "users?x=2") == "https://h/v1/users?x=2")
        #expect(try build("https://h/v1?key=1", "users?") == "https://h/v1/users?key=1")
        #expect(try build("https://h/v1?", "users?") == "https://h/v1/users?")
        #expect(try build("https://h/v1", "users?") == "https://h/v1/users?")
        #expect(try build("https://h/v1?", "users") == "https://h/v1/users?")
        #expect(try build("https://h/v1?key=1&", "?x=2") == "https://h/v1?key=1&x=2")
        #expect(try build("https://h/v1?key=1", "?x=2") == "https://h/v1?key=1&x=2")
    }

    @Test func keepsEscapesInPathsAndEncodesTheRest() throws {
        #expect(try build("https://h", "a%2Fb/c d/100%/#tag/ü") == "https://h/a%2Fb/c%20d/100%25/%23tag/%C3%BC")
    }

    @Test func takesACompleteURLInPlaceOfThePath() throws {
        #expect(try build("https://h/v1", "HTTPS://other.example/x?y") == "https://other.example/x?y")
    }

    @Test func writesTheAuthorityInCanonicalForm() throws {
        #expect(try build("HTTPS://Example.COM:443/") == "https://example.com/")
        #expect(try build("http://example.com:8080") == "http://example.com:8080/")
        #expect(try build("http://[2001:DB8:0:0:0:0:0:1]:80/") == "http://[2001:db8::1]/")
        #expect(try build("http://[FE80:0::1%25eth0]:8080/") == "http://[fe80::1%25eth0]:8080/", "RFC 6874")
        #expect(try build("http://[fe80::1%25Wlan_0.1]/") == "http://[fe80::1%25Wlan_0.1]/")
        #expect(try build("http://bücher.example/") == "http://xn--bcher-kva.example/")
        #expect(try build("http://BU\u{308}CHER.example/") == "http://xn--bcher-kva.example/", "composed")
        #expect(try build("http://e\u{302}\u{323}.example/") == build("http://\u{1ec7}.example/"))
        #expect(try build("http://\u{1112}\u{1161}\u{11ab}.example/") == build("http://\u{d55c}.example/"))
        #expect(try build("http://faß.example/") == "http://xn--fa-hia.example/")
        #expect(try build("http://l·l.example/") == "http://xn--ll-0ea.example/")
        #expect(try build("http://日本語。example/") == "http://xn--wgv71a119e.example/")
        #expect(try build("http://ＢÜＣＨＥＲ.example/") == "http://xn--bcher-kva.example/")
    }

    @Test(arguments: [
        ("か\u{3099}", "xn--v8j"), ("\u{627}\u{653}", "xn--hgb"), ("\u{929}", "xn--m2b"), ("\u{928}\u{93c}", "xn--m2b"),
        ("\u{995}\u{9c7}\u{9be}", "xn--p5b2i"), ("a\u{301}\u{316}", "xn--1ca44i"), ("a\u{316}\u{301}", "xn--1ca44i"),
        ("e\u{301}\u{302}", "xn--9ca88h"), ("\u{e19}\u{e49}\u{e33}", "xn--q3c4c8cq"),
        ("ｂu\u{ad}\u{308}cher", "xn--bcher-kva"), ("ΣΑΣ", "xn--mxa9ab"),
        // Letters that hold a mark, and get another that belongs before or behind it.
        ("\u{e9}\u{329}", "xn--9ca66i"), ("e\u{329}\u{301}", "xn--9ca66i"), ("\u{e1}\u{331}", "xn--1ca89i"),
        ("\u{e1}\u{323}", "xn--lsa752l"), ("\u{1ea5}\u{323}", "xn--lsa182l"), ("\u{f3}\u{31b}", "xn--bmg"),
        ("\u{e9}\u{323}\u{329}", "xn--lsa3fu12h"),
        ("\u{622}\u{655}", "xn--kgb6g"),
        // Letters that are always others, and those that are never composed.
        ("\u{3b1}\u{3b3}\u{1f71}", "xn--hxajg"), ("\u{958}", "xn--11b2f"), ("\u{9a1}\u{9bc}", "xn--15b8c"),
        ("\u{9dc}", "xn--15b8c"), ("\u{a5e}", "xn--z9b8a"),
        ("ᏣᎳᎩ", "xn--f9dt7l"), ("\u{ab70}", "xn--58d"), ("\u{13f8}", "xn--gce"),
    ])
    func namesTheHostThatOthersDo(host: String, expected: String) throws {
        #expect(try build("http://\(host).example") == "http://\(expected).example/")
    }

    /// RFC 1035 §2.3.4: 63 bytes with the mark in front.
    @Test func limitsALabelThatIsEncoded() throws {
        let label = "ü" + String(repeating: "a", count: 55)
        #expect(try build("http://\(label).example").utf8.count == "http://.example/".utf8.count + 63)
        #expect(throws: NetworkClientError.self) { try RequestURL("http://\(label)a.example") }
    }

    /// The notations of the URL standard.
    @Test(arguments: [
        ("0x", "0.0.0.0"), ("0x7f.1", "127.0.0.1"), ("0x7F000001", "127.0.0.1"), ("0X0a.0", "10.0.0.0"),
        ("1.0x", "1.0.0.0"), ("010.1", "8.0.0.1"), ("1.2.3.255", "1.2.3.255"), ("256", "0.0.1.0"),
    ])
    func readsTheNumbersOfAnAddress(text: String, address: String) throws {
        #expect(try build("http://\(text)/") == "http://\(address)/")
    }

    @Test(arguments: [
        // What others map to something else.
        "\u{fb01}", "\u{2163}", "\u{2460}", "x\u{b2}", "\u{f900}", "\u{17f}", "\u{fb2a}", "\u{1f84}",
        // What no label may be.
        "\u{301}a", "a.\u{301}b", "\u{9c7}\u{9be}", "xn--é", "ab--é", "≠",
    ])
    func refusesAHostThatWouldBeAnother(host: String) {
        let error = #expect(throws: NetworkClientError.self) { try RequestURL("http://\(host).example") }
        #expect(error?.code == .malformedURL)
    }

    @Test func namesOneHostWhateverStandsBehindABackslash() throws {
        for mark in ["", "\u{301}", "\u{20dd}"] {
            #expect(try RequestURL("https://evil.example\\\(mark)@h/").authority == "evil.example")
        }
    }

    @Test func refusesALabelThatIsTooLongForPunycode() {
        // Long enough for the numbers of RFC 3492 to overflow.
        let label = String(repeating: "a", count: 24_999) + "\u{29f96}"
        for host in [label, String(repeating: "ü", count: 60), "x.\(label).example"] {
            #expect(throws: NetworkClientError.self) { try RequestURL("https://\(host)/") }
        }
    }

    @Test func leadingZerosOfAPortDoNotCount() throws {
        #expect(try build("http://h:0080/") == "http://h/")
        #expect(try build("http://h:00000000000000000000008080/") == "http://h:8080/")
        #expect(try build("http://h:0/") == "http://h:0/")
    }

    @Test func takesCredentialsAsTheBytesThatTheyAre() throws {
        func credentials(_ url: String) throws -> Data? {
            let field = try TransportRequest(url: url).head.headerFields[.authorization]
            return try field.map { try #require(Data(base64Encoded: String($0.dropFirst("Basic ".count)))) }
        }
        #expect(try credentials("http://user:p%3Aw%20:@h/") == Data("user:p:w :".utf8))
        #expect(try credentials("http://user:%E9@h/") == Data("user:".utf8) + [0xe9])
        #expect(try credentials("http://user@h/") == Data("user:".utf8))
        #expect(try credentials("http://@h/") == nil)
    }

    @Test(arguments: ["us%3Aer:p", "us%3Aer", "a%0Ab:c", "a:b%00", "%7F", "a\u{1}:b"])
    func refusesCredentialsThatBasicCannotCarry(userinfo: String) throws {
        let error = #expect(throws: NetworkClientError.self) { try RequestURL("http://\(userinfo)@h/") }
        #expect(error?.code == .malformedURL)
        #expect(error?.message.contains(userinfo) == false)
    }

    @Test(
        arguments: [
            "", "/relative", "ftp://h/", "file:///etc/passwd", "http://", "http:///x", "http://a b/", "http://h:99999/",
            "http://h:x/", "http://h:0000065536/", "http://[::1", "http://[::g]/", "http://256.1.1.1/", "http://a%00b/",
            "http://0xffffffffffffffffff/", "http://1.0x10000000000000000", "http://foo.0XFfFfFfFfFfFfFfFfFfFfAcE123",
            "javascript:alert(1)", "http://h:\u{301}8080/", "http://[\u{301}::1]/",
        ])
    func refusesWhatIsNoHTTPURL(text: String) {
        #expect {
            try RequestURL(text)
        } throws: { error in
            (error as? NetworkClientError)?.code == .malformedURL
        }
    }

    @Test(.vectors("url/wpt-url-http.json"))
    func agreesWithTheURLStandard() throws {
        var wrong: [String] = []
        for vector in try Vectors.cases("url/wpt-url-http.json", of: URLStandardVector.self) {
            var reference = URLReference(vector.input)
            if let base = vector.base { reference = URLReference(base).resolving(reference) }
            let problem: String?
            if let url = try? RequestURL(reference) {
                problem = vector.difference(from: url)
            } else {
                problem = vector.mayBeRefused(as: reference) ? nil : "is refused"
            }
            if let problem { wrong.append("\(vector.id): \(vector.input.debugDescription) \(problem)") }
        }
        #expect(wrong.isEmpty, "\(wrong.joined(separator: "\n"))")
    }
}

/// What the URL standard makes of a text. What it repairs and RFC 3986 does not may be refused here, but never be taken for
/// another host.
private struct URLStandardVector: Decodable {
    var id: String
    var input: String
    var base: String?
    var failure: Bool?
    var href: String?
    var host: String?
    var pathname: String?
    var search: String?

    /// Controls and outer spaces, which the standard removes and RFC 3986 encodes.
    private var hasStrayCharacters: Bool {
        input.utf8.contains { $0 < 0x20 } || input.utf8.first == 0x20 || input.utf8.last == 0x20
    }

    func mayBeRefused(as reference: URLReference) -> Bool {
        guard failure != true, let href, href.hasPrefix("http:") || href.hasPrefix("https:") else { return true }
        // Slashes that are missing or too many.
        return reference.authority?.isEmpty != false || hasStrayCharacters
    }

    func difference(from url: RequestURL) -> String? {
        if failure == true { return "is accepted as \(url.authority)" }
        if url.authority != host { return "has the host \(url.authority), not \(host ?? "")" }
        if hasStrayCharacters { return nil }
        // An escaped dot is no dot segment in RFC 3986.
        if !input.lowercased().contains("%2e"), url.path != encoded(pathname?[...], .path) {
            return "has the path \(url.path), not \(pathname ?? "")"
        }
        // RFC 3986 lets an apostrophe stand.
        let query = encoded(search?.dropFirst(), .query).replacing("%27", with: "'")
        return url.query ?? "" == query ? nil : "has the query \(url.query ?? ""), not \(query)"
    }

    /// Here all is encoded that RFC 3986 does not let stand, a percent sign that begins no escape among it.
    private func encoded(_ text: Substring?, _ allowed: PercentEncoding.Allowed) -> String {
        PercentEncoding.encodeKeepingEscapes(text ?? "", allowed: allowed)
    }
}
