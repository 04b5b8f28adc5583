// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import StrataCore
import StrataTesting
import StrataTool
import Testing

@testable import strata

/// From the words of a command line to what is written, over a scripted transport.
struct RunnerTests {
    private struct Result {
        var status: Outcome
        var output: String
        var notes: String
        var requests: [RecordedRequest]
    }

    private func run(
        _ words: [String], _ replies: ScriptedReply..., onTerminal: Bool = false
    ) async throws -> Result {
        let terminal = Terminal(isOutput: onTerminal, isError: onTerminal)
        let plan = try StrataCommand.parse(words).plan(for: terminal, environment: [:])
        let output = CollectedOutput()
        let transport = ScriptedTransport(replies.isEmpty ? [.json(#"{"ok":true}"#)] : replies)
        let status = await Runner(plan, output: output, terminal: terminal, transport: transport).run()
        return Result(status: status, output: output.text, notes: output.notes, requests: transport.requests)
    }

    // MARK: - What is sent

    @Test func itemsAreTheRequest() async throws {
        let result = try await run(["PUT", "a.example/x?y=1", "q==a b", "name=Ada", "age:=36", "X-A:1", "User-Agent:"])
        let request = try #require(result.requests.first)
        #expect(request.method == .put)
        #expect(request.url == "http://a.example/x?y=1&q=a%20b")
        #expect(request.text == #"{"name": "Ada", "age": 36}"#)
        #expect(request["Content-Type"] == "application/json")
        #expect(request["Accept"] == "application/json, */*;q=0.5")
        #expect(request["X-A"] == "1")
        #expect(request["User-Agent"] == nil)
    }

    @Test(arguments: [
        (["a.example"], "GET"), (["a.example", "x=1"], "POST"), (["a.example", "q==1"], "GET"),
        (["a.example", "--raw", "x"], "POST"),
        (["DELETE", "a.example"], "DELETE"), (["GET", "a.example", "x=1"], "GET"),
        (["-f", "a.example", "x=1"], "POST"),
    ])
    func theMethodFollowsTheBody(words: [String], method: String) async throws {
        #expect(try await run(words).requests.first?.method.rawValue == method)
    }

    @Test func formsAreForms() async throws {
        let form = try await run(["--form", "a.example", "a=1 2", "b=&"])
        #expect(form.requests.first?["Content-Type"] == "application/x-www-form-urlencoded")
        #expect(form.requests.first?.text == "a=1+2&b=%26")
        let multipart = try await run(["--multipart", "a.example", "a=1"])
        #expect(multipart.requests.first?["Content-Type"]?.hasPrefix("multipart/form-data; boundary=") == true)
    }

    @Test func credentialsGoToTheServerThatIsAskedAlone() async throws {
        let result = try await run(
            ["-F", "--bearer", "s3cret", "a.example/1"], .redirect(302, to: "http://b.example/2"), .json("{}"))
        #expect(result.requests.map { $0["Authorization"] } == ["Bearer s3cret", nil])
        let basic = try await run(["http://ada:p%40w@a.example/"])
        #expect(basic.requests.first?["Authorization"] == "Basic YWRhOnBAdw==")
        #expect(basic.requests.first?.url == "http://a.example/")
    }

    @Test func redirectsAreFollowedWhereAskedFor() async throws {
        let stays = try await run(["--check-status", "a.example"], .redirect(to: "/2"))
        #expect(stays.status == .redirection && stays.requests.count == 1)
        let goes = try await run(["--follow", "--check-status", "a.example"], .redirect(to: "/2"), .json("1"))
        #expect(goes.status == .success && goes.requests.count == 2)
        let endless = try await run(
            ["--follow", "--max-redirects", "1", "a.example"], .redirect(to: "/2"), .redirect(to: "/3"))
        #expect(endless.status == .tooManyRedirects)
    }

    @Test func retriesAreAskedFor() async throws {
        let result = try await run(["--retry", "1", "a.example"], .status(503, retryAfter: 0), .json("[1]"))
        #expect(result.status == .success && result.requests.count == 2)
        #expect(result.output == "[1]")
    }

    // MARK: - What is written

    @Test func aPipeGetsTheBytes() async throws {
        let result = try await run(["a.example"], .json(#"{"a":1}"#))
        #expect(result.output == #"{"a":1}"#)
        #expect(result.notes == "")
    }

    @Test func aTerminalGetsHeadAndIndentedColouredBody() async throws {
        let result = try await run(["a.example"], .json(#"{"a":1}"#), onTerminal: true)
        #expect(result.output.hasPrefix("HTTP \u{1B}[1;32m200\u{1B}[0m\n"))
        #expect(result.output.hasSuffix("{\n    \u{1B}[94m\"a\"\u{1B}[0m: \u{1B}[36m1\u{1B}[0m\n}\n"))
    }

    @Test func aTerminalIsNotSteered() async throws {
        let result = try await run(
            ["--pretty", "none", "a.example"], .text("\u{1B}]0;title\u{7}x", fields: [.init("X-A")!: "a\u{9B}b"]),
            onTerminal: true)
        #expect(
            !result.output.contains("\u{1B}") && !result.output.contains("\u{7}") && !result.output.contains("\u{9B}"))
        let binary = try await run(["a.example"], .pieces([Data([0, 1, 2])]), onTerminal: true)
        #expect(binary.output.contains("3 bytes that are no text"))
    }

    @Test func aLargeBodyIsShownAsItComes() async throws {
        let text = String(repeating: "é", count: 3 << 20)
        // The pieces are cut within a character.
        let pieces = Data(text.utf8).rechunked(.every((1 << 20) + 1))[0]
        let result = try await run(["-b", "a.example"], .pieces(pieces + pieces), onTerminal: true)
        #expect(result.output == text + text + "\n")
    }

    @Test func secretsAreShownWhereAskedForAlone() async throws {
        let words = [
            "--verbose", "--bearer", "tok3n", "a.example/?api_key=k3y", "password=pw0rd", "X-Api-Key:h3ader",
            "name=Ada",
        ]
        let hidden = try await run(words, .failure(.cannotConnect))
        let all = hidden.output + hidden.notes
        for secret in ["tok3n", "k3y", "pw0rd", "h3ader"] { #expect(!all.contains(secret), "\(secret) is shown") }
        #expect(all.contains("***") && all.contains("Ada"))
        let shown = try await run(words + ["--show-secrets"])
        for secret in ["tok3n", "k3y", "pw0rd", "h3ader"] { #expect(shown.output.contains(secret)) }
    }

    @Test func verboseShowsEveryExchange() async throws {
        let result = try await run(["-v", "-F", "a.example/1"], .redirect(to: "/2"), .json("{}"))
        #expect(result.output.contains("GET /1 HTTP\nHost: a.example\n"))
        #expect(result.output.contains("HTTP 302"))
        #expect(result.output.contains("GET /2 HTTP\n"))
    }

    @Test(arguments: [("h", "HTTP 200"), ("b", #"{"ok":true}"#), ("H", "GET / HTTP"), ("m", "Elapsed time: ")])
    func lettersSayWhatIsPrinted(letter: String, start: String) async throws {
        #expect(try await run(["--print", letter, "a.example"]).output.hasPrefix(start))
        #expect(throws: (any Error).self) {
            try StrataCommand.parse(["--print", "x", "a"]).plan(
                for: Terminal(isOutput: false, isError: false), environment: [:])
        }
    }

    @Test func eventsComeOneByOne() async throws {
        let result = try await run(
            ["--stream", "-p", "b", "a.example"], .events("event: note\nid: 7\ndata: {\"a\":1}\n\n", "data: plain\n\n"),
            onTerminal: true)
        #expect(result.output.contains("note\n") && result.output.contains("plain\n\n"))
        #expect(result.output.contains("\u{1B}[94m\"a\"\u{1B}[0m:\u{1B}[36m1\u{1B}[0m"))
        let piped = try await run(["--stream", "a.example"], .events("data: {\"a\":1}\n\n"))
        #expect(piped.output == "data: {\"a\":1}\n\n")
    }

    @Test func explainIsTheRecord() async throws {
        let result = try await run(["--explain", "-F", "a.example/1"], .redirect(to: "/2"), .json("{}"))
        #expect(result.notes.contains("#1 first: GET http://a.example/1 -> 302"))
        #expect(result.notes.contains("#2 redirect(302): GET http://a.example/2 -> 200"))
        #expect(result.output == "{}")
    }

    // MARK: - How it ends

    @Test(arguments: [
        (200, Outcome.success), (302, .redirection), (404, .clientError), (503, .serverError),
    ])
    func statusIsTheExitWhereAskedFor(code: Int, status: Outcome) async throws {
        #expect(try await run(["--check-status", "a.example"], .status(code)).status == status)
        let unchecked = try await run(["a.example"], .status(code))
        #expect(unchecked.status == .success)
        #expect(unchecked.notes.contains("\(code)") == (code >= 300))
    }

    @Test(arguments: [
        (NetworkClientError.Code.timedOut, Outcome.timedOut), (.cannotConnect, .notConnected),
        (.dnsFailed, .notConnected),
        (.proxyFailed, .notConnected), (.tlsFailed, .tlsFailed), (.connectionLost, .brokenResponse),
        (.protocolViolation, .brokenResponse), (.tooManyRedirects, .tooManyRedirects), (.internalFailure, .failure),
    ])
    func aFailureIsAnExitOfItsClass(code: NetworkClientError.Code, status: Outcome) async throws {
        let result = try await run(["a.example"], .failure(code))
        #expect(result.status == status)
        #expect(result.notes.hasPrefix("strata: "))
    }

    @Test(arguments: [false, true])
    func aBodyThatBreaksOffIsNoSuccess(onTerminal: Bool) async throws {
        let reply = ScriptedReply.pieces([Data("part".utf8)], failure: NetworkClientError(.connectionLost, "gone"))
        let result = try await run(["-b", "a.example"], reply, onTerminal: onTerminal)
        #expect(result.status == .brokenResponse)
        #expect(result.output.hasPrefix("part"))
    }

    @Test(arguments: [
        [], ["a.example", "s3cret"], ["--raw", "x", "a.example", "a=1"], ["--timeout", "0", "a"],
        ["--from-curl", "curl a", "b"],
        ["--continue", "a.example"], ["--from-curl", "wget a"], ["--print", "z", "a"],
    ])
    func aWrongCommandLineIsUsage(words: [String]) throws {
        let error = try #require(throws: UsageError.self) {
            try StrataCommand.parse(words).plan(for: Terminal(isOutput: false, isError: false), environment: [:])
        }
        #expect(Outcome(error) == .usage)
        #expect(!error.description.contains("s3cret"))
    }

    // MARK: - curl

    @Test func curlIsPrintedAndNotSent() async throws {
        let result = try await run(["--curl", "--auth", "ada:s3cret", "-F", "a.example", "name=it's", "--verify", "no"])
        #expect(result.requests.isEmpty)
        #expect(!result.output.contains("s3cret"))
        #expect(result.output.contains("--user 'ada:***'") && result.output.contains("--insecure"))
        let call = try CurlCommand(result.output).call
        #expect(call.urlWithQuery == "http://a.example/" && call.followsRedirects)
        #expect(call.body == .data(Data(#"{"name": "it's"}"#.utf8), contentType: nil))
    }

    @Test func aFormIsPrintedPartByPart() async throws {
        let words = ["--multipart", "PUT", "a.example", "a=x;y", "password=s3cret", "f@a \"b\".png;type=image/png"]
        let result = try await run(["--curl"] + words)
        #expect(!result.output.contains("s3cret"))
        let call = try CurlCommand(result.output).call
        #expect(call.effectiveMethod == "PUT")
        #expect(
            call.body
                == .multipart([
                    FormPart(name: "a", content: .text("x;y")), FormPart(name: "password", content: .text("***")),
                    FormPart(name: "f", content: .file("a \"b\".png"), contentType: "image/png"),
                ]))
        let file = try await run(["--curl", "a.example", "@body.json"])
        #expect(file.output.contains("--data-binary '@body.json'") && file.output.contains("application/json"))
    }

    @Test func aCommandOfCurlIsRun() async throws {
        let result = try await run(
            ["--from-curl", "curl -sS -f -X PATCH http://a.example/x -H 'X-A: 1' -d a=1 -u u:p"], .status(404))
        #expect(result.status == .clientError)
        let request = try #require(result.requests.first)
        #expect(request.method == .patch && request.text == "a=1" && request["X-A"] == "1")
        #expect(request["Authorization"] == "Basic dTpw")
    }

    @Test func sessionsKeepTheirCookies() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "strata-\(UUID().uuidString).cookies")
        defer { try? FileManager.default.removeItem(at: file) }
        _ = try await run(["--session", file.path, "a.example"], .text("", fields: [.setCookie: "a=1"]))
        let second = try await run(["--session", file.path, "a.example"])
        #expect(second.requests.first?["Cookie"] == "a=1")
    }
}
