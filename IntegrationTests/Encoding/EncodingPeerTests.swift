// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import TestSupport
import Testing

/// What is encoded here is read back there.
@Suite(.enabled(if: PythonPeers.areHere, PythonPeers.missing))
struct EncodingPeerTests {
    static let texts = [
        "", " ", "a b", "a+b", "a&b=c", "100%", "%20", "é€😀", "\"quoted\"", "'", "a\nb", "a\r\nb", "[x]", "a;b",
        "#?/\\", "~-._*", "ü\u{308}",
        "\u{0}\u{7F}", "=", "&", "%", "a\u{2028}b",
    ]

    private func message(_ kind: String, _ encoded: EncodedBody) async throws -> JSONValue {
        [
            "kind": .string(kind), "content_type": .string(encoded.contentType ?? ""),
            "body": .string(try await encoded.body.collect().base64EncodedString()),
        ]
    }

    @Test func formsAndQueriesAreReadAsTheyWereMeant() async throws {
        struct Model: Encodable {
            var text: String
            var list: [String]
            var map: [String: String]
        }
        var messages: [JSONValue] = []
        var expected: [[PythonPeers.Field]] = []
        for text in Self.texts {
            let model = Model(text: text, list: [text, "x"], map: ["k": text])
            let fields = [("text", text), ("list", text), ("list", "x"), ("map[k]", text)].map {
                PythonPeers.Field(name: $0, value: Data($1.utf8))
            }
            for spaces in [FormOptions.Spaces.plus, .percent] {
                messages.append(try await message("form", FormEncoder(.init(spaces: spaces)).encodeBody(model)))
                expected.append(fields)
            }
            let query = try QueryEncoder().string(from: model)
            messages.append(try await message("query", EncodedBody(.data(Data(query.utf8)), contentType: nil)))
            expected.append(fields)
            // As a name, too.
            messages.append(try await message("form", FormEncoder().encodeBody(["n" + text: text])))
            expected.append([PythonPeers.Field(name: "n" + text, value: Data(text.utf8))])
        }
        for (answer, fields) in zip(try PythonPeers.ask(messages), expected) {
            for (parser, found) in try #require(answer.object) {
                #expect(Set(try #require(found.array).map(PythonPeers.Field.init)) == Set(fields), "\(parser)")
                #expect(found.array?.count == fields.count, "\(parser)")
            }
        }
    }

    @Test func multipartFormsAreReadAsTheyWereMeant() async throws {
        let folder = try TemporaryFolder()
        let url = folder["a.bin"]
        let content = Data((0..<70_000).map { UInt8(truncatingIfNeeded: ($0 &* 31) >> 3) })
        try content.write(to: url)
        var messages: [JSONValue] = []
        var expected: [[PythonPeers.Field]] = []
        for text in Self.texts where !text.isEmpty {
            // A percent-escape in a name is told from an escaped character by nobody: that is the standard's choice.
            let name = text.utf8.contains(where: { "\"\r\n%\\\0;".utf8.contains($0) }) ? "plain" : text
            var form = MultipartForm([
                .text(text, name: name), .data(Data(text.utf8), name: "d", filename: "f\(name).txt"),
            ])
            form.append(try .file(url, name: "file", contentType: "application/octet-stream"))
            form.append(try .model(["k": text], name: "meta"))
            messages.append(try await message("multipart", form.encodedBody()))
            expected.append([
                .init(name: name, value: Data(text.utf8)),
                .init(name: "d", filename: "f\(name).txt", value: Data(text.utf8)),
                .init(name: "file", filename: "a.bin", value: content),
                .init(name: "meta", value: try JSONEncoder().encode(["k": text])),
            ])
        }
        for (answer, fields) in zip(try PythonPeers.ask(messages), expected) {
            for (parser, found) in try #require(answer.object) {
                #expect(
                    Set(try #require(found.array).map(PythonPeers.Field.init)) == Set(fields),
                    "\(parser): \(fields[0].name)")
                #expect(found.array?.count == fields.count, "\(parser)")
            }
        }
    }

    @Test(.vectors("multipart/multipart-encode.json")) func theVerifierOfTheVectorsIsContent() async throws {
        let tool = Vectors.folder.appendingPathComponent("tools/verify_multipart.py").path
        var messages: [JSONValue] = []
        for vector in try Vectors.cases("multipart/multipart-encode.json", of: JSONValue.self) {
            // What is to be refused is no body.
            guard let parts = vector["parts"]?.array, vector["must_refuse"]?.bool != true else { continue }
            let encoded: EncodedBody
            do {
                encoded = try MultipartForm(try parts.map(Self.part)).encodedBody()
            } catch {
                #expect(vector["refusal_ok"]?.bool == true, "\(vector["id"]?.string ?? ""): \(error)")
                continue
            }
            guard var message = try await message("verify", encoded).object else { continue }
            message["tool"] = .string(tool)
            message["case"] = vector
            messages.append(.object(message))
        }
        for (answer, message) in zip(try PythonPeers.ask(messages), messages) {
            #expect(answer["problems"]?.array?.map { $0.description } == [], "\(message["case"]?["id"]?.string ?? "")")
        }
    }

    private static func part(_ vector: JSONValue) throws -> MultipartPart {
        let body = vector["body_b64"]?.string.flatMap { Data(base64Encoded: $0) } ?? Data()
        var part = MultipartPart(
            name: vector["name"]?.string, body: .data(body), filename: vector["filename"]?.string,
            contentType: vector["content_type"]?.string)
        for header in vector["headers"]?.array ?? [] {
            try part.fields.addValue(header[1]?.string ?? "", forName: header[0]?.string ?? "")
        }
        return part
    }
}
