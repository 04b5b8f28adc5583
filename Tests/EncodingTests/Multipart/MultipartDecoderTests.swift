// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import TestSupport
import Testing

struct MultipartDecoderTests {
    private struct Flat: Equatable {
        var name: String?
        var filename: String?
        var type: String?
        var data: Data

        /// By bytes, since a name that is composed otherwise is another one.
        static func == (one: Flat, other: Flat) -> Bool {
            one.name.isIdentical(to: other.name) && one.filename.isIdentical(to: other.filename)
                && one.type.isIdentical(to: other.type) && one.data == other.data
        }
    }

    @Test func aPartShowsNeitherItsFieldsNorItsBytes() throws {
        let text = """
            --b\r\nContent-Disposition: form-data; name=a\r\nSet-Cookie: \(Leaks.mark)\r\n\r\n\(Leaks.mark)\r\n--b--
            """
        let part = try #require(MultipartDecoder().parts(in: Data(text.utf8), boundary: "b").first)
        #expect("\(part)" == "a (6 bytes)")
        var dumped = ""
        dump(part, to: &dumped)
        Leaks.check("\(part) \(String(reflecting: part)) \(dumped)", "a part")
    }

    private func read(_ pieces: [Data], boundary: String) async throws -> [Flat] {
        var parts: [Flat] = []
        for try await part in try MultipartDecoder().parts(of: Pieces(pieces), boundary: boundary) {
            parts.append(
                Flat(
                    name: part.name, filename: part.filename, type: part.fields[.contentType],
                    data: Self.decoded(try await part.body.collect(), part.fields)))
        }
        return parts
    }

    /// The vectors have parts as mail has them, in a transfer encoding, which is left to the reader.
    private static func decoded(_ data: Data, _ fields: HTTPFields) -> Data {
        switch HTTPField.Name("Content-Transfer-Encoding").flatMap({ fields[$0] }) {
        case "base64": return Data(base64Encoded: data) ?? data
        case "quoted-printable":
            let pieces = String(decoding: data, as: UTF8.self).replacing("=\r\n", with: "").split(separator: "=")
            let rest = pieces.dropFirst().flatMap { piece -> [UInt8] in
                [UInt8(piece.prefix(2), radix: 16) ?? 0] + Array(piece.dropFirst(2).utf8)
            }
            return Data(Array((pieces.first ?? "").utf8) + rest)
        default: return data
        }
    }

    @Test(.vectors("multipart/multipart-parse.json")) func readsBodiesWholeAndAtEverySplit() async throws {
        for vector in try Vectors.cases("multipart/multipart-parse.json") {
            let id = vector["id"]?.string ?? ""
            let body = try #require(vector.bytes("body_b64"))
            let boundary = try #require(vector["boundary"]?.string)
            var splits = [[body], body.map { Data([$0]) }]
            if (1..<600).contains(body.count) {
                splits += (1..<body.count).map { [body.prefix($0), body.dropFirst($0)] }
            }
            for pieces in splits {
                guard let expected = vector["expected_parts"]?.array else {
                    await #expect(throws: MultipartError.self, "\(id)") { try await read(pieces, boundary: boundary) }
                    continue
                }
                let parts = try await read(pieces, boundary: boundary)
                let wanted = try expected.map {
                    Flat(
                        name: $0["name"]?.string, filename: $0["filename"]?.string, type: $0["content_type"]?.string,
                        data: try #require($0.bytes("data_b64")))
                }
                // The vectors name no type where they say nothing about it.
                let seen = zip(parts, wanted).map { part, want in
                    Flat(
                        name: part.name, filename: part.filename, type: want.type == nil ? nil : part.type,
                        data: part.data)
                }
                #expect(parts.count == wanted.count && seen == wanted, "\(id) in \(pieces.count) pieces")
            }
        }
    }

    @Test(arguments: 0..<10) func randomFormsAreReadBackInRandomPieces(_ seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let alphabet = Array("\r\n-Bx\0".utf8)
        func noise() -> Data {
            Data((0..<Int.random(in: 0...60, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? 0 })
        }
        for _ in 0..<30 {
            let bodies = (0..<Int.random(in: 0...4, using: &random)).map { _ in noise() }
            // "Bx" and "B-" may occur in the noise, the boundary may not.
            let form = MultipartForm(bodies.map { .data($0, name: "n") }, boundary: "BxB-B.")
            let encoded = try form.encodedBody()
            var rest = try await encoded.body.collect()
            var pieces: [Data] = []
            while !rest.isEmpty {
                let piece = rest.prefix(.random(in: 1...20, using: &random))
                pieces.append(Data(piece))
                rest = Data(rest.dropFirst(piece.count))
            }
            #expect(try await read(pieces, boundary: "BxB-B.").map(\.data) == bodies)
        }
    }

    @Test(arguments: [
        "--B\r\nA: b\r\n\r\nx", "--B\r\nA: b\r\n\r\nx\r\n--B", "--B\r\nA: b", "--B", "", "x", "--C\r\n\r\nx\r\n--B--",
        "--B\r\n\r\nx\r\n--B-",
        "--B\r\nA: b\nC: d\r\n\r\nx\r\n--B--", "--B\r\nA\r\n\r\nx\r\n--B--", "--B\r\n A: b\r\n\r\nx\r\n--B--",
        "--B\r\nA b: c\r\n\r\nx\r\n--B--",
    ]) func aBodyThatIsDamagedOrEndsEarlyIsAnError(_ text: String) throws {
        #expect(throws: MultipartError.self) { try MultipartDecoder().parts(in: Data(text.utf8), boundary: "B") }
    }

    @Test func preambleEpiloguePaddingAndFoldedFieldsAreFine() throws {
        let text =
            "hello\r\n--Bx no\r\n--B \t\r\nContent-Disposition: form-data;\r\n name=\"a\"\r\n\r\n1\r\n--B\r\n\r\n--B\r\n\r\n\r\n--B--bye\r\n--B\r\n"
        let parts = try MultipartDecoder().parts(in: Data(text.utf8), boundary: "B")
        #expect(parts.map { $0.body.data } == [Data("1".utf8), Data(), Data()])
        #expect(parts[0].name == "a")
    }

    /// Blanks, also across pieces, and nothing else (RFC 2046 §5.1.1).
    @Test(arguments: [
        ("", true), (" ", true), ("\t", true), ("  \t \t\t ", true), ("\t ", true), ("x", false), (" x", false),
    ])
    func whatMayStandBehindADelimiter(_ padding: String, _ isDelimiter: Bool) async throws {
        let text = "--B\r\n\r\n1\r\n--B\(padding)\r\n\r\n2\r\n--B--"
        let expected = isDelimiter ? ["1", "2"] : ["1\r\n--B\(padding)\r\n\r\n2"]
        #expect(try await read([Data(text.utf8)], boundary: "B").map(\.data) == expected.map { Data($0.utf8) })
        #expect(
            try await read(text.utf8.map { Data([$0]) }, boundary: "B").map(\.data) == expected.map { Data($0.utf8) })
    }

    /// Forms have none any more (RFC 7578 §4.7): whoever gets one from an old server finds it among the part's fields.
    @Test(arguments: ["base64", "quoted-printable"])
    func aTransferEncodingIsLeftToTheReader(_ encoding: String) throws {
        let text = "--B\r\nContent-Transfer-Encoding: \(encoding)\r\n\r\naGk=\r\n--B--"
        let part = try MultipartDecoder().parts(in: Data(text.utf8), boundary: "B")[0]
        #expect(part.body.data == Data("aGk=".utf8))
        #expect(part.fields.contains { $0.name.canonicalName == "content-transfer-encoding" && $0.value == encoding })
    }

    @Test func limitsHold() async throws {
        let decoder = MultipartDecoder(limits: .init(parts: 2, fieldBytes: 100))
        func parts(_ count: Int, field: Int) -> Data {
            Data(
                (String(repeating: "--B\r\nA: \(String(repeating: "x", count: field))\r\n\r\n\r\n", count: count)
                    + "--B--").utf8)
        }
        #expect(try decoder.parts(in: parts(2, field: 80), boundary: "B").count == 2)
        #expect(throws: MultipartError.self) { try decoder.parts(in: parts(3, field: 1), boundary: "B") }
        #expect(throws: MultipartError.self) { try decoder.parts(in: parts(1, field: 120), boundary: "B") }
        let generous = MultipartDecoder(limits: .init(fieldBytes: 1_000_000))
        let many = Data(("--B\r\n" + String(repeating: "A:\r\n", count: 70_000) + "\r\n\r\n--B--").utf8)
        #expect(throws: MultipartError.self) { try generous.parts(in: many, boundary: "B") }
        for boundary in ["", "a\r\n", String(repeating: "a", count: 300)] {
            #expect(throws: MultipartError.self) { try decoder.parts(in: parts(1, field: 1), boundary: boundary) }
        }
    }

    @Test(arguments: ["-", "--", "---", "-----", "--a", "--a--"])
    func aBoundaryOfDashesIsReadBack(_ boundary: String) async throws {
        let form = MultipartForm([.text("x", name: "a"), .text("y", name: "b")], boundary: boundary)
        let bytes = try await form.encodedBody().body.collect()
        let parts = try MultipartDecoder().parts(in: bytes, boundary: boundary)
        #expect(parts.map(\.body.data) == [Data("x".utf8), Data("y".utf8)])
    }

    /// Two parts, byte by byte.
    private func twoParts() throws -> MultipartBodyParts.AsyncIterator {
        let text = "--B\r\n\r\none\r\n--B\r\n\r\ntwo\r\n--B--"
        return try MultipartDecoder().parts(of: Pieces(text.utf8.map { Data([$0]) }), boundary: "B")
            .makeAsyncIterator()
    }

    @Test func aPartThatIsGivenUpIsNoShortOne() async throws {
        var parts = try twoParts()
        let part = try #require(try await parts.next())
        var reading = part.body.makeAsyncIterator()
        #expect(try await reading.next() == Data("o".utf8))
        part.body.cancel()
        for _ in 0..<2 { await #expect(throws: CancellationError.self) { try await reading.next() } }
        #expect(try await parts.next()?.body.collect() == Data("two".utf8))
    }

    @Test func aPartThatTheLoopHasPassedIsNoEmptyOne() async throws {
        var parts = try twoParts()
        _ = try await parts.next()
        let last = try #require(try await parts.next())
        #expect(try await parts.next() == nil)
        let error = await #expect(throws: NetworkClientError.self) { try await last.body.collect() }
        #expect(error?.code == .bodyAlreadyConsumed)
    }

    @Test func aPartIsDiscardedWithoutTheBodyThatItIsIn() async throws {
        let (pieces, continuation) = AsyncStream.makeStream(of: Data.self)
        continuation.yield(Data("--B\r\n\r\none".utf8))
        var parts = try MultipartDecoder().parts(of: pieces, boundary: "B").makeAsyncIterator()
        let part = try #require(try await parts.next())
        await part.body.discard()
        continuation.yield(Data("\r\n--B\r\n\r\ntwo\r\n--B--".utf8))
        continuation.finish()
        #expect(try await parts.next()?.body.collect() == Data("two".utf8))
    }

    @Test func aPartThatIsNotReadIsPassedOverAndAnOldOneCannotBeRead() async throws {
        let text = "--B\r\nX: 1\r\n\r\none\r\n--B\r\nX: 2\r\n\r\ntwo\r\n--B\r\nX: 3\r\n\r\nthree\r\n--B--"
        var iterator = try MultipartDecoder().parts(of: Pieces(text.utf8.map { Data([$0]) }), boundary: "B")
            .makeAsyncIterator()
        _ = try await iterator.next()
        let second = try #require(try await iterator.next())
        var reading = second.body.makeAsyncIterator()
        #expect(try await reading.next() == Data("t".utf8))
        let third = try #require(try await iterator.next())
        let error = await #expect(throws: NetworkClientError.self) { try await reading.next() }
        #expect(error?.code == .bodyAlreadyConsumed)
        #expect(try await third.body.collect() == Data("three".utf8))
        #expect(try await iterator.next() == nil)
        #expect(try await iterator.next() == nil)
    }

    @Test func readsAResponseWhileItArrives() async throws {
        let fields: HTTPFields = [.contentType: "multipart/mixed; boundary=\"a b\""]
        let transport = ScriptedTransport(
            .pieces(
                [Data("--a b\r\n\r\n1".utf8), Data("2\r\n--a b\r\n\r\n3\r".utf8), Data("\n--a b--".utf8)],
                fields: fields),
            .pieces(
                [Data("--a b\r\n\r\n1".utf8)], fields: fields, failure: NetworkClientError(.connectionLost, "gone")),
            .json("{}"))
        let client = NetworkClient(
            configuration: NetworkConfiguration(baseURL: URL(string: "https://h.example"), transport: transport))
        let request = NetworkRequest<VoidRequest, VoidResponse>(path: "/", method: .get)
        var parts: [Data] = []
        for try await part in try MultipartDecoder().parts(of: try await client.open(request)) {
            parts.append(try await part.body.collect())
        }
        #expect(parts == [Data("12".utf8), Data("3".utf8)])
        let lost = try await client.open(request)
        let error = await #expect(throws: NetworkClientError.self) {
            for try await part in try MultipartDecoder().parts(of: lost) { _ = try await part.body.collect() }
        }
        #expect(error?.code == .connectionLost)
        let other = try await client.open(request)
        #expect(throws: MultipartError.self) { try MultipartDecoder().parts(of: other) }
    }

    @Test func aBodyThatIsNoPartsIsLeftAsItIs() async throws {
        let transport = ScriptedTransport(
            .pieces([Data("{}".utf8)], fields: [.contentType: "application/json"]))
        let client = NetworkClient(
            configuration: NetworkConfiguration(baseURL: URL(string: "https://h.example"), transport: transport))
        let response = try await client.open(NetworkRequest<VoidRequest, VoidResponse>(path: "/", method: .get))
        #expect(throws: MultipartError.self) { try MultipartDecoder().parts(of: response) }
        #expect(try await response.body.collect() == Data("{}".utf8))
        let body = ResponseBody(from: Pieces([Data("x".utf8)]))
        #expect(throws: MultipartError.self) { try MultipartDecoder().parts(of: body, boundary: "") }
        #expect(try await body.collect() == Data("x".utf8))
    }

    @Test func aFailureThatIsCaughtInAPartIsNoEndOfTheLoop() async throws {
        let lost = NetworkClientError(.connectionLost, "gone")
        let body = ResponseBody(source: PiecesSource([Data("--B\r\n\r\n1".utf8)], failure: lost))
        var parts = try MultipartDecoder().parts(of: body, boundary: "B").makeAsyncIterator()
        let part = try #require(try await parts.next())
        await #expect(throws: NetworkClientError.self) { try await part.body.collect() }
        for _ in 0..<2 {
            let error = await #expect(throws: NetworkClientError.self) { try await parts.next() }
            #expect(error?.code == .connectionLost)
        }
    }

    @Test(arguments: [
        "Content-Type: application/json, text/plain; charset=utf-8",
        "Content-Type: x\r\nContent-Type: text/plain; charset=utf-8",
    ])
    func theLastTypeOfAPartCounts(_ fields: String) async throws {
        let body = Pieces([Data("--B\r\n\(fields)\r\n\r\none\r\n--B--".utf8)])
        var parts = try MultipartDecoder().parts(of: body, boundary: "B").makeAsyncIterator()
        let type = try await parts.next()?.contentType
        #expect(type?.essence == "text/plain")
        #expect(type?.charset == "utf-8")
    }

    @Test func aDamageEndsTheTransfer() async throws {
        let source = PiecesSource([Data("--B\r\nno field\r\n\r\n".utf8), Data("more".utf8)])
        let response = TransportResponse(
            head: HTTPResponse(status: .ok, headerFields: [.contentType: "multipart/mixed; boundary=B"]),
            body: ResponseBody(source: source))
        var parts = try MultipartDecoder().parts(of: response).makeAsyncIterator()
        await #expect(throws: MultipartError.self) { try await parts.next() }
        #expect(source.isCancelled)
        await #expect(throws: MultipartError.self) { try await parts.next() }
    }

    @Test func partsBeforeADamageAreRead() async throws {
        let text = "--B\r\n\r\none\r\n--B\r\nno field\r\n\r\ntwo\r\n--B--"
        var parts = try MultipartDecoder().parts(of: Pieces([Data(text.utf8)]), boundary: "B").makeAsyncIterator()
        let part = try #require(try await parts.next())
        #expect(try await part.body.collect() == Data("one".utf8))
        for _ in 0..<2 { await #expect(throws: MultipartError.self) { try await parts.next() } }
    }

    /// The rest is not asked for, and what is wrong is said, not what it would come to.
    @Test func whatComesBehindADamageIsNotRead() async throws {
        let source = PiecesSource([Data("--B\r\n\r\none\r\n--B\r\nno field\r\n\r\n".utf8), Data("two\r\n--B--".utf8)])
        let response = TransportResponse(
            head: HTTPResponse(status: .ok, headerFields: [.contentType: "multipart/mixed; boundary=B"]),
            body: ResponseBody(source: source))
        var parts = try MultipartDecoder().parts(of: response).makeAsyncIterator()
        let part = try #require(try await parts.next())
        #expect(try await part.body.collect() == Data("one".utf8))
        await #expect(throws: MultipartError.self) { try await parts.next() }
        #expect(source.isCancelled && source.remaining == 1)
    }

    @Test(arguments: [
        (#""a\"b"; filename="c\"; d""#, "a\"b", "c\"; d"), (#""a\"; filename="b.txt""#, "a\\", "b.txt"),
        (#""a\"; filename="b\""#, "a\\", "b\\"), ("\"a\\\"; filename=\"\"", "a\\", ""),
        (#""a%22b\c";filename=d"#, "a\"b\\c", "d"),
    ]) func aBackslashBeforeAQuoteEscapesItButAtTheEnd(_ text: String, _ name: String, _ filename: String) throws {
        let body = "--B\r\nContent-Disposition: form-data; name=\(text)\r\n\r\n\r\n--B--"
        let part = try #require(try MultipartDecoder().parts(in: Data(body.utf8), boundary: "B").first)
        #expect(part.name == name && part.filename == filename)
    }

    @Test func aFileNameThatIsNotUTF8IsReadAsWindows1252() throws {
        var body = Data("--B\r\nContent-Disposition: form-data; name=\"a\"; filename=\"caf".utf8)
        body.append(contentsOf: [0xE9, 0x80])
        body.append(contentsOf: ".txt\"\r\n\r\nx\r\n--B--".utf8)
        let part = try #require(try MultipartDecoder().parts(in: body, boundary: "B").first)
        #expect(part.name == "a" && part.filename == "café€.txt")
    }

    @Test func delimiterLikeBytesCostLinearTime() throws {
        let almost = "\r\n--" + String(repeating: "B", count: 68)
        let boundary = String(repeating: "B", count: 69)
        let time = processorTime {
            for noise in [almost, "\r\n", "\r", "-", "\r\n--\(boundary) x"] {
                let body =
                    "--\(boundary)\r\n\r\n" + String(repeating: noise, count: 200_000 / noise.utf8.count)
                    + "\r\n--\(boundary)--"
                let parts = try? MultipartDecoder().parts(in: Data(body.utf8), boundary: boundary)
                #expect(parts?.count == 1)
            }
        }
        #expect(time < 30)
    }

    @Test func missingPartsAndWrongValuesAreErrors() {
        struct Model: Decodable { var a: Int }
        let response = HTTPResponse(status: .ok, headerFields: [.contentType: "multipart/form-data; boundary=B"])
        for text in [
            "--B--", "--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx\r\n--B--",
            "--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n\u{FF}\r\n--B--",
        ] {
            #expect(throws: DecodingError.self) {
                try MultipartDecoder().decode(Model.self, from: Data(text.utf8), response: response)
            }
        }
    }
}
