// SPDX-License-Identifier: Apache-2.0

import StrataTool
import Testing

/// That the code compiles is checked by scripts/check-cli.
struct SwiftCodeTests {
    private func code(_ command: String, showsSecrets: Bool = false) throws -> String {
        var plan = Plan()
        plan.call = try CurlCommand("curl " + command).call
        plan.showsSecrets = showsSecrets
        return try SwiftCode(plan).text
    }

    @Test func aRequestIsAVerb() throws {
        #expect(
            try code("'https://api.example/v1/users?page=2' -H 'Accept: application/json' -H 'X-A: \"q\"'")
                == """
                import Foundation
                import Strata

                let client = NetworkClient(baseURL: "https://api.example")
                // In place of `JSONValue`, a type of yours that is `Decodable`.
                let reply: JSONValue = try await client.get("v1/users?page=2", fields: [.accept: "application/json", HTTPField.Name("X-A")!: "\\"q\\""])
                print(reply)

                """.replacingOccurrences(
                    of:
                        #"client.get("v1/users?page=2", fields: [.accept: "application/json", HTTPField.Name("X-A")!: "\"q\""])"#,
                    with:
                        "client.get(\n    \"v1/users?page=2\",\n    fields: [.accept: \"application/json\", HTTPField.Name(\"X-A\")!: \"\\\"q\\\"\"])"
                ))
    }

    @Test func aJSONBodyIsAValue() throws {
        let code = try code(#"--json '{"b": [1, 2.5, null, true], "a": {"x": "y"}}' http://a.example/things"#)
        #expect(
            code.contains(#"let body: JSONValue = ["a": ["x": "y"], "b": [1, .number(JSONNumber("2.5")!), nil, true]]"#)
        )
        #expect(code.contains(#"client.post("#))
    }

    @Test(arguments: [
        "-H 'Authorization: Bearer s3cret' http://a.example/", "-u ada:s3cret http://a.example/",
        "'http://a.example/?api_key=s3cret&x=1'",
        "-H 'X-Api-Key: s3cret' http://a.example/", "-d 'password=s3cret&x=1' http://a.example/",
        #"--json '{"user": {"password": "s3cret"}}' http://a.example/"#, "-F password=s3cret http://a.example/",
        "-b 'sid=s3cret' http://a.example/", "-x http://u:s3cret@p:1 http://a.example/",
        "-E c.pem:s3cret https://a.example/",
    ])
    func secretsComeFromTheEnvironment(command: String) throws {
        let hidden = try code(command)
        #expect(!hidden.contains("s3cret"))
        #expect(hidden.contains("secret(\""))
        #expect(try code(command, showsSecrets: true).contains("s3cret"))
    }

    @Test func whatStandsInALiteralIsEscaped() throws {
        let code = try code(#"-d '\(x) "y" \' -H 'Content-Type: text/plain' http://a.example/"#)
        #expect(code.contains(#"Data("\\(x) \"y\" \\".utf8)"#))
    }
}
