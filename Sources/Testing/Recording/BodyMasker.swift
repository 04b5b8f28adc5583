// SPDX-License-Identifier: Apache-2.0

import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Masks the secrets in a body that comes in pieces, and follows where the ends of the pieces come to lie.
///
/// A body is masked in parts, of which one is in memory at a time. They are cut where no secret is likely to go on: at the end of
/// a line, or between the members of JSON.
struct BodyMasker {
    private let redaction: Redaction
    private let contentType: String?
    private let isTextLike: Bool
    /// What has come and is not masked yet.
    private var rest = Data()
    /// Where pieces end in ``rest``.
    private var ends: [(time: Duration, offset: Int)] = []
    private(set) var pieces: [Cassette.Piece] = []
    /// How many masked bytes there are of a piece that goes on in the next part.
    private var begun = 0
    /// How much has to be there before an end of the part is looked for again.
    private var nextSearch: Int
    /// Whether the body is left out, because the search would miss secrets in it.
    private(set) var isWithheld = false

    /// How much is masked at once, where the body can be cut there.
    private let partSize: Int
    /// How much is held to find a place to cut at.
    private static let mostHeld = 16 << 20
    /// More pieces than these are put together two by two.
    private static let mostPieces = 1 << 16

    /// - Parameter partSize: how much is masked at once; from 16 KiB to 1 MiB.
    init(_ redaction: Redaction, contentType: String?, partSize: Int) {
        self.partSize = min(max(partSize, 1 << 14), 1 << 20)
        nextSearch = self.partSize
        self.redaction = redaction
        self.contentType = contentType
        isTextLike = MaskableText.isText(contentType)
    }

    var held: Int { rest.count }

    mutating func add(_ piece: Data, at time: Duration) {
        rest.append(piece)
        ends.append((time, rest.count))
    }

    /// The next part, masked; `nil` until enough has come.
    mutating func nextPart(_ options: RequestOptions?) -> Data? {
        guard rest.count >= nextSearch else { return nil }
        let isText = isTextLike || Redaction.isText(rest.prefix(4096))
        guard let end = PartEnd.find(in: rest, isText: isText) ?? (rest.count >= Self.mostHeld ? rest.count : nil)
        else {
            // Twice as much, so that a body without a place to cut at is not searched again for each piece.
            nextSearch = min(nextSearch * 2, Self.mostHeld)
            return nil
        }
        nextSearch = partSize
        return mask(upTo: end, options)
    }

    /// What is left, masked.
    mutating func lastPart(_ options: RequestOptions?) -> Data { mask(upTo: rest.count, options) }

    private mutating func mask(upTo end: Int, _ options: RequestOptions?) -> Data {
        let part = Data(rest.prefix(end))
        rest = Data(rest.dropFirst(end))
        let masked = isWithheld ? nil : masked(part, options)
        if masked == nil { isWithheld = true }
        place(endsUpTo: end, of: part, in: masked ?? part)
        return masked ?? Data()
    }

    private func masked(_ part: Data, _ options: RequestOptions?) -> Data? {
        if part.isEmpty { return part }
        guard isTextLike || Redaction.isText(part) else { return redaction.bytes(part) }
        func mask(_ text: Data) -> String? { redaction.maskedText(text, contentType: contentType, options: options) }
        if let wide = MaskableText.wideText(part) { return mask(Data(wide.utf8)) == wide ? part : nil }
        let text = MaskableText(part)
        if text.isBinary { return redaction.bytes(part) }
        return mask(text.visible).map(text.restored)
    }

    private mutating func place(endsUpTo end: Int, of part: Data, in masked: Data) {
        let count = ends.prefix { $0.offset <= end }.count
        var start = 0
        let places = Alignment(part, masked, mark: redaction.replacement).places(of: ends.prefix(count).map(\.offset))
        for (place, piece) in zip(places, ends) {
            append(Cassette.Piece(time: piece.time, count: begun + place - start))
            begun = 0
            start = place
        }
        begun += masked.count - start
        ends = ends.dropFirst(count).map { ($0.time, $0.offset - end) }
    }

    private mutating func append(_ piece: Cassette.Piece) {
        if piece.count > 0 { pieces.append(piece) }
        guard pieces.count > Self.mostPieces else { return }
        pieces = stride(from: 0, to: pieces.count, by: 2).map { index in
            guard index + 1 < pieces.count else { return pieces[index] }
            return Cassette.Piece(
                time: pieces[index + 1].time, count: pieces[index].count + pieces[index + 1].count)
        }
    }
}

/// Where a part of a body may end.
private enum PartEnd {
    static func find(in data: Data, isText: Bool) -> Int? {
        let bytes = [UInt8](data)
        if !isText {
            // Behind a byte that is no part of a key.
            let last = bytes.lastIndex { !$0.isLetter && !$0.isDigit && !"-._ ".utf8.contains($0) }
            return last.map { $0 + 1 }
        }
        if let line = bytes.lastIndex(of: UInt8(ascii: "\n")) { return line + 1 }
        return endOfMember(in: bytes)
    }

    /// Behind the last comma outside of strings, best behind an object.
    private static func endOfMember(in bytes: [UInt8]) -> Int? {
        var (comma, object): (Int?, Int?)
        var isString = false
        var index = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\\") where isString: index += 1
            case UInt8(ascii: "\""): isString.toggle()
            case UInt8(ascii: ",") where !isString:
                comma = index + 1
                if index > 0, bytes[index - 1] == UInt8(ascii: "}") { object = index + 1 }
            default: break
            }
            index += 1
        }
        return object ?? comma
    }
}
