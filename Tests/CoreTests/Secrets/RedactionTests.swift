// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import Testing

struct RedactionTests {
    private let redaction = Redaction.standard

    @Test(arguments: [
        ("https://a.example/x?page=2", "https://a.example/x?page=2"),
        ("https://a.example/x?access_token=S", "https://a.example/x?access_token=***"),
        ("/x?a=1&API-Key=S&b=2#f", "/x?a=1&API-Key=***&b=2#f"),
        ("/x?%61pi_key=S", "/x?%61pi_key=***"),
        ("/x?X-Amz-Signature=S&X-Amz-Date=1", "/x?X-Amz-Signature=***&X-Amz-Date=1"),
        ("/x?a=1;sig=S", "/x?a=1;sig=***"),
        ("/x?token=", "/x?token=***"), ("/x?token", "/x?token"), ("/x?&&=1&a==b?c=d", "/x?&&=1&a==b?c=d"),
        ("https://u:S@a.example/p@q", "https://***@a.example/p@q"),
        ("https://u:S@T@a.example", "https://***@a.example"),
        (
            #"<https://a.example/?code=S>; rel="next", <b?x=1>"#,
            #"<https://a.example/?code=***>; rel="next", <b?x=1>"#
        ),
        ("/?token=S\r\nnext=1", "/?token=***\r\nnext=1"), ("/?a=1&\u{301}b=2", "/?a=1&\u{301}b=2"),
        ("a@b.example", "a@b.example"), ("", ""),
        ("app://x/#access_token=S&state=1", "app://x/#access_token=***&state=1"),
        ("/x;sid=S", "/x;sid=***"), ("/x?user[password]=S", "/x?user[password]=***"),
        ("/x?to=https%3A%2F%2Fa%2F%3Ftoken%3DS&b=1", "/x?to=***&b=1"),
        ("/x?to=%2F%3Fa%3D%252F%253Ftoken%253DS", "/x?to=***"), ("/x?to=%2F%3Fa%3D1", "/x?to=%2F%3Fa%3D1"),
        ("https://u:S&S'S@a.example/", "https://***@a.example/"),
        ("/x?to=https://a.example&b=c@d", "/x?to=https://***@d"),
        ("/x?to=https://a.example&token=S@S/S&b=1", "/x?to=https://***&b=1"),
        ("/?token=https://u:S@S/S", "/?token=***"),
        ("/x?next=https%3A%2F%2Fu%3AS%40h%2F", "/x?next=***"),
        ("/x?next=https%253A%252F%252Fu%253AS%2540h%252F", "/x?next=***"),
        ("/x?data=access_token%3DS", "/x?data=***"), ("/x?data=access_token=S", "/x?data=***"),
        ("/x?a=b%3Dcard%25252Ecvc%253DS", "/x?a=***"), ("/x?a=b=token=S", "/x?a=***"), ("/x?a=b=c=1", "/x?a=b=c=1"),
        ("/x?a=access_token%252525253DS", "/x?a=***"), ("/x?a=100%25&b=50%", "/x?a=100%25&b=50%"),
        ("https://a.example/x?password=it'S&b='c'", "https://a.example/x?password=***&b='c'"),
        ("//u:S@a.example/p", "//***@a.example/p"), ("//S@a.example", "//***@a.example"),
        ("/x?to=//u:S@h/", "/x?to=***"), ("/x?to=%2F%2Fu%3AS%40h", "/x?to=***"),
        ("https://a.example//b@c", "https://a.example//b@c"), ("https://@h", "https://@h"),
        ("/x?to=%7B%22token%22%3A%22S%22%7D", "/x?to=***"), ("/x?to=%7B%22a%22%3A1%7D", "/x?to=%7B%22a%22%3A1%7D"),
        (#"/x?to={"token":"S"}&b=1"#, #"/x?to={"token":"***"}&b=1"#), (#"{"token":"S"}"#, #"{"token":"***"}"#),
        ("a; token=S", "a; token=***"), (#"a=b; sid="S S", c=d"#, "a=b; sid=***, c=d"), ("token=S", "token=***"),
        ("text/html; charset=utf-8; key=a, code=b", "text/html; charset=utf-8; key=a, code=b"),
    ])
    func secretsInURLsAreHidden(text: String, expected: String) {
        #expect(redaction.url(text) == expected)
    }

    @Test(arguments: [
        (#"{"password":"S","a":1}"#, #"{"password":"***","a":1}"#),
        (#"{ "accessToken" : "S\"S" , "b" : [1] }"#, #"{ "accessToken" : "***" , "b" : [1] }"#),
        (#"{"a":{"client-secret":{"x":["S",{"y":"]}"}]},"c":2}}"#, #"{"a":{"client-secret":"***","c":2}}"#),
        (#"{"pin":1234}"#, #"{"pin":"***"}"#), (#"{"token":null,"x":1}"#, #"{"token":"***","x":1}"#),
        (#"{"p\u0061ssword":"S"}"#, #"{"p\u0061ssword":"***"}"#),
        (#"{"refresh_token":"S"#, #"{"refresh_token":"***""#), (#"{"secret""#, #"{"secret""#),
        (#"{"max_tokens":5,"code":"E1","key":"k"}"#, #"{"max_tokens":5,"code":"E1","key":"k"}"#),
        (#"{"a\"#, #"{"a\"#),
        (#"{"next":"https://a.example/?token=S"}"#, #"{"next":"https://a.example/?token=***"}"#),
        (#"{"url":"https:\/\/me:S@host\/"}"#, #"{"url":"https://***@host/"}"#),
        (#"{"next":"https:\/\/a\/?page=2\u0026sig=S"}"#, #"{"next":"https://a/?page=2&sig=***"}"#),
        (#"{"arguments":"{\"password\":\"S\"}"}"#, #"{"arguments":"{\"password\":\"***\"}"}"#),
        (#"{"arguments":"{\"password\":\"S"#, #"{"arguments":"{\"password\":\"***\""#),
        (#"{"form":"password=S&a=\ud83d\ude00\n"}"#, #"{"form":"password=***&a=😀\n"}"#),
        (#"{"q":"password=\"S S\""}"#, #"{"q":"password=***"}"#),
        (#"{"a":"5\" \/ \ud83d\ude00 \ud83d"}"#, #"{"a":"5\" \/ \ud83d\ude00 \ud83d"}"#),
    ])
    func secretsInJSONAreHidden(text: String, expected: String) {
        #expect(redaction.body(Data(text.utf8), contentType: "application/json") == expected)
    }

    @Test(arguments: [
        (#"["password","S"]"#, #"["password","***"]"#), (#"[ "pin" , 1234 ]"#, #"[ "pin" , "***" ]"#),
        (#"[["x-api-key","S S"],["a","b"]]"#, #"[["x-api-key","***"],["a","b"]]"#),
        (#"["password","S"#, #"["password","***""#), (#"["password","S","c"]"#, #"["password","S","c"]"#),
        (#"["a","password","S"]"#, #"["a","password","S"]"#), (#"["password",["S"]]"#, #"["password",["S"]]"#),
        (#"["password",{"a":"S"}]"#, #"["password",{"a":"S"}]"#), (#"["password"]"#, #"["password"]"#),
        (#"["password","#, #"["password","#),
        (#"{"required":["password","email"]}"#, #"{"required":["password","email"]}"#),
        (#"{"a":[["password","S"]]}"#, #"{"a":[["password","***"]]}"#), (#"["pin",true]"#, #"["pin","***"]"#),
        (#"["pin",1[2],3]"#, #"["pin",1[2],3]"#), (#"["pin",]"#, #"["pin",]"#),
        (#"{"type":"token","content":"hello"}"#, #"{"type":"token","content":"hello"}"#),
        (#"{"type":"session","data":{"a":1}}"#, #"{"type":"session","data":{"a":1}}"#),
        (#"["password":"S","c"]"#, #"["password":"***","c"]"#), (#"{"password","S"}"#, #"{"password","S"}"#),
        (#"{"kind":"Secret","data":{"a":"S"}}"#, #"{"kind":"Secret","data":"***"}"#),
        (#"{"value":"S","type":"password"}"#, #"{"value":"***","type":"password"}"#),
    ])
    func aValueBesideTheNameOfASecretIsHidden(text: String, expected: String) {
        #expect(redaction.body(Data(text.utf8), contentType: "application/json") == expected)
    }

    @Test(arguments: [
        (#"{"grant_type":"authorization_code","code":"S"}"#, #"{"grant_type":"authorization_code","code":"***"}"#),
        (#"{"code":"S","redirectUri":"a"}"#, #"{"code":"***","redirectUri":"a"}"#),
        (#"{"code":"E1","error":{"grant_type":"a"}}"#, #"{"code":"E1","error":{"grant_type":"a"}}"#),
        (#"{"grant_type":"a","error":{"code":"E1"}}"#, #"{"grant_type":"a","error":{"code":"E1"}}"#),
    ])
    func aCodeIsASecretInAnOAuthRequestAlone(text: String, expected: String) {
        #expect(redaction.body(Data(text.utf8), contentType: "application/json") == expected)
    }

    @Test(arguments: [
        (#"{"headers":[["Authorization","Bearer S3CRET"]]}"#, #"{"headers":[["Authorization","Bearer ***"]]}"#),
        (#"{"name":"Authorization","value":"Basic bWU6UzNDUkVU"}"#, #"{"name":"Authorization","value":"Basic ***"}"#),
        ("Authorization: bearer  S3CRET==\r\nx", "Authorization: bearer  ***\r\nx"),
        ("-H 'Authorization: Bearer S3C.R-E_T~+/=' x", "-H 'Authorization: Bearer ***' x"),
        ("Authorization=Bearer S3CRET", "Authorization=*** ***"), ("a=Bearer%20S3CRET&b=1", "a=***&b=1"),
        ("note=Bearer+S3CRET", "note=Bearer+***"), ("a=x+bearer++S3C.R+E", "a=x+bearer++***+E"),
        ("1+basic+YTpi", "1+basic+***"),
        ("/p?note=Bearer+S3CRET&b=1", "/p?note=Bearer+***&b=1"), ("the+bearer+of+news", "the+bearer+of+news"),
        ("Bearer abcdefghijklmnop", "Bearer ***"), ("\"Bearer S3CRET=\",", "\"Bearer ***\","),
        ("the bearer of good news, Basic auth, basic as1: no", "the bearer of good news, Basic auth, basic as1: no"),
        (#"Bearer realm="S", error="x""#, #"Bearer realm="S", error="x""#), ("Bearer a1=b", "Bearer a1=b"),
        (#"Bearer authorization_uri="https://a""#, #"Bearer authorization_uri="https://a""#), ("Bearer ", "Bearer "),
        ("forbearer S3CRET", "forbearer S3CRET"),
    ])
    func credentialsBehindTheirSchemeAreHidden(text: String, expected: String) {
        #expect(redaction.body(Data(text.utf8), contentType: nil) == expected)
        #expect(redaction.url(text) == expected)
    }

    @Test func secretsInJSONInStringsAreHiddenHoweverDeep() throws {
        var text = #"{"password":"S3CRET"}"#
        for depth in 0..<9 {
            let shown = redaction.body(Data(text.utf8), contentType: "application/json")
            #expect(!shown.contains("S3CRET") && shown.contains("***"), "\(depth)")
            text = String(decoding: try JSONEncoder().encode(["a": text]), as: UTF8.self)
        }
    }

    @Test func secretsInFormsAreHidden() {
        let form = Data("username=u&password=S&code=S&a=%26+b".utf8)
        #expect(
            redaction.body(form, contentType: "application/x-www-form-urlencoded; charset=utf-8")
                == "username=u&password=***&code=***&a=%26+b")
        #expect(redaction.body(form, contentType: nil) == "username=u&password=***&code=***&a=%26+b")
        let nested = Data("user%5Bpassword%5D=S&pin=S".utf8)
        #expect(
            redaction.body(nested, contentType: "application/x-www-form-urlencoded")
                == "user%5Bpassword%5D=***&pin=***")
        #expect(redaction.body(Data("a=1\npassword=S".utf8), contentType: "text/plain") == "a=1\npassword=***")
        for quoted in [#""S S""#, "'S S'", #""S\"S""#, #""S""S""#, "'S'S", #""S\"#] {
            #expect(redaction.body(Data("password=\(quoted)".utf8), contentType: "text/plain") == "password=***")
        }
        #expect(
            redaction.body(Data("password=\"S S\",user=\"u\"".utf8), contentType: "text/plain")
                == "password=***,user=\"u\"")
        #expect(
            redaction.body(
                Data("username=u&password=S#S <S>'S\"S&a=1".utf8), contentType: "application/x-www-form-urlencoded")
                == "username=u&password=***&a=1")
        #expect(redaction.body(Data("a=it's&password=S'S".utf8), contentType: nil) == "a=it's&password=***")
    }

    @Test(arguments: [
        ("payload=%7B%22token%22%3A%22S%22%7D&a=1", "payload=***&a=1"),
        (#"a=1&payload={"token":"S"}"#, #"a=1&payload={"token":"***"}"#),
        (#"payload={"password":"S&b;T","x":1}"#, #"payload={"password":"***","x":1}"#),
        (#"q={"a":"b&c;d?e","pin":"S"}&b=1"#, #"q={"a":"b&c;d?e","pin":"***"}&b=1"#),
        (#"q={"a":1}&r=%7B%22a%22%3A1%7D"#, #"q={"a":1}&r=%7B%22a%22%3A1%7D"#),
        ("set_cookie=S&a=1", "set_cookie=***&a=1"),
        // The one is text that begins as JSON does, the other a form whose value ends so.
        ("[1] token=S rest", "[1] token=*** rest"), ("token=S S [&a=1", "token=***&a=1"), ("token=S S [", "token=***"),
        (#"{"password":"S","url":"/?token=S&a=1"}"#, #"{"password":"***","url":"/?token=***&a=1"}"#),
        ("\u{feff} [{\"token\":\"S\"}]", "\u{feff} [{\"token\":\"***\"}]"),
    ])
    func secretsInJSONInFormsAreHidden(text: String, expected: String) {
        #expect(redaction.body(Data(text.utf8), contentType: "application/x-www-form-urlencoded") == expected)
    }

    /// The start of a long body may end within a character.
    @Test(arguments: ["é", "ß", "日", "李", "😀", "𝄞"]) func textMayEndWithinACharacter(character: String) {
        let bytes = Data("token=S&a=\(character)".utf8)
        for end in (bytes.count - character.utf8.count)...bytes.count {
            let whole = end == bytes.count ? character : ""
            #expect(
                redaction.body(bytes[..<end], contentType: "application/x-www-form-urlencoded")
                    == "token=***&a=\(whole)")
        }
    }

    @Test(arguments: [
        ("login failed for password=S", "login failed for password=***"),
        ("error: token=S; retry later", "error: token=*** retry later"),
        (#"<login user="u" password="S S"/>"#, #"<login user="u" password=***/>"#),
        ("user=u, password=S", "user=u, password=***"), ("(token=S)", "(token=***"), ("{a=1,pin=S}", "{a=***"),
        ("a=1\tpassword=S", "a=1\tpassword=***"), ("said 'pin=S'", "said 'pin=***"),
        ("a=(b=c, pin=S", "a=(b=c, pin=***"), ("password= S", "password= ***"), ("password = S", "password = ***"),
        ("password =S", "password =***"), ("a=b\npassword=\tS S\nc=d", "a=b\npassword=\t***\nc=d"),
        ("see /reset/token=S now", "see /reset/token=*** now"), ("in a/b=c, d= e", "in a/b=c, d= e"),
        ("exit code=5, key=a", "exit code=5, key=a"), ("option=a spin=b author=c", "option=a spin=b author=c"),
        ("https://a.example/x says password: S", "https://a.example/x says password: ***"),
        ("a=b https://a.example token: S", "a=b https://a.example token: ***"),
        ("// see a@b", "// see a@b"), ("see http://localhost:8080.", "see http://localhost:8080."),
        ("see http://[::1]:8080", "see http://[::1]:8080"), ("at 12:30, a://b", "at 12:30, a://b"),
    ])
    func secretsInPlainTextAreHidden(text: String, expected: String) {
        #expect(redaction.body(Data(text.utf8), contentType: "text/plain") == expected)
    }

    @Test(arguments: [
        "https://h/reset/token=S", "/token=S", "/a/token=S?b=1", "/a;token=S", "/a?token=S&b=1", "/a#token=S",
    ])
    func secretsAreHiddenWhereverTheyStandInAURL(url: String) {
        #expect(!redaction.wholeURL(url, options: nil).contains("S"))
        #expect(!redaction.url("see \(url) now", options: nil).contains("S"))
    }

    /// No port has letters (RFC 3986 §3.2.3).
    @Test(arguments: [
        "https://u:S3CRET", #"{"next":"https://u:S3CRET"#, #"{"next":"https:\/\/u:S3CRET"#,
        "x=1\nhttps://user%40h:S3CRET", "to=https%3A%2F%2Fu%3AS3CRET",
    ])
    func aPasswordIsHiddenThatIsCutOffBeforeItsHost(text: String) {
        #expect(!redaction.body(Data(text.utf8), contentType: nil).contains("S3CRET"))
    }

    @Test(arguments: [
        #"{"password":\#n"S3CRET"}"#, #"{"tokens": [\#n"S3CRET"\#n]}"#, #"{"credentials": {\#n"a": "S3CRET"\#n}}"#,
        #"{"a": 1}\#n{"password":\#n\#n"S3CRET"}"#,
    ])
    func aSecretOfSeveralLinesIsHiddenAlsoInJSONLines(text: String) {
        #expect(!redaction.body(Data(text.utf8), contentType: "application/x-ndjson").contains("S3CRET"))
    }

    @Test func linesOfJSONAreHiddenAsEachWouldBeAlone() {
        let lines = [
            #"{"password":"S3CRET","n":[1,{"token":"S3CRET"}]}"#, "", #"["]}\"{", {"name":"secret","value":"S3CRET"}]"#,
            #"{"note":"to=\"x\" password: S3CRET"}"#, "  {\"a\":\"Bearer S3CRETS3CRET\"}\r",
            #"{"url":"https://u:S3CRET@h/"}"#,
        ]
        let text = lines.joined(separator: "\n")
        let redacted = redaction.body(Data(text.utf8), contentType: "application/x-ndjson")
        #expect(!redacted.contains("S3CRET"))
        let alone = lines.map { redaction.body(Data($0.utf8), contentType: "application/json") }
        #expect(redacted == alone.joined(separator: "\n"))
    }

    @Test(arguments: ["application/jsonl", "application/x-ndjson; charset=utf-8"])
    func aLineThatIsCutOffDoesNotShowTheSecretsOfTheNext(contentType: String) {
        let lines = #"{"a":"x\#n{"password":"S"}\#n\#n{"secret":"S\#n{"secret":"S"#
        let expected = #"{"a":"x\#n{"password":"***"}\#n\#n{"secret":"***"\#n{"secret":"***""#
        #expect(redaction.body(Data(lines.utf8), contentType: contentType) == expected)
    }

    @Test(arguments: ["Cookie", "cookies", "Set-Cookie", "set_cookie", "Authorization", "proxy_authorization"])
    func membersThatAreNamedLikeFieldsAreHidden(name: String) {
        for value in [#""a=S""#, #"["S"]"#, #"{"a":"S"}"#] {
            let body = Data(#"{"headers":{"Host":"h","\#(name)":\#(value)}}"#.utf8)
            #expect(
                redaction.body(body, contentType: "application/json")
                    == #"{"headers":{"Host":"h","\#(name)":"***"}}"#)
        }
    }

    @Test func whatIsNoTextIsNamedAndNotShown() {
        #expect(redaction.body(Data([0xff, 0xfe, 0, 1]), contentType: "image/png") == "<4 bytes of image/png>")
        #expect(redaction.body(Data("a\u{1b}".utf8), contentType: nil) == "<2 bytes>")
        #expect(
            redaction.body(Data("--x".utf8), contentType: "multipart/form-data; boundary=x")
                == "<3 bytes of multipart/form-data>")
        for type in ["multipart/form-data; boundary=x, text/plain", "multipart", "multipart/; boundary=x"] {
            #expect(redaction.body(Data("--x".utf8), contentType: type).hasPrefix("<3 bytes"))
        }
        #expect(redaction.body(Data("né".utf8.dropLast()), contentType: "text/plain") == "n")
    }

    @Test func moreNamesAndAnotherReplacementCanBeGiven() throws {
        let tenant = try #require(HTTPField.Name("X-Tenant"))
        var redaction = Redaction.standard
        redaction.fields.insert(tenant)
        redaction.members.insert("IBAN_number")
        redaction.queryItems.insert("tenant")
        redaction.replacement = "[gone]"
        #expect(redaction.value(of: HTTPField(name: tenant, value: "S")) == "[gone]")
        #expect(redaction.body(Data(#"{"ibanNumber":"S"}"#.utf8), contentType: nil) == #"{"ibanNumber":"[gone]"}"#)
        #expect(redaction.url("/?Tenant=S") == "/?Tenant=[gone]")
        #expect(redaction.body(Data(#"{"x_tenant":"S"}"#.utf8), contentType: nil) == #"{"x_tenant":"[gone]"}"#)
    }

    @Test func aReplacementMayHaveDelimitersInIt() {
        var redaction = Redaction.standard
        redaction.replacement = "<not shown>"
        #expect(
            redaction.body(Data(#"{"url":"/?token=S&a=1","b":"a pin=S"}"#.utf8), contentType: nil)
                == #"{"url":"/?token=<not shown>&a=1","b":"a pin=<not shown>"}"#)
    }

    @Test func heedsTheNamesThatOptionsMark() throws {
        var options = RequestOptions()
        options.sensitiveQueryItems = ["app_id"]
        options.sensitiveFields = [try #require(HTTPField.Name("X-Tenant"))]
        func shown(_ text: String, _ contentType: String) -> String {
            redaction.body(Data(text.utf8), contentType: contentType, options: options)
        }
        #expect(shown("appid=S&a=1", "application/x-www-form-urlencoded") == "appid=***&a=1")
        #expect(
            shown(#"{"app_id":"S","x-tenant":"S","url":"/?appid=S"}"#, "application/json")
                == #"{"app_id":"***","x-tenant":"***","url":"/?appid=***"}"#)
        #expect(redaction.url("/?appid=S", options: options) == "/?appid=***")
    }

    /// What a log and a curl command show of a value by that name: in a query, a form, a JSON object and a field.
    private func shown(of name: String) throws -> [String] {
        let pair = PercentEncoding.encode(name) + "=S3CRET"
        let form = "application/x-www-form-urlencoded"
        var request = try TransportRequest(
            method: .post, url: "https://a.example/?\(pair)", headerFields: [.contentType: form],
            body: .data(Data(pair.utf8)))
        var texts = [
            redaction.url(request.url), redaction.body(Data(pair.utf8), contentType: form),
            redaction.body(Data(#"{"\#(name)":"S3CRET"}"#.utf8), contentType: "application/json"),
        ]
        if let field = HTTPField.Name(name) {
            request.head.headerFields[field] = "S3CRET"
            texts.append(redaction.value(of: HTTPField(name: field, value: "S3CRET")))
        }
        return texts + [request.curlCommand(), request.curlCommand(redaction: redaction)]
    }

    @Test(arguments: [
        "password_confirmation", "password1", "password2", "passwords", "password[0]", "user[password]", "user[pin]",
        "pin[]", "db_pwd", "passwd", "passphrase", "pin", "otp", "cvv2", "card.cvc", "accessToken", "tokens",
        "access_tokens", "refresh_tokens", "id_token_hint", "secrets", "api_keys", "private_key", "X-Auth-Key",
        "Ocp-Apim-Subscription-Key", "subscription-key", "client_assertion", "code_verifier", "jwt", "auth", "X-Auth",
        "authorization", "X-Authorization", "session", "JSESSIONID", "sid", "sas", "sig", "X-Amz-Signature",
        "X-Amz-Credential",
    ])
    func secretsAreHiddenByTheirNamesEverywhere(name: String) throws {
        for text in try shown(of: name) { #expect(!text.contains("S3CRET")) }
    }

    @Test(arguments: [
        "max_tokens", "total_tokens", "completion_tokens", "prompt_tokens_details", "cache_read_input_tokens",
        "tokens_per_minute", "token_type", "token_count", "tokenizer", "X-RateLimit-Remaining-Tokens", "username",
        "keyword", "monkey", "passenger", "author", "spin", "signal", "Idempotency-Key",
    ])
    func whatOnlySoundsAlikeIsShownEverywhere(name: String) throws {
        for text in try shown(of: name) { #expect(text.contains("S3CRET") && !text.contains("***")) }
    }

    @Test func fieldsThatSoundLikeSecretsAre() throws {
        for name in [
            "X-Auth-Token", "X-Amz-Security-Token", "X-CSRF-Token", "X-Goog-Api-Key", "X-Hub-Signature", "Cookie",
        ] {
            let field = HTTPField(name: try #require(HTTPField.Name(name)), value: "S")
            #expect(redaction.value(of: field) == "***", "\(name)")
        }
        for name in ["Accept", "WWW-Authenticate", "ETag", "Content-Type"] {
            let field = HTTPField(name: try #require(HTTPField.Name(name)), value: "S")
            #expect(redaction.value(of: field) == "S", "\(name)")
        }
    }
}
