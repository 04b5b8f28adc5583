// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import TestSupport
import Testing

struct CurlCommandTests {
    private func request(
        _ method: HTTPRequest.Method = .get, _ url: String = "https://api.example/users", fields: HTTPFields = [:],
        body: RequestBody = .empty
    ) throws -> TransportRequest {
        try TransportRequest(method: method, url: url, headerFields: fields, body: body)
    }

    @Test func anUpgradeIsAskedFor() throws {
        var request = try request()
        request.options.upgrade = "websocket"
        let arguments = try interpret(request.curlCommand()).arguments
        for line in ["Connection: Upgrade", "Upgrade: websocket"] {
            #expect(zip(arguments, arguments.dropFirst()).contains { $0 == ("--header", line) }, "\(arguments)")
        }
    }

    /// What a shell makes of the command: the arguments that `curl` gets, and its standard input.
    private func interpret(_ command: String) throws -> (arguments: [String], input: Data) {
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        // The stand-in prints its arguments, each ended by NUL, and then what it is fed.
        shell.arguments = ["-c", "curl() { printf '%s\\0' \"$@\"; printf '\\1\\0'; cat; }; \(command)"]
        let output = Pipe()
        shell.standardOutput = output
        shell.standardInput = FileHandle.nullDevice
        try shell.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        shell.waitUntilExit()
        #expect(shell.terminationStatus == 0)
        let end = try #require(data.firstRange(of: Data([1, 0])))
        let arguments = data[..<end.lowerBound].split(separator: 0, omittingEmptySubsequences: false).dropLast()
        return (arguments.map { String(decoding: $0, as: UTF8.self) }, Data(data[end.upperBound...]))
    }

    /// What is usual in a call, and not with curl.
    private let usual = "--location --proto-redir '=https' --compressed"

    @Test func aPlainGetIsTheURLWithWhatIsUsual() throws {
        #expect(try request().curlCommand() == "curl 'https://api.example/users' \(usual)")
    }

    @Test func methodsAreNamedWhereCurlWouldChooseAnother() throws {
        let body = RequestBody.data(Data("a".utf8))
        let plain: HTTPFields = [.contentType: "text/plain"]
        #expect(
            try request(.post, fields: plain, body: body).curlCommand()
                == "curl 'https://api.example/users' \(usual) --header 'Content-Type: text/plain' --data-raw 'a'")
        #expect(try request(.get, fields: plain, body: body).curlCommand().hasPrefix("curl --request 'GET' "))
        #expect(
            try request(.head).curlCommand()
                == "curl --head 'https://api.example/users' --location --proto-redir '=https'")
        #expect(
            try request(.delete).curlCommand() == "curl --request 'DELETE' 'https://api.example/users' --compressed")
    }

    @Test(arguments: [
        "it's", "'; rm -rf /; '", "$(id) `id` $HOME \\ \" !! # & | < > * ? ~", "two\nlines\tand a tab", "ünïcödé 🦆",
        "-dash", "@file", "''", "\\", "a'b'c'",
    ])
    func aShellReadsEveryWordAsItWas(_ text: String) throws {
        var fields: HTTPFields = [.contentType: "text/plain"]
        let header = text.filter { $0 != "\n" && $0 != "\t" }
        fields[try #require(HTTPField.Name("X-Text"))] = header
        let command = try request(.put, fields: fields, body: .data(Data(text.utf8))).curlCommand()
        let (arguments, _) = try interpret(command)
        #expect(
            arguments == [
                "--request", "PUT", "https://api.example/users", "--compressed", "--header", "Content-Type: text/plain",
                "--header", "X-Text: \(header)", "--data-raw", text,
            ])
    }

    @Test func bytesThatAreNoTextArePipedIn() throws {
        let bytes = Data((0...255).map { UInt8($0) } + Array("%s\\n'".utf8))
        let (arguments, input) = try interpret(request(.post, body: .data(bytes)).curlCommand())
        #expect(arguments.first == "https://api.example/users")
        #expect(arguments.suffix(4) == ["--header", "Content-Type:", "--data-binary", "@-"])
        #expect(input == bytes)
    }

    @Test func textThatIsTooLongForAnArgumentIsPipedIn() throws {
        // The quotes count too.
        let longest = String(repeating: "a", count: 99_997)
        #expect(try request(.post, body: .data(Data(longest.utf8))).curlCommand().hasSuffix(" --data-raw '\(longest)'"))
        let text = "a=%41&token=s3cret&b=" + String(repeating: "b", count: 100_000)
        let form = try request(
            .post, fields: [.contentType: "application/x-www-form-urlencoded"], body: .data(Data(text.utf8)))
        let (arguments, input) = try interpret(form.curlCommand(maskingSecrets: false))
        #expect(arguments.suffix(2) == ["--data-binary", "@-"])
        #expect(input == Data(text.utf8))
        #expect(try interpret(form.curlCommand()).input == Data(text.replacing("s3cret", with: "***").utf8))
    }

    @Test func partsOfFilesArePipedIn() throws {
        let folder = try TemporaryFolder()
        let file = folder["it's a file.txt"]
        try Data("0123456789".utf8).write(to: file)
        let body = try RequestBody.file(file, offset: 2, length: 5)
        let (_, input) = try interpret(request(.put, body: body).curlCommand())
        #expect(String(decoding: input, as: UTF8.self) == "23456")
    }

    @Test func streamsAreReadFromStandardInput() throws {
        let body = RequestBody.stream(from: AsyncStream<Data> { $0.finish() })
        #expect(try request(.post, body: body).curlCommand().hasSuffix(" --data-binary @-"))
    }

    @Test func secretsAreMaskedUnlessToldOtherwise() throws {
        let tenant = try #require(HTTPField.Name("X-Tenant-Key"))
        let key = try #require(HTTPField.Name("X-API-Key"))
        var request = try request(
            .get, "https://api.example/users?page=2&access_token=s3cret&API-Key=s3cret&keyword=cats",
            fields: [
                .authorization: "Bearer s3cret", .cookie: "id=s3cret", tenant: "s3cret", key: "s3cret",
                .accept: "text/plain",
            ])
        request.options.sensitiveFields = [tenant]
        let masked = request.curlCommand()
        #expect(!masked.contains("s3cret"))
        #expect(masked.contains("'Authorization: Bearer ***'"))
        #expect(masked.contains("?page=2&access_token=***&API-Key=***&keyword=cats'"))
        #expect(masked.contains("'Accept: text/plain'"))
        #expect(request.curlCommand(maskingSecrets: false).split(separator: "s3cret").count == 7)
    }

    @Test(arguments: ["key=s3cret, user=ada", "s3cret== x", "\"s3cret\" x", "ada:s3cret x", "s3cret"])
    func credentialsWithoutASchemeAreMaskedWhole(_ value: String) throws {
        let command = try request(fields: [.authorization: value, .proxyAuthorization: value]).curlCommand()
        let fields = "--header 'Authorization: ***' --header 'Proxy-Authorization: ***'"
        #expect(command == "curl 'https://api.example/users' \(usual) \(fields)")
    }

    @Test func allCookiesAreInOneField() throws {
        var fields = HTTPFields()
        fields[.cookie] = "a=1; b=2"
        fields[.accept] = "*/*"
        let request = try request(fields: fields)
        func command(_ cookies: String) -> String {
            "curl 'https://api.example/users' \(usual) --header 'Cookie: \(cookies)' --header 'Accept: */*'"
        }
        #expect(request.curlCommand(maskingSecrets: false) == command("a=1; b=2"))
        #expect(request.curlCommand() == command("***"))
    }

    @Test func userInformationIsLeftOutUnlessToldOtherwise() throws {
        var request = try request()
        request.head.authority = "me:s3/cret@api.example"
        #expect(request.curlCommand() == "curl 'https://api.example/users' \(usual)")
        #expect(request.curlCommand(maskingSecrets: false) == "curl 'https://me:s3/cret@api.example/users' \(usual)")
        request.head.authority = "me:s3cret"
        request.head.path = "@api.example/users?a=1"
        #expect(request.curlCommand() == "curl 'https://api.example/users?a=1' \(usual)")
    }

    @Test(arguments: ["; charset=utf-8", " charset=utf-8", ", text/plain"])
    func secretsInFormsAreMasked(_ rest: String) throws {
        let body = RequestBody.data(Data("user=ada&password=s3cret&grant=x".utf8))
        let command = try request(
            .post, fields: [.contentType: "application/x-www-form-urlencoded\(rest)"], body: body
        ).curlCommand()
        #expect(command.hasSuffix("--data-raw 'user=ada&password=***&grant=x'"))
    }

    @Test func secretsInJSONAreMasked() throws {
        let body = #"{"user":"ada","password":"s3cret","a":[{"pin":1234}],"b":"{\"x_tenant\":\"s3cret\"}","key":1}"#
        var request = try request(
            .post, fields: [.contentType: "application/json"], body: .data(Data(body.utf8)))
        request.options.sensitiveFields = [try #require(HTTPField.Name("X-Tenant"))]
        let masked = #"{"user":"ada","password":"***","a":[{"pin":"***"}],"b":"{\"x_tenant\":\"***\"}","key":1}"#
        #expect(request.curlCommand().hasSuffix(" --data-raw '\(masked)'"))
        #expect(request.curlCommand(maskingSecrets: false).hasSuffix(" --data-raw '\(body)'"))
        // Senders that are told nothing declare every body as a form.
        request.head.headerFields[.contentType] = "application/x-www-form-urlencoded"
        #expect(!request.curlCommand().contains("s3cret"))
    }

    @Test func aMultipartBodyIsShownOnlyWithItsSecrets() throws {
        let body = "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\ns3cret\r\n--b--\r\n"
        let request = try request(
            .post, fields: [.contentType: "multipart/form-data; boundary=b"], body: .data(Data(body.utf8)))
        #expect(request.curlCommand().hasSuffix(" --data-binary @-"))
        #expect(try interpret(request.curlCommand(maskingSecrets: false)).input == Data(body.utf8))
    }

    @Test func aSemicolonHidesNoSecret() throws {
        let request = try request(.get, "https://api.example/users?a=1;token=s3cret;x&password=s;3cret&b=1;c=2")
        #expect(request.curlCommand() == "curl 'https://api.example/users?a=1;token=***&password=***&b=1;c=2' \(usual)")
    }

    @Test func aCombiningMarkHidesNoSecret() throws {
        let body = RequestBody.data(Data("password=\u{301}s3cret&user=ada&\u{301}token=s3cret".utf8))
        let command = try request(
            .post, fields: [.contentType: "application/x-www-form-urlencoded"], body: body
        ).curlCommand()
        #expect(command.hasSuffix("--data-raw 'password=***&user=ada&\u{301}token=***'"))
    }

    @Test func emptyFieldsAreSentAsSuch() throws {
        let name = try #require(HTTPField.Name("X-Empty"))
        #expect(try request(fields: [name: ""]).curlCommand().hasSuffix(" --header 'X-Empty;'"))
    }

    @Test func bracketsAreNoPattern() throws {
        let command = try request(.get, "http://[::1]:8080/a").curlCommand()
        #expect(command == "curl --globoff 'http://[::1]:8080/a' --location --compressed")
    }

    @Test func theVersionIsPartOfTheRequest() throws {
        var request = try request()
        request.options.httpVersion = .http2PriorKnowledge
        #expect(request.curlCommand().hasSuffix(" --http2-prior-knowledge"))
    }

    @Test func dotsInAPathStay() throws {
        for path in ["/a/../b", "/a/./b", "/a/..", "/%2e%2E/b"] {
            var request = try request()
            request.head.path = path
            #expect(request.curlCommand().hasPrefix("curl --path-as-is 'https://api.example\(path)' "))
        }
        #expect(try !request(.get, "https://api.example/a..b/.c?d=/../").curlCommand().contains("--path-as-is"))
    }

    @Test(arguments: [HTTPRequest.Method.post, .put, .patch])
    func aMissingBodyHasALength(_ method: HTTPRequest.Method) throws {
        let command = try request(method).curlCommand()
        #expect(command.hasPrefix("curl --request '\(method.rawValue)' "))
        #expect(command.hasSuffix(" --header 'Content-Length: 0'"))
        let empty = try request(method, body: .data(Data())).curlCommand()
        #expect(empty.hasSuffix(" --data-raw ''") && !empty.contains("Content-Length"))
    }

    @Test func theLengthIsThatOfTheBodyAndNotOfAField() throws {
        let fields: HTTPFields = [.contentLength: "9", .transferEncoding: "chunked", .contentType: "text/plain"]
        let command = try request(.post, fields: fields, body: .data(Data("abc".utf8))).curlCommand()
        #expect(!command.contains("Content-Length") && !command.contains("Transfer-Encoding"))
    }

    @Test func aLargeBodyWaitsForNoConsent() throws {
        let small = try request(.put, body: .data(Data(count: 999_999))).curlCommand()
        let large = try request(.put, body: .data(Data(count: 1_000_000))).curlCommand()
        #expect(!small.contains("'Expect:'") && large.contains("--header 'Expect:'"))
        let stream = RequestBody.stream(from: AsyncStream<Data> { $0.finish() })
        #expect(try request(.put, body: stream).curlCommand().contains("--header 'Expect:'"))
        let asks = try request(.put, fields: [.expect: "100-continue"], body: stream).curlCommand()
        #expect(asks.contains("'Expect: 100-continue'") && !asks.contains("'Expect:'"))
    }

    @Test func redirectsAreFollowedWhereCurlTreatsThemAsTheClientDoes() throws {
        func options(
            _ method: HTTPRequest.Method = .get, body: RequestBody = .empty, scheme: String = "https",
            _ change: (inout RequestOptions) -> Void
        ) throws -> [Substring] {
            var request = try request(method, "\(scheme)://api.example/", fields: [.contentType: "a/b"], body: body)
            change(&request.options)
            let command = request.curlCommand()
            let end = try #require(command.range(of: " --header"))
            let start = try #require(command.range(of: "example/'"))
            return command[start.upperBound..<end.lowerBound].split(separator: " ").filter { $0 != "--compressed" }
        }
        let data = RequestBody.data(Data("a".utf8))
        #expect(try options { $0.redirects = .manual } == [])
        #expect(
            try options { $0.redirects.limit = 3 } == ["--location", "--max-redirs", "3", "--proto-redir", "'=https'"])
        #expect(try options { $0.redirects.allowsDowngrade = true } == ["--location"])
        #expect(try options(scheme: "http") { _ in } == ["--location"])
        #expect(try options(.post, body: data, scheme: "http") { _ in } == ["--location"])
        #expect(
            try options(.post, body: data, scheme: "http") { $0.redirects.preservesPOST = true }
                == ["--location", "--post301", "--post302"])
        // curl would keep the method after a 303, and take the field along.
        #expect(try options(.put, body: data) { _ in } == [])
        #expect(try options { $0.sensitiveFields = [.contentType] } == [])
    }

    @Test func timeoutsStandInTheCommandWhenTheyAreNotTheUsualOnes() throws {
        var request = try request()
        request.options.timeouts = Timeouts(
            connect: .milliseconds(1500), idle: .milliseconds(2500), attempt: .seconds(9), deadline: .milliseconds(4001)
        )
        #expect(
            request.curlCommand().hasSuffix(
                " --connect-timeout 1.500 --speed-limit 1 --speed-time 3 --max-time 4.001"))
        request.options.timeouts = Timeouts(connect: nil, idle: nil)
        #expect(!request.curlCommand().contains("time"))
    }

    @Test func aBodyIsDecodedWhereTheTransportWouldDecodeIt() throws {
        #expect(try request(fields: [.accept: "*/*"]).curlCommand().contains(" --compressed "))
        for fields: HTTPFields in [[.acceptEncoding: "gzip"], [.range: "bytes=0-1"]] {
            #expect(try !request(fields: fields).curlCommand().contains("--compressed"))
        }
        #expect(try !request(.head).curlCommand().contains("--compressed"))
    }

    @Test func consentIsWaitedForAsTheCallDoes() throws {
        var request = try request(.put, fields: [.contentType: "a/b"], body: .data(Data("x".utf8)))
        request.options.expectContinue = .milliseconds(1500)
        let end = " --expect100-timeout 1.500 --data-raw 'x'"
        #expect(request.curlCommand().hasSuffix(" --header 'Expect: 100-continue'" + end))
        request.head.headerFields[.expect] = "100-continue"
        #expect(request.curlCommand().hasSuffix(" --header 'Content-Type: a/b' --header 'Expect: 100-continue'" + end))
        request.body = .empty
        #expect(!request.curlCommand().contains("expect100"))
    }
}
