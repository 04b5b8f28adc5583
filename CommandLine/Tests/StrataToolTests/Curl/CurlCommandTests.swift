// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataTool
import Testing

struct CurlCommandTests {
    private func read(_ path: String) throws -> Data {
        let files = ["body": "a\r\nb\n", "json": "{\"a\": 1}", "heads": "X-A: 1\nX-B: 2\n"]
        guard let text = files[path] else { throw UsageError("cannot read \(path)") }
        return Data(text.utf8)
    }

    private func command(_ text: String) throws -> CurlCommand { try CurlCommand(text, reading: read) }
    private func call(_ text: String) throws -> Call { try command("curl " + text).call }

    @Test(arguments: [
        ("http://a/", "GET", "http://a/"),
        ("a.example/x", "GET", "http://a.example/x"),
        ("--url http://a/", "GET", "http://a/"),
        ("-X DELETE http://a/", "DELETE", "http://a/"),
        ("-XPUT http://a/", "PUT", "http://a/"),
        ("--request PATCH 'http://a/?b=c d'", "PATCH", "http://a/?b=c d"),
        ("-I http://a/", "HEAD", "http://a/"),
        ("http://a/ -d x", "POST", "http://a/"),
        ("-sSLk http://a/", "GET", "http://a/"),
        ("-G -d q=1 -d r=2 http://a/?p=0", "GET", "http://a/?p=0&q=1&r=2"),
        ("--url-query q=a+b http://a/", "GET", "http://a/?q=a%2Bb"),
        ("-T body http://a/up/", "PUT", "http://a/up/body"),
        ("-F a=b http://a/", "POST", "http://a/"),
        ("-- http://a/", "GET", "http://a/"),
    ])
    func methodAndURLAreCurls(text: String, method: String, url: String) throws {
        let call = try call(text)
        #expect(call.effectiveMethod == method)
        #expect(call.urlWithQuery == url)
    }

    @Test(arguments: [
        ("-d a=1 -d b=2", "a=1&b=2", "application/x-www-form-urlencoded"),
        ("--data @body", "ab", "application/x-www-form-urlencoded"),
        ("--data-binary @body", "a\r\nb\n", "application/x-www-form-urlencoded"),
        ("--data-raw @body", "@body", "application/x-www-form-urlencoded"),
        ("--data-urlencode 'a b&'", "a%20b%26", "application/x-www-form-urlencoded"),
        ("--data-urlencode '=a=b'", "a%3Db", "application/x-www-form-urlencoded"),
        ("--data-urlencode 'n=é'", "n=%C3%A9", "application/x-www-form-urlencoded"),
        ("--data-urlencode 'n@json'", "n=%7B%22a%22%3A%201%7D", "application/x-www-form-urlencoded"),
        ("--data-urlencode @json", "%7B%22a%22%3A%201%7D", "application/x-www-form-urlencoded"),
        ("-d x=1 --data-raw ''", "x=1&", "application/x-www-form-urlencoded"),
    ])
    func dataIsTakenAsCurlTakesIt(text: String, body: String, type: String) throws {
        #expect(try call(text + " http://a/").body == .data(Data(body.utf8), contentType: type))
    }

    @Test func jsonBringsItsFields() throws {
        let call = try call(#"--json '{"a":' --json '1}' http://a/"#)
        #expect(call.body == .data(Data(#"{"a":1}"#.utf8), contentType: nil))
        #expect(
            call.fields == [CallField("Content-Type", "application/json"), CallField("Accept", "application/json")])
        #expect(call.effectiveMethod == "POST")
    }

    @Test func fieldsAreCurls() throws {
        let call = try call(
            "-H 'X-A: 1' -H 'X-Empty;' -H 'Accept:' -H @heads -A agent -e http://r/ -b 'a=1; b=2' -r 0-9 http://a/")
        #expect(
            call.fields == [
                CallField("X-A", "1"), CallField("X-Empty", ""), CallField("Accept", nil), CallField("X-A", "1"),
                CallField("X-B", "2"), CallField("User-Agent", "agent"), CallField("Referer", "http://r/"),
                CallField("Cookie", "a=1; b=2"), CallField("Range", "bytes=0-9"),
            ])
    }

    @Test func aFormIsOfParts() throws {
        let call = try call(
            #"-F 'a=x;y' -F 'f=@p.png;type=image/png;filename="q \"1\".png"' --form-string 'b=@no' -F 'c=<body' http://a/"#
        )
        #expect(
            call.body
                == .multipart([
                    FormPart(name: "a", content: .text("x;y")),
                    FormPart(name: "f", content: .file("p.png"), filename: #"q "1".png"#, contentType: "image/png"),
                    FormPart(name: "b", content: .text("@no")), FormPart(name: "c", content: .text("a\r\nb\n")),
                ]))
    }

    @Test(arguments: [
        ("-u ada:pw", CallCredentials.basic(user: "ada", password: "pw")),
        ("--user ada", .basic(user: "ada", password: nil)),
        ("--digest -u ada:p:w", .digest(user: "ada", password: "p:w")),
        ("--oauth2-bearer abc", .bearer("abc")),
    ])
    func credentialsAreCurls(text: String, credentials: CallCredentials) throws {
        #expect(try call(text + " http://a/").credentials == credentials)
    }

    @Test func theConnectionIsCurls() throws {
        let call = try call(
            """
            -kL --max-redirs 3 -m 1.5 --connect-timeout 2 --retry 4 --compressed --http2-prior-knowledge -x p:8080 -U u:p \
            --noproxy a,b --cacert ca.pem -E c.pem:pw --key k.pem --resolve h:443:127.0.0.1,[::1] -4 --unix-socket /s http://a/
            """)
        #expect(call.followsRedirects && call.maximumRedirects == 3 && call.attempts == 5 && call.decodesContent)
        #expect(call.timeouts.deadline == .milliseconds(1500) && call.timeouts.connect == .seconds(2))
        #expect(call.httpVersion == .http2PriorKnowledge)
        var connection = ConnectionSettings()
        connection.verifies = false
        connection.proxy = "p:8080"
        connection.proxyUser = "u:p"
        connection.proxyExceptions = ["a", "b"]
        connection.authorities = "ca.pem"
        connection.certificate = "c.pem"
        connection.certificatePassword = "pw"
        connection.certificateKey = "k.pem"
        connection.addresses = [.init(host: "h", port: 443, addresses: ["127.0.0.1", "::1"])]
        connection.family = .ipv4
        connection.unixSocket = "/s"
        #expect(call.connection == connection)
    }

    @Test func whatIsShownIsCurls() throws {
        let command = try command("/usr/bin/curl -i -f -v -o out -C - http://a/")
        #expect(command.showsHead && command.checksStatus && command.isVerbose)
        #expect(command.output == "out" && command.continuesOutput)
        #expect(try self.command("curl -O http://a/x").output == "")
        #expect(try self.command("curl http://a/").call.decodesContent == false)
    }

    /// As browsers write it.
    @Test func aBrowsersCommandIsRead() throws {
        let call = try call(
            #"""
            'https://api.example/graphql?op=1' \
              -H 'accept: */*' \
              -H 'content-type: application/json' \
              -b 'sid=abc' \
              --data-raw $'{"q":"it\'s \\u0041"}' \
              --compressed
            """#)
        #expect(call.effectiveMethod == "POST")
        #expect(call.body == .data(Data(#"{"q":"it's \u0041"}"#.utf8), contentType: nil))
        #expect(call.fields.map(\.name) == ["accept", "content-type", "Cookie"])
    }

    @Test(arguments: [
        "wget http://a/", "curl", "curl -d x", "curl http://a/ http://b/", "curl --next http://a/",
        "curl -w '%{http_code}' http://a/",
        "curl -H", "curl -H s3cret http://a/", "curl -m soon http://a/", "curl --retry many http://a/",
        "curl -d x -F a=b http://a/",
        "curl -b jar.txt http://a/", "curl --data @- http://a/", "curl -F s3cret http://a/",
        "curl --resolve s3cret http://a/",
        "curl -d @missing http://a/", "curl -C 100 http://a/", "curl -T - http://a/",
        "curl -F 'a=@b;headers=X: s3cret' http://a/",
        "curl --max-redirs x http://a/", "",
    ])
    func whatCannotBeTakenOverIsAnError(text: String) throws {
        let error = try #require(throws: UsageError.self) { try command(text) }
        #expect(!error.description.contains("s3cret"))
    }

    /// What Strata writes of a request is read as the same request.
    @Test(arguments: [
        #"{"name": "it's \"x\" \\ \u0000 $HOME `ls`"}"#, "plain", "a\nb\tc", "é 😀", "'", "''", "\\",
    ])
    func whatARequestWritesIsReadAgain(body: String) throws {
        let request = try TransportRequest(
            method: .post, url: "http://a.example/x?y=z%20w",
            headerFields: [.contentType: "text/plain", .init("X-A")!: "it's \"b\" \\ $c"],
            body: .data(Data(body.utf8)))
        let read = try CurlCommand(request.curlCommand(maskingSecrets: false)).call
        #expect(read.urlWithQuery == "http://a.example/x?y=z%20w")
        #expect(read.body == .data(Data(body.utf8), contentType: nil))
        #expect(read.effectiveMethod == "POST")
        #expect(read.fields.contains(CallField("X-A", "it's \"b\" \\ $c")))
    }
}
