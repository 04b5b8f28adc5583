// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding
import StrataMiddleware
import StrataTesting
import TestSupport
import Testing

/// The samples of the page about cookies, as they stand there.
struct CookieGuideTests {
    @Test func theGuideIsCompiled() throws {
        #expect(
            try GuideSamples.missing(of: "Cookies.md", in: #filePath, besides: ["StrataCore", "StrataEncoding"]) == [])
    }

    @Test func itIsOneLine() {
        var configuration = NetworkConfiguration(transport: ScriptedTransport())
        configuration.middleware = [RetryMiddleware(), CookieMiddleware()]
        #expect(NetworkClient(configuration: configuration).pipelineReport.findings.isEmpty)
    }

    @Test func aJarMayHaveAFile() throws {
        let temporary = try TemporaryFolder()
        let folder = temporary.url
        var configuration = NetworkConfiguration(transport: ScriptedTransport())
        let jar = try CookieJar(file: folder.appending(path: "cookies.json"))
        configuration.middleware = [RetryMiddleware(), CookieMiddleware(jar)]
        #expect(configuration.middleware.count == 2)
        let (file, text) = (temporary["cookies.txt"], "app.example\tFALSE\t/\tFALSE\t0\ta\t1\nnonsense\n")
        let unreadableLines = jar.insert(netscapeText: text)
        try Data(jar.netscapeText.utf8).write(to: file)
        #expect(unreadableLines == [2])
        jar.removeAll()
        jar.removeAll { $0.domain == "app.example" }
        #expect(jar.cookies.isEmpty)
    }

    @Test func aScriptPlaysTheServer() async throws {
        let transport = ScriptedTransport(
            .status(302, fields: [.location: "/home", .setCookie: "sid=abc"]), .text("welcome"))
        let client = NetworkClient(
            configuration: NetworkConfiguration(
                baseURL: URL(string: "https://app.example"), transport: transport, middleware: [CookieMiddleware()]))
        _ = try await client.run(NetworkRequest<VoidRequest, String>(path: "login", method: .post))
        #expect(transport.requests[1]["cookie"] == "sid=abc")
    }
}
