// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import TestSupport
import Testing

struct MultipartFormTests {
    @Test(.vectors("multipart/multipart-encode.json")) func partsGoOutAsTheStandardsSay() async throws {
        for vector in try Vectors.cases("multipart/multipart-encode.json") {
            // Those without parts say in words what tests below claim.
            guard let parts = vector["parts"]?.array else { continue }
            let id = vector["id"]?.string ?? ""
            if vector["must_refuse"]?.bool == true {
                await #expect(throws: (any Error).self, "\(id)") { try await Self.encoded(parts) }
                continue
            }
            let encoded: EncodedBody
            let bytes: Data
            do {
                (encoded, bytes) = try await Self.encoded(parts)
            } catch {
                #expect(vector["refusal_ok"]?.bool == true, "\(id): \(error)")
                continue
            }
            try check(encoded, bytes, parts, id)
        }
    }

    @Test func aPartShowsNeitherItsFieldsNorItsBytes() {
        let part = MultipartPart(
            name: "a", body: .data(Data(Leaks.mark.utf8)), fields: [.authorization: "Bearer \(Leaks.mark)"])
        #expect("\(part)" == "a (6 bytes)")
        var dumped = ""
        dump(part, to: &dumped)
        Leaks.check("\(part) \(String(reflecting: part)) \(dumped)", "a part")
    }

    private static func encoded(_ parts: [JSONValue]) async throws -> (EncodedBody, Data) {
        let encoded = try MultipartForm(try parts.map(part)).encodedBody()
        return (encoded, try await encoded.body.collect())
    }

    private func check(_ encoded: EncodedBody, _ bytes: Data, _ parts: [JSONValue], _ id: String) throws {
        #expect(encoded.body.length == Int64(bytes.count), "\(id)")
        let type = try #require(encoded.contentType.flatMap { MediaType($0) })
        #expect(type.essence == "multipart/form-data")
        let boundary = try #require(type.boundary)
        let received = try MultipartDecoder().parts(in: bytes, boundary: boundary)
        #expect(received.count == parts.count, "\(id)")
        for (part, expected) in zip(received, parts) {
            #expect(part.body.data == expected.bytes("body_b64"), "\(id)")
            let disposition = try #require(part.fields[.contentDisposition])
            let names = try #require(expected["name_on_wire"]?.array).compactMap(\.string)
            // By bytes, since a name that is composed otherwise is another one.
            let heads = names.map { "form-data; name=\"\($0)\"" }
            if let files = expected["filename_on_wire"]?.array?.compactMap(\.string) {
                let wholes = heads.flatMap { head in files.map { "\(head); filename=\"\($0)\"" } }
                #expect(wholes.contains { $0.isIdentical(to: disposition) }, "\(id): \(disposition)")
                #expect(part.contentType != nil, "\(id)")
            } else {
                #expect(heads.contains { $0.isIdentical(to: disposition) }, "\(id): \(disposition)")
                #expect(part.filename == nil, "\(id)")
            }
            if let type = expected["content_type"]?.string { #expect(part.fields[.contentType] == type, "\(id)") }
            for header in expected["headers"]?.array ?? [] {
                let name = try #require(HTTPField.Name(header[0]?.string ?? ""))
                #expect(part.fields[name] == header[1]?.string, "\(id)")
            }
        }
    }

    /// - Throws: also for fields that cannot be sent.
    static func part(_ vector: JSONValue) throws -> MultipartPart {
        var part = MultipartPart.data(
            vector.bytes("body_b64") ?? Data(), name: vector["name"]?.string ?? "",
            filename: vector["filename"]?.string, contentType: vector["content_type"]?.string)
        for header in vector["headers"]?.array ?? [] {
            try part.fields.addValue(header[1]?.string ?? "", forName: header[0]?.string ?? "")
        }
        return part
    }

    @Test func looksAsTheDocumentationSays() async throws {
        var form = MultipartForm(boundary: "XX")
        form.append(.text("a b", name: "na\"me\r\nx"))
        form.append(.data(Data([1, 2]), name: "f", filename: "p\"\n.png"))
        let encoded = try form.encodedBody()
        #expect(encoded.contentType == "multipart/form-data; boundary=XX")
        let expected =
            "--XX\r\nContent-Disposition: form-data; name=\"na%22me%0D%0Ax\"\r\n\r\na b\r\n--XX\r\n"
            + "Content-Disposition: form-data; name=\"f\"; filename=\"p%22%0A.png\"\r\nContent-Type: image/png\r\n\r\n\u{1}\u{2}\r\n--XX--\r\n"
        #expect(String(decoding: try await encoded.body.collect(), as: UTF8.self) == expected)
    }

    @Test func outsideOfFormsADispositionIsThatOfTheField() async throws {
        var part = MultipartPart.data(Data("x".utf8), name: "n", filename: "f", contentType: "text/plain")
        try part.fields.addValue("inline; filename=g", forName: "Content-Disposition")
        let form = MultipartForm([part], subtype: "mixed", boundary: "B")
        #expect(
            String(decoding: try await form.encodedBody().body.collect(), as: UTF8.self)
                == "--B\r\nContent-Disposition: inline; filename=g\r\nContent-Type: text/plain\r\n\r\nx\r\n--B--\r\n")
    }

    @Test func aFieldThatAPartHasOfItsOwnIsThereOnce() async throws {
        var part = MultipartPart.data(Data(), name: "f", contentType: "image/png")
        try part.fields.addValue("form-data; name=other", forName: "content-disposition")
        try part.fields.addValue("text/plain", forName: "CONTENT-TYPE")
        try part.fields.addValue("1", forName: "X-A")
        let text = String(
            decoding: try await MultipartForm([part], boundary: "B").encodedBody().body.collect(), as: UTF8.self)
        for name in ["content-disposition:", "content-type:", "x-a:"] {
            #expect(text.lowercased().components(separatedBy: name).count == 2, "\(text)")
        }
    }

    @Test(arguments: [
        ("\r", "%0D%0A"), ("\n", "%0D%0A"), ("\r\n", "%0D%0A"), ("\n\r", "%0D%0A%0D%0A"), ("%", "%"), ("\\", "\\"),
        ("é", "é"),
    ])
    func lineBreaksInNamesAreNormalizedBeforeTheyAreEscaped(_ name: String, _ wire: String) async throws {
        let bytes = try await MultipartForm([.text("", name: name)]).encodedBody().body.collect()
        #expect(String(decoding: bytes, as: UTF8.self).contains("name=\"\(wire)\"\r\n"))
    }

    @Test func nulInANameIsRefused() {
        let file = MultipartPart.data(Data(), name: "a", filename: "a\0b", contentType: nil)
        for part in [.text("x", name: "a\0b"), file] {
            #expect(throws: EncodingError.self) { try MultipartForm([part]).encodedBody() }
        }
    }

    @Test func theBoundaryIsNewEachTimeAndOfManyBits() throws {
        let boundaries = try (0..<200).map { _ in
            let contentType = try MultipartForm([.text("x", name: "a")]).encodedBody().contentType
            return try #require(contentType.flatMap { MediaType($0) }?.boundary)
        }
        #expect(Set(boundaries).count == 200)
        #expect(
            boundaries.allSatisfy {
                (24...70).contains($0.utf8.count) && $0.utf8.allSatisfy { $0 != UInt8(ascii: "\"") }
            })
    }

    @Test func aBoundaryOfOnesOwnIsQuotedAndChecked() throws {
        let encoded = try MultipartForm([.text("x", name: "a")], boundary: "a b:c/d=e?f").encodedBody()
        #expect(encoded.contentType == "multipart/form-data; boundary=\"a b:c/d=e?f\"")
        for bad in ["", "a ", String(repeating: "a", count: 71), "a\"b", "a\r\nb", "ä", "a;b"] {
            #expect(throws: EncodingError.self) { try MultipartForm(boundary: bad).encodedBody() }
        }
        #expect(throws: EncodingError.self) {
            try MultipartForm([.text("xx--B--", name: "a")], boundary: "--B-").encodedBody()
        }
    }

    @Test func aBoundaryOfOnesOwnThatOccursInAStreamFailsTheUpload() async throws {
        let pieces = [Data("xxbou".utf8), Data("boun".utf8), Data("daryx".utf8)]
        let stream = RequestBody.stream { Pieces(pieces) }
        let body = try MultipartForm([MultipartPart(name: "a", body: stream)], boundary: "boundary").encodedBody().body
        let error = await #expect(throws: NetworkClientError.self) { try await body.collect() }
        #expect(error?.code == .uploadFailed)
        let other = try MultipartForm([MultipartPart(name: "a", body: stream)], boundary: "boundarz").encodedBody().body
        #expect(try await other.collect().count > 10)
    }

    @Test func anUploadThatFailedFailsAgain() async throws {
        let stream = RequestBody.stream { Pieces([Data("boundary".utf8), Data("more".utf8)]) }
        let body = try MultipartForm([MultipartPart(name: "a", body: stream)], boundary: "boundary").encodedBody().body
        let source = try body.makeSource()
        _ = try await source.next()
        for _ in 0..<2 { await #expect(throws: NetworkClientError.self) { try await source.next() } }
    }

    @Test(arguments: [
        ("a", "b.txt"), ("a\\", "b.txt"), ("a\\", "b\\"), ("\\", ""), ("a\\\\", "\\"),
        ("a\"; b", "c\"d\\"), ("a\\\"", "\"; x=\""), ("a\u{1}b\u{7F}", "\u{1}c\td"),
    ]) func namesAreReadBackTheSame(_ name: String, _ filename: String) async throws {
        let form = MultipartForm([.data(Data(), name: name, filename: filename)], boundary: "B")
        let bytes = try await form.encodedBody().body.collect()
        let part = try #require(try MultipartDecoder().parts(in: bytes, boundary: "B").first)
        #expect(part.name == name && part.filename == filename)
    }

    @Test func theLengthIsKnownWhenEveryPartsIs() throws {
        let known = MultipartPart(name: "a", body: .stream(length: 10) { Pieces([]) })
        let unknown = MultipartPart(name: "b", body: .stream { Pieces([]) })
        #expect(try MultipartForm([known]).encodedBody().body.length != nil)
        #expect(try MultipartForm([known, unknown]).encodedBody().body.length == nil)
        let absurd = MultipartPart(name: "c", body: .stream(length: .max) { Pieces([]) })
        #expect(throws: NetworkClientError.self) { try MultipartForm([absurd, absurd]).encodedBody() }
    }

    @Test func canBeSentAgainWhenItsPartsCan() async throws {
        let again = try MultipartForm([
            .text("x", name: "a"), MultipartPart(name: "b", body: .stream { Pieces([Data("y".utf8)]) }),
        ])
        .encodedBody().body
        #expect(again.isReplayable)
        let first = try await again.collect()
        #expect(try await again.collect() == first)
        let once = try MultipartForm([MultipartPart(name: "b", body: .stream(from: Pieces([Data("y".utf8)])))])
            .encodedBody().body
        #expect(!once.isReplayable)
        _ = try await once.collect()
        let error = await #expect(throws: NetworkClientError.self) { try await once.collect() }
        #expect(error?.code == .bodyNotReplayable)
    }

    @Test(arguments: [3, 5]) func aPartOfAnotherLengthThanAnnouncedFailsTheUpload(_ announced: Int64) async throws {
        let part = MultipartPart(
            name: "a", body: .stream(length: announced) { Pieces([Data("12".utf8), Data("34".utf8)]) })
        let body = try MultipartForm([part]).encodedBody().body
        let error = await #expect(throws: NetworkClientError.self) { try await body.collect() }
        #expect(error?.code == .uploadFailed)
    }

    @Test func aFileIsReadInSmallPiecesAndAShrunkOneIsAnError() async throws {
        let folder = try TemporaryFolder()
        let url = folder["a.html"]
        let content = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        try content.write(to: url)
        let form = MultipartForm([try .file(url, name: "f")])
        let encoded = try form.encodedBody()
        let source = try encoded.body.makeSource()
        var bytes = Data()
        while let piece = try await source.next() {
            #expect(piece.count <= 64 * 1024)
            bytes.append(piece)
        }
        let boundary = try #require(encoded.contentType.flatMap { MediaType($0) }?.boundary)
        let part = try #require(try MultipartDecoder().parts(in: bytes, boundary: boundary).first)
        #expect(part.body.data == content)
        #expect(part.filename == "a.html")
        #expect(part.contentType?.essence == "text/html")
        #expect(encoded.body.length == Int64(bytes.count))
        try Data(content.prefix(100_000)).write(to: url)
        let error = await #expect(throws: NetworkClientError.self) { try await encoded.body.collect() }
        #expect(error?.code == .uploadFailed)
        #expect(throws: NetworkClientError.self) { try MultipartPart.file(url.appending(path: "none"), name: "f") }
    }

    @Test func cancellingEndsTheReading() async throws {
        let body = try MultipartForm([
            MultipartPart(name: "a", body: .stream { Pieces([Data(count: 100_000), Data(count: 1)]) })
        ]).encodedBody().body
        let source = try body.makeSource()
        _ = try await source.next()
        source.cancel()
        await #expect(throws: CancellationError.self) { while try await source.next() != nil {} }
    }

    @Test func otherSubtypesNeedNoNames() async throws {
        let id = try #require(HTTPField.Name("Content-ID"))
        var form = MultipartForm(
            [
                MultipartPart(
                    name: nil, body: .data(Data("{}".utf8)), contentType: "application/json; charset=utf-8",
                    fields: [id: "<a>"]),
                MultipartPart(name: nil, body: .data(Data("x".utf8))),
            ], subtype: "related", boundary: "B")
        form.parameters = ["start": "<a>", "boundary": "ignored"]
        let encoded = try form.encodedBody()
        #expect(encoded.contentType == #"multipart/related; boundary=B; type="application/json"; start="<a>""#)
        let text = String(decoding: try await encoded.body.collect(), as: UTF8.self)
        #expect(
            text
                == "--B\r\nContent-ID: <a>\r\nContent-Type: application/json; charset=utf-8\r\n\r\n{}\r\n--B\r\n\r\nx\r\n--B--\r\n"
        )
        #expect(try MultipartDecoder().parts(in: Data(text.utf8), boundary: "B").count == 2)
        #expect(throws: EncodingError.self) {
            try MultipartForm([MultipartPart(name: nil, body: .empty)]).encodedBody()
        }
    }

    @Test func theTypeOfARelatedBodyIsThatOfItsFirstPart() throws {
        let page = MultipartPart.data(Data(), name: "page", filename: "page.html")
        let report = MultipartPart(
            name: nil, body: .empty, fields: [.contentType: "application/dicom+json; charset=utf-8"])
        for (part, type) in [(page, "text/html"), (report, "application/dicom+json")] {
            let form = MultipartForm([part, .text("x", name: "a")], subtype: "related")
            #expect(try form.encodedBody().contentType.flatMap { MediaType($0) }?["type"] == type)
        }
    }

    @Test func aFieldThatWouldEndItsLineIsRefused() {
        for type in ["text/plain\r\nX: y", "a\nb", "a\u{0}b"] {
            #expect(throws: EncodingError.self) {
                try MultipartForm([.data(Data(), name: "a", contentType: type)]).encodedBody()
            }
        }
    }

    /// Whatever the part's own source makes of a cancel: what comes behind it would look like the form's end.
    @Test func aCancelIsNoEndOfTheForm() async throws {
        final class EndsWhenCancelled: BodySource {
            private let (waiting, end) = AsyncStream<Never>.makeStream()
            func next() async throws -> Data? {
                for await _ in waiting {}
                return nil
            }
            func cancel() { end.finish() }
        }
        let body = RequestBody.stream(isReplayable: true) { EndsWhenCancelled() }
        let form = MultipartForm([.init(name: "a", body: body), .text("x", name: "b")], boundary: "B")
        let source = try form.encodedBody().body.makeSource()
        #expect(try await source.next()?.isEmpty == false)
        let rest = Task { try await source.next() }
        source.cancel()
        await #expect(throws: CancellationError.self) { try await rest.value }
    }

    @Test func aTypeThatCannotBeSentIsRefused() {
        for subtype in ["", "mixed\r\nX: y", "a b", "mixed;"] {
            #expect(throws: EncodingError.self) { try MultipartForm(subtype: subtype).encodedBody() }
        }
        for (name, value) in [("start\r\nX", "y"), ("", "y"), ("start", "<a>\r\nX: y"), ("start", "a\u{0}")] {
            var form = MultipartForm(subtype: "related")
            form.parameters = [name: value]
            #expect(throws: EncodingError.self) { try form.encodedBody() }
        }
    }

    @Test func isTheBodyOfARequest() async throws {
        let transport = ScriptedTransport(.status(200))
        let client = NetworkClient(
            configuration: NetworkConfiguration(baseURL: URL(string: "https://h.example"), transport: transport))
        let form = MultipartForm([.text("x", name: "a")], boundary: "B")
        _ = try await client.run(NetworkRequest<MultipartForm, VoidResponse>(path: "/", method: .post, body: form))
        let request = try #require(transport.requests.first)
        #expect(request.head.headerFields[.contentType] == "multipart/form-data; boundary=B")
        #expect(
            String(decoding: request.body, as: UTF8.self)
                == "--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nx\r\n--B--\r\n")
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(form) }
    }
}

extension MediaType {
    var boundary: String? { self["boundary"] }
}

/// Pieces that come one after the other.
struct Pieces: AsyncSequence, Sendable {
    let pieces: [Data]
    init(_ pieces: [Data]) { self.pieces = pieces }

    struct AsyncIterator: AsyncIteratorProtocol {
        var rest: ArraySlice<Data>
        mutating func next() async throws -> Data? { rest.popFirst() }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(rest: pieces[...]) }
}
