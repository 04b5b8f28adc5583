// SPDX-License-Identifier: Apache-2.0

public import StrataCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Recorded exchanges, as a HAR 1.2 file has them: those that ``RecordingMiddleware`` has written, or the export of a browser or a
/// proxy.
///
///     let cassette = try Cassette(contentsOf: URL(filePath: "Fixtures/github-issues.har"))
///     let transport = CassetteTransport(cassette)
///
/// Beside HAR's members it reads those of `RecordingMiddleware`: `_pieces`, when how much of a body came, as pairs of milliseconds
/// since the exchange began and bytes; `_error`, the code of the failure that ended the exchange; `_trailers`; `_file`, a body
/// beside the cassette; `_test`, the test that recorded the entry. In browsers' files, fields of HTTP/2 whose name begins with a
/// colon are left out, values with line breaks are fields of their own, and a body counts as decoded, whatever
/// `Content-Encoding` and `Content-Length` say.
public struct Cassette: Sendable {
    /// The file's name.
    public let name: String
    /// In the order in which the exchanges began, where the file tells.
    public var entries: [Entry]
    /// Whether the file ends within its entries, as after a crash. The entries before are there.
    public let isCutOff: Bool

    /// - Throws: a ``CassetteError`` that names the entry and the member.
    public init(contentsOf file: URL) throws {
        let path = file.path
        let data: Data?
        do {
            data = try PrivateFile.read(path)
        } catch {
            throw CassetteError(.fileFailed, file.lastPathComponent, "the file cannot be read: \(error)")
        }
        guard let data else {
            throw CassetteError(.missing, file.lastPathComponent, "there is no such file at \(path)")
        }
        try self.init(data, name: file.lastPathComponent, folder: file.deletingLastPathComponent())
    }

    /// - `data`: the text of a HAR file, in UTF-8, or in UTF-16 or UTF-32 with a byte order mark or without.
    /// - `folder`: where the files of large bodies are. `nil`: such a body fails when it is read.
    /// - Throws: a ``CassetteError`` that names the entry and the member.
    public init(_ data: Data, name: String = "cassette", folder: URL? = nil) throws {
        let reader = try Self.read(data, name: name)
        self.name = name
        isCutOff = reader.isCutOff
        entries = reader.entries
        for index in entries.indices {
            entries[index].isOurs = reader.isOurs
            entries[index].folder = folder?.path
        }
        guard reader.isOurs, zip(entries, entries.dropFirst()).contains(where: { $1.isBefore($0) }) else { return }
        entries.sort { $0.isBefore($1) }
    }

    static func read(_ data: Data, name: String) throws -> HARReader {
        var bytes = [UInt8](data)
        if let charset = TextCharset(ofJSON: data), charset != .utf8 {
            guard let text = charset.decode(data) else {
                throw CassetteError(.damaged, name, "it is not text in \(charset)")
            }
            bytes = Array(text.utf8)
        }
        try checkUTF8(bytes, name: name)
        var reader = HARReader(HARText(bytes), name: name)
        try reader.read()
        return reader
    }

    /// A character that is cut off at the end belongs to an entry that is.
    private static func checkUTF8(_ bytes: [UInt8], name: String) throws {
        if bytes.allSatisfy({ $0 < 0x80 }) { return }
        let tail = bytes.suffix(3).reversed().prefix { $0 & 0xC0 == 0x80 }.count
        let isPartial = bytes.dropLast(tail).last.map { $0 >= 0xC0 } == true
        guard
            String(validating: isPartial ? bytes.dropLast(tail + 1) : bytes[...], as: UTF8.self) != nil
                || String(validating: bytes, as: UTF8.self) != nil
        else { throw CassetteError(.damaged, name, "it is not UTF-8") }
    }

    /// The cassette with the bodies of its responses cut in other places: one cassette for each way of cutting.
    ///
    /// With ``Rechunking/everySplit`` each body is cut at its first byte in the first cassette, at its second in the second, and
    /// so on; one that is too short for that stays whole. Bodies in files beside the cassette stay as they are.
    public func rechunked(_ rechunking: Rechunking) -> [Cassette] {
        let ways = rechunking == .everySplit ? max(1, entries.map(\.inlineCount).max().map { $0 - 1 } ?? 1) : 1
        return (0..<ways).map { way in
            var cassette = self
            for index in entries.indices { cassette.entries[index].cutting = Cutting(rechunking, way: way) }
            return cassette
        }
    }
}

extension Cassette: DumpedAsDescription {
    /// `github.har (12 entries)`
    public var description: String { "\(name) (\(entries.count) entries)" }
}
