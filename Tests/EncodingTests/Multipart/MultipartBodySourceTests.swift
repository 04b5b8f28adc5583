// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import Testing

/// The body that the parts of a form become.
struct MultipartBodySourceTests {
    private func body(_ parts: MultipartPart...) throws -> RequestBody {
        try MultipartForm(parts, boundary: "B").encodedBody().body
    }

    private static let head = "--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n"

    @Test func smallPartsAreOnePiece() throws {
        let text = Self.head + "x\r\n" + Self.head + "y\r\n--B--\r\n"
        #expect(try body(.text("x", name: "a"), .text("y", name: "a")).data == Data(text.utf8))
        #expect(try body().data == Data("--B--\r\n".utf8))
        let most = Data(repeating: 0x61, count: 64 * 1024)
        let whole = try body(.data(most, name: "a"))
        #expect(whole.data == Data(Self.head.utf8) + most + Data("\r\n--B--\r\n".utf8))
        let two = try body(.data(most, name: "a"), .data(most, name: "a"))
        #expect(two.data?.count == 2 * most.count + 2 * Self.head.utf8.count + "\r\n\r\n--B--\r\n".utf8.count)
    }

    @Test func aLargePartIsAPieceOfItsOwn() async throws {
        let large = Data(repeating: 0x61, count: 64 * 1024 + 1)
        let body = try body(.text("x", name: "a"), .data(large, name: "a"), .data(large, name: "a"))
        #expect(body.data == nil && body.isReplayable)
        let source = try body.makeSource()
        var pieces: [Data] = []
        while let piece = try await source.next() { pieces.append(piece) }
        let between = Data(("\r\n" + Self.head).utf8)
        let expected =
            Data((Self.head + "x").utf8) + between + large + between + large + Data("\r\n--B--\r\n".utf8)
        #expect(Data(pieces.joined()) == expected && body.length == Int64(expected.count))
        #expect(pieces.first == Data((Self.head + "x\r\n" + Self.head).utf8))
        #expect(pieces.last == Data("\r\n--B--\r\n".utf8))
        #expect(try await body.collect() == expected)
    }

    @Test(arguments: [(0, true), (5, true), (-1, false), (.max, false)] as [(Int64, Bool)])
    func aLengthThatNoPartHasIsRefused(_ length: Int64, _ isPossible: Bool) throws {
        let part = MultipartPart(name: "a", body: .stream(length: length) { Pieces([]) })
        guard isPossible else {
            let error = #expect(throws: NetworkClientError.self) { try body(part) }
            #expect(error?.code == .encodingFailed)
            #expect(error?.message.contains("an impossible length") == true)
            return
        }
        let rest = Int64(Self.head.utf8.count + "\r\n--B--\r\n".utf8.count)
        #expect(try body(part).length == length + rest)
        #expect(try body(part, MultipartPart(name: "a", body: .stream { Pieces([]) })).length == nil)
    }

    @Test func aCancelledBodyHasNoPieces() async throws {
        let source = try body(MultipartPart(name: "a", body: .stream { Pieces([Data("x".utf8)]) })).makeSource()
        source.cancel()
        for _ in 0..<2 { await #expect(throws: CancellationError.self) { try await source.next() } }
    }

    @Test func aCancelReachesThePartThatIsBeingRead() async throws {
        let part = PiecesSource([Data("x".utf8), Data("y".utf8)])
        let stream = RequestBody.stream(isReplayable: false) { part }
        let source = try body(MultipartPart(name: "a", body: stream)).makeSource()
        for expected in [Data(Self.head.utf8), Data("x".utf8)] { #expect(try await source.next() == expected) }
        #expect(!part.isCancelled)
        source.cancel()
        #expect(part.isCancelled && part.remaining == 1)
    }

    @Test func aBoundaryIsOf39CharactersUnlessItIsGiven() throws {
        for _ in 0..<20 {
            let type = try MultipartForm([.text("x", name: "a")]).encodedBody().contentType.flatMap { MediaType($0) }
            let boundary = try #require(type?["boundary"])
            #expect(boundary.hasPrefix("Strata-") && boundary.utf8.count == 39)
            #expect(boundary.dropFirst(7).allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) })
        }
    }

    /// RFC 2046 §5.1.1.
    @Test func everyCharacterThatABoundaryMayHaveIsTaken() async throws {
        let others = "'()+_,-./:=? "
        for scalar in (0...0xFF).compactMap(Unicode.Scalar.init) {
            let character = Character(scalar)
            let isAllowed = scalar.isASCII && (character.isLetter || character.isNumber || others.contains(character))
            let form = MultipartForm([.text("1", name: "a")], boundary: "x\(character)y")
            if isAllowed {
                let text = String(decoding: try await form.encodedBody().body.collect(), as: UTF8.self)
                #expect(text.hasPrefix("--x\(character)y\r\n") && text.hasSuffix("--x\(character)y--\r\n"))
            } else {
                #expect(throws: EncodingError.self, "\(scalar.value)") { try form.encodedBody() }
            }
        }
        for (count, isAllowed) in [(1, true), (70, true), (71, false)] {
            let form = MultipartForm(boundary: String(repeating: "b", count: count))
            #expect(((try? form.encodedBody()) != nil) == isAllowed, "\(count)")
        }
    }

    /// Outside of forms a part needs no name, and a name makes it an attachment.
    @Test(
        arguments: [
            (nil, nil, nil, "\r\n"), ("n", nil, nil, "Content-Disposition: attachment; name=\"n\"\r\n\r\n"),
            (
                nil, "f.txt", nil,
                "Content-Disposition: attachment; filename=\"f.txt\"\r\nContent-Type: text/plain\r\n\r\n"
            ),
            (
                nil, "f", nil,
                "Content-Disposition: attachment; filename=\"f\"\r\nContent-Type: application/octet-stream\r\n\r\n"
            ),
            (
                "n", "f.txt", "a/b",
                "Content-Disposition: attachment; name=\"n\"; filename=\"f.txt\"\r\nContent-Type: a/b\r\n\r\n"
            ),
        ] as [(String?, String?, String?, String)])
    func theHeadOfAPart(_ name: String?, _ filename: String?, _ type: String?, _ head: String) throws {
        let part = MultipartPart(name: name, body: .data(Data("1".utf8)), filename: filename, contentType: type)
        let mixed = try MultipartForm([part], subtype: "Mixed", boundary: "B").encodedBody()
        #expect(mixed.contentType == "multipart/mixed; boundary=B")
        #expect(mixed.body.data == Data("--B\r\n\(head)1\r\n--B--\r\n".utf8))
        let form = MultipartForm([part], subtype: "FORM-DATA", boundary: "B")
        guard name != nil else {
            #expect(throws: EncodingError.self) { try form.encodedBody() }
            return
        }
        let formHead = head.replacing("attachment", with: "form-data")
        #expect(try form.encodedBody().body.data == Data("--B\r\n\(formHead)1\r\n--B--\r\n".utf8))
    }
}
