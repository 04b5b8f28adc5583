// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Logging
import MiddlewareSupport
import StrataCore
import StrataMiddleware
import StrataTesting
import TestSupport
import Testing

/// Names of secrets, in formats of bodies, at the places where a body may be written down.
struct RedactionTableTests {
    private static let secret = "S3cr-t.V4lue"

    static let names = [
        "password", "Password", "userPassword", "user_pw", "pw", "passwd", "pwd", "passphrase", "passwort", "PIN",
        "card_pin",
        "otp", "totpCode", "psk", "wifi_psk", "mnemonic", "seedPhrase", "recovery_phrase", "dsn", "SENTRY_DSN",
        "connectionString", "client_secret", "clientSecret", "apiKey", "x-api-key", "access_token", "refreshToken",
        "id_token",
        "privateKey", "ssh_key", "sessionid", "cookie", "Set-Cookie", "Authorization", "Authentication", "DPoP",
        "X-WSSE",
        "proxy_authorization", "jwt", "cvv", "creditCardNumber", "signature", "X-Amz-Signature",
        "aws_secret_access_key",
        "db.password", "spring.datasource.password", "hmac", "mfa", "licenseKey",
    ]

    /// A format, and how it writes a name and a value.
    struct Format: CustomTestStringConvertible, Sendable {
        let type: String
        let write: @Sendable (_ name: String, _ value: String) -> String

        var testDescription: String { "\(type): \(write("NAME", "VALUE"))" }

        init(_ type: String, _ write: @escaping @Sendable (_ name: String, _ value: String) -> String) {
            (self.type, self.write) = (type, write)
        }
    }

    static let formats = [
        Format("application/json") { #"{"a":1,"\#($0)":"\#($1)","b":2}"# },
        Format("application/json") { #"{"data":{"list":[{"\#($0)": {"x":["\#($1)"]}}]}}"# },
        Format("application/json") { #"{"name":"\#($0)","value":"\#($1)"}"# },
        Format("application/json") { #"{"value":"\#($1)","key":"\#($0)"}"# },
        Format("application/json") { #"[{"field": "\#($0)", "other": {"value": 1}, "val": ["\#($1)"]}]"# },
        Format("application/json") { #"{"text":"{\"\#($0)\":\"\#($1)\"}"}"# },
        Format("application/json") { #"{"text":"the \#($0): \#($1)"}"# },
        Format("application/json") { #"{"cut":"off","\#($0)":"\#($1)"# },
        Format("application/jsonl") { "{\"a\":1}\n{\"\($0)\":\"\($1)\"}\n" },
        Format("application/graphql") { #"mutation { login(user: "u", \#($0): "\#($1)") }"# },
        Format("application/x-www-form-urlencoded") { "a=1&\($0)=\($1)&b=2" },
        Format("application/x-www-form-urlencoded") { "user%5B\($0)%5D=\($1)" },
        Format("application/x-www-form-urlencoded") { "payload=%7B%22\($0)%22%3A%22\($1)%22%7D" },
        Format("application/x-www-form-urlencoded") { "payload=%3C\($0)%3E\($1)%3C%2F\($0)%3E" },
        Format("application/xml") { "<_a:\($0)>\($1)</_a:\($0)>" },
        Format("application/xml") { "<ä:\($0)>\($1)</ä:\($0)>" },
        Format("application/xml") { "<?xml version=\"1.0\"?><a><\($0)>\($1)</\($0)></a>" },
        Format("text/xml") { "<s:Body><ns:\($0) Type=\"x\"><![CDATA[\($1)]]></ns:\($0)></s:Body>" },
        Format("application/soap+xml") { "<a \($0)='\($1)' b=\"2\"/>" },
        Format("application/xml") { "<map><entry key=\"\($0)\">\($1)</entry></map>" },
        Format("application/xml") { "<add name='\($0)' value='\($1)' />" },
        Format("application/xml") { "<dict><key>\($0)</key>\n<string>\($1)</string></dict>" },
        Format("application/xml") { "<member><name>\($0)</name><value><string>\($1)</string></value></member>" },
        Format("application/xml") { "<a><\($0)>\($1)" },
        Format("application/xml") { "<a>&lt;\($0)&gt;\($1)&lt;/\($0)&gt;</a>" },
        Format("text/html") { "<form><input type=hidden name=\"\($0)\" value=\"\($1)\"><p>x</p></form>" },
        Format("application/yaml") { "a: 1\n\($0): \($1)\nb: 2\n" },
        Format("application/yaml") { "a:\n  - \($0): \"\($1)\"\n    b: 2\n" },
        Format("application/yaml") { "\($0): |\n  \($1)\n  more\nb: 2\n" },
        Format("application/yaml") { "\($0):\n- \($1)\nb: 2\n" },
        Format("application/yaml") { "{a: 1, \($0): \($1), b: 2}" },
        Format("application/toml") { "a = 1\n\($0) = \"\($1)\"\n" },
        Format("text/plain") { "\($0)=\($1)" },
        Format("text/plain") { "[section]\n\($0) = \($1)\n" },
        Format("text/plain") { "\($0): \($1)\r\nHost: a" },
        Format("text/plain") { "it says '\($0)' => '\($1)', and so on" },
        Format("text/plain") { "{'a': 1, '\($0)': '\($1)'}" },
        Format("text/plain") { "curl -H '\($0): \($1)' https://a.example" },
        Format("text/csv") { "user,\($0)\nbob,\($1)\n" },
        Format("multipart/form-data; boundary=b") {
            "--b\r\nContent-Disposition: form-data; name=\"\($0)\"\r\n\r\n\($1)\r\n--b--\r\n"
        },
    ]

    @Test(arguments: formats) func noSecretIsWrittenDown(_ format: Format) {
        for name in Self.names {
            let body = Data(format.write(name, Self.secret).utf8)
            for type in [format.type, format.type + "; charset=utf-8"] {
                let shown = Redaction.standard.body(body, contentType: type)
                #expect(!shown.contains("S3cr") && !shown.contains("V4lue"), "\(name): \(shown)")
            }
        }
    }

    /// The same at the places where a caller finds them.
    @Test(arguments: formats) func noPlaceShowsASecret(_ format: Format) async throws {
        for name in ["password", "pw", "mnemonic", "dsn", "X-WSSE"] {
            let body = Data(format.write(name, Self.secret).utf8)
            let fields: HTTPFields = [.contentType: format.type]
            let log = LogCollector()
            let client = makeClient(
                ScriptedTransport(.status(500, fields: fields, body: body)),
                LoggingMiddleware(log.logger(), details: .everything), StatusValidationMiddleware())
            let error = await #expect(throws: NetworkClientError.self) {
                _ = try await client.call(.post, fields: fields, body: .data(body))
            }
            let request = try TransportRequest(
                method: .post, url: "https://a.example", headerFields: fields, body: .data(body))
            var dumped = ""
            dump(error, to: &dumped)
            dump(request, to: &dumped)
            let places = [
                log.messages.joined(separator: "\n"), request.curlCommand(redaction: .standard), "\(error as Any)",
                dumped,
                "\(request)", error?.exchange.map { "\($0)" } ?? "",
            ]
            for place in places { #expect(!place.contains("S3cr") && !place.contains("V4lue"), "\(name): \(place)") }
        }
    }

    @Test(arguments: ["Authentication", "DPoP", "X-WSSE", "X-Api-Key", "X-Auth-Token", "Cookie", "X-Vault-Token"])
    func fieldsAreKnownByName(name: String) throws {
        let name = try #require(HTTPField.Name(name))
        #expect(Redaction.standard.value(of: HTTPField(name: name, value: Self.secret)) == "***")
        let request = try TransportRequest(url: "https://a.example", headerFields: [name: Self.secret])
        #expect(!request.curlCommand().contains("S3cr"))
    }

    /// Secrets that are known by how they look, whatever stands around them.
    private static let shapes = [
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlU0VDUkVU", "sk-proj-abcdefghijklmnop1234",
        "sk_live_abcdefghijklmnop",
        "ghp_abcdefghijklmnopqrst", "github_pat_11ABCDEFG0abcdefghij", "glpat-abcdefghij1234567890",
        "xoxb-1234567890-abcdefgh",
        "AKIAIOSFODNN7EXAMPLE", "ASIAIOSFODNN7EXAMPLE", "AIzaSyA-abcdefghijklmnopqrstuvwxyz",
        "ya29.a0abcdefghijklmnopqrs",
        "SG.abcdefghijklmnop.qrstuvwx", "hf_abcdefghijklmnopqrst", "npm_abcdefghijklmnopqrst",
        "whsec_abcdefghijklmnopqrst",
    ]

    @Test(arguments: shapes) func keysAreKnownByTheirLooks(key: String) throws {
        let redaction = Redaction.standard
        for text in [key, "see \(key), please", "a=\(key)&b=1", #"{"a":"\#(key)"}"#, "<a>\(key)</a>", "a: \(key)"] {
            let shown = redaction.body(Data(text.utf8), contentType: nil)
            #expect(!shown.contains(key.suffix(8)) && shown.contains("***"), "\(shown)")
            #expect(!redaction.url(text).contains(key.suffix(8)))
        }
        let url = "https://a.example/hook/\(key)"
        #expect(!redaction.url(url).contains(key.suffix(8)))
        #expect(try !TransportRequest(url: url).curlCommand(redaction: redaction).contains(key.suffix(8)))
    }

    @Test(arguments: ["\n", "\\n"]) func privateKeysAreHidden(lineEnd: String) {
        for label in ["PRIVATE KEY", "RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "ENCRYPTED PRIVATE KEY"] {
            let lines = ["-----BEGIN \(label)-----", "MIIEvS3CRET", "Zm9vS3CRET", "-----END \(label)-----"]
            for text in [lines, Array(lines.dropLast())].map({ $0.joined(separator: lineEnd) }) {
                for body in ["before \(text) after", #"{"pem":"\#(text)"}"#] {
                    let shown = Redaction.standard.body(Data(body.utf8), contentType: nil)
                    #expect(!shown.contains("S3CRET"), "\(shown)")
                }
            }
        }
        let certificate = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----"
        #expect(Redaction.standard.body(Data(certificate.utf8), contentType: nil) == certificate)
    }

    @Test(arguments: [
        #"{"name":"Ada","value":"visible"}"#, #"{"a":{"name":"password"},"value":"visible"}"#,
        "<name>Ada</name><b>visible</b>",
        "<a b=\"c\">visible</a>", "user: ada\nhost: visible\n", "<key>user</key><string>visible</string>",
        "a < b, c > d: visible", "total_tokens: 12, x: visible", "sk-learn and sk-image: visible", "eyJ: visible",
    ])
    func whatIsNoSecretIsShown(text: String) {
        #expect(Redaction.standard.body(Data(text.utf8), contentType: nil).contains("visible"))
    }

    /// A search whose time grew with the square of the text would take minutes here.
    @Test(
        .timeLimit(.minutes(10)),
        arguments: [
            "<a", "<password>", "<a b=\"", "password: ", "'password': '", "a = ", "-----BEGIN PRIVATE KEY-----",
            "{\"name\":\"",
            "&lt;", "eyJ", ":::", "password:\n - ",
        ])
    func theSearchEndsForTextThatIsMadeToHoldItUp(piece: String) {
        let text = String(repeating: piece, count: 60_000 / piece.utf8.count)
        _ = Redaction.standard.body(Data(text.utf8), contentType: nil)
    }
}
