// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import TestSupport
import Testing

/// Encoded bodies over real sockets: what the server has read is what was meant.
struct EncodingOverHTTPTests {
    struct Seen: Decodable {
        var form: [String: JSONValue]
        var files: [String: String]
        var args: [String: JSONValue]
        var data: String
        var json: JSONValue?
    }

    struct Model: Codable {
        var text = "a+b c&d=é%20"
        var list = ["x", "y z"]
        var map = ["k": "v"]
    }

    @Test(arguments: TestedTransport.allCases)
    func theEchoServerReadsWhatWasMeant(_ transport: TestedTransport) async throws {
        try await EchoTarget.withServer { try await check($0.url, transport) }
    }

    @Test(.httpbin, arguments: TestedTransport.allCases)
    func httpbinReadsWhatWasMeant(_ transport: TestedTransport) async throws {
        try await check(try #require(HTTPBin.url), transport)
    }

    private func check(_ url: String, _ transport: TestedTransport) async throws {
        try await transport.run { transport in
            let client = NetworkClient(
                configuration: NetworkConfiguration(baseURL: URL(string: url), transport: transport))
            try await checkForm(client)
            try await checkMultipart(client)
            try await checkOthers(client)
        }
    }

    private func checkForm(_ client: NetworkClient) async throws {
        let items = try QueryEncoder().items(from: Model())
        let seen = try await client.run(
            NetworkRequest<Model, Seen>(
                path: "/post", method: .post, queryItems: items, body: Model(), encoder: FormEncoder())
        ).value
        for found in [seen.form, seen.args] {
            #expect(found == ["text": .string(Model().text), "list": ["x", "y z"], "map[k]": "v"])
        }
    }

    private func checkMultipart(_ client: NetworkClient) async throws {
        let folder = try TemporaryFolder()
        let url = folder["a.txt"]
        let content = String(repeating: "line ü\r\n", count: 20_000)
        try Data(content.utf8).write(to: url)
        let form = MultipartForm([
            .text(Model().text, name: "text"), try .model(["k": 1], name: "meta"), try .file(url, name: "file"),
            .text("again", name: "text"),
        ])
        let seen = try await client.run(
            NetworkRequest<MultipartForm, Seen>(path: "/post", method: .post, body: form)
        ).value
        #expect(seen.form["text"] == [.string(Model().text), "again"])
        #expect(seen.form["meta"] == "{\"k\":1}")
        #expect(seen.files == ["file": content])
    }

    private func checkOthers(_ client: NetworkClient) async throws {
        let lines = try await client.run(
            NetworkRequest<[Int], Seen>(path: "/post", method: .post, body: [1, 2], encoder: JSONLinesEncoder())
        ).value
        #expect(lines.data == "1\n2\n")
        let number: JSONValue = .number(try #require(JSONNumber("12345678901234567890")))
        let seen = try await client.run(
            NetworkRequest<JSONValue, JSONValue>(
                path: "/post", method: .post, body: ["n": number], decoder: JSONKeyPathDecoder("json.n"))
        ).value
        #expect(seen == number)
        let host = try await client.run(
            NetworkRequest<VoidRequest, String>(
                path: "/get", method: .get,
                decoder: JSONKeyPathDecoder("headers.Host", decoder: DynamicContentTypeDecoder()))
        ).value
        #expect(host.hasPrefix("127.0.0.1"))
    }
}
