// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
import StrataCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Cassette {
    /// One exchange. What is large in it is read from the file's text when it is asked for.
    public struct Entry: Sendable {
        /// The place in the file, the first being 0.
        public let number: Int
        public internal(set) var method = HTTPMethod.get
        /// As it was recorded: the values of secrets are masked.
        public internal(set) var url = ""
        /// 0 when there was no response.
        public internal(set) var status = 0
        /// From the beginning of the exchange to the response's head.
        public internal(set) var headTime = Duration.zero
        /// From the beginning of the exchange to the end of the response's body.
        public internal(set) var end = Duration.zero

        let cassette: String
        private let text: HARText
        var isOurs = false
        var folder: String?
        var cutting: Cutting?
        var sequence = 0
        var started: Range<Int>?
        var testRange: Range<Int>?
        var version: Range<Int>?
        var requestFieldsRange: Range<Int>?
        var responseFieldsRange: Range<Int>?
        var trailersRange: Range<Int>?
        var redirect: Range<Int>?
        var requestContent = Content()
        var responseContent = Content()
        var requestPieces: [Piece] = []
        var requestSize: Int64 = 0
        var responsePieces: [Piece]?
        var errorRange: Range<Int>?
        var errorMessage: Range<Int>?
        var errorTimeout: Range<Int>?
        var isUnprocessed = false
        /// Of a WebSocket; `nil` for anything else.
        var messages: [Message]?

        init(_ text: HARText, number: Int, cassette: String) {
            self.text = text
            self.number = number
            self.cassette = cassette
        }
    }

    /// A part of a body, and when it came: since the exchange began.
    public struct Piece: Hashable, Sendable {
        public var time: Duration
        /// In bytes.
        public var count: Int
    }

    /// Where a body stands.
    struct Content: Sendable {
        var text: Range<Int>?
        var isBase64 = false
        var file: Range<Int>?
        /// In place of a text: the items of a form.
        var params: Int?
        var size: Int64?
        var isPresent = false
        /// Left out when it was recorded, since there was no way to find the secrets in it.
        var isWithheld = false
    }
}

extension Cassette.Entry {
    /// The test that recorded it; `nil` when no test did.
    public var test: String? { testRange.map(text.string) }
    /// As the file has it, such as `2026-11-29T12:00:00.250Z`.
    public var startedDateTime: String? { started.map(text.string) }
    /// The protocol's version, as the file has it.
    public var httpVersion: String? { version.map(text.string) }
    public var requestFields: HTTPFields { fields(requestFieldsRange) }
    public var responseFields: HTTPFields { isOurs ? fields(responseFieldsRange) : foreignResponseFields }
    /// `nil` when there were none.
    public var trailers: HTTPFields? { trailersRange.map { fields($0) } }
    /// What ended the exchange, or its body, early; `nil` when it is complete.
    public var failure: String? { errorRange.map(text.string).flatMap { $0.isEmpty ? nil : $0 } }

    /// - Throws: ``CassetteError`` when the body was left out of the recording, or its file cannot be read.
    public func requestBody() throws -> Data {
        guard requestContent.text == nil, requestContent.file == nil, let params = requestContent.params else {
            return try data(requestContent, "request.postData")
        }
        return form(at: params)
    }

    /// Decoded.
    ///
    /// - Throws: ``CassetteError`` when the body was left out of the recording, or its file cannot be read.
    public func responseBody() throws -> Data { try data(responseContent, "response.content") }

    /// When how much of the response's body came. Where the file does not tell, all of it comes at its end.
    public var pieces: [Cassette.Piece] { responsePieces ?? [] }

    var hasRequestBody: Bool { requestContent.isPresent }

    /// How many bytes the response's body has in the file's text, at most.
    var inlineCount: Int { responseContent.text?.count ?? 0 }

    func isBefore(_ other: Cassette.Entry) -> Bool {
        let (one, two) = (started.map(text.content) ?? [], other.started.map(text.content) ?? [])
        if one == two { return sequence < other.sequence }
        return one.lexicographicallyPrecedes(two)
    }

    func error(_ member: String, _ message: String) -> CassetteError {
        CassetteError(.damaged, cassette, entry: number, member: "log.entries[\(number)].\(member)", message)
    }

    func string(_ range: Range<Int>?) -> String? { range.map(text.string) }

    func data(_ content: Cassette.Content, _ member: String) throws -> Data {
        if content.isWithheld {
            throw error(
                member, "the body was left out of the recording, since secrets in it could not be found for certain")
        }
        if let path = try bodyPath(content, member) {
            guard let data = try? PrivateFile.read(path) else {
                throw error(member + "._file", "there is no file at \(path)")
            }
            return data
        }
        guard let range = content.text else {
            guard let size = content.size, size > 0 else { return Data() }
            throw error(member, "the file has no text for this body of \(size) bytes: it was exported without")
        }
        guard content.isBase64 else { return Data(text.content(range)) }
        var digits = text.content(range).filter { !$0.isWhitespace && $0 != UInt8(ascii: "=") }
        for index in digits.indices {
            if digits[index] == UInt8(ascii: "-") { digits[index] = UInt8(ascii: "+") }
            if digits[index] == UInt8(ascii: "_") { digits[index] = UInt8(ascii: "/") }
        }
        digits += Array(repeating: UInt8(ascii: "="), count: (4 - digits.count % 4) % 4)
        guard let data = Data(base64Encoded: Data(digits)) else {
            throw error(member + ".text", "the text is not base64")
        }
        return data
    }

    /// Of a body that stands beside the cassette.
    func bodyPath(_ content: Cassette.Content, _ member: String) throws -> String? {
        guard let file = content.file else { return nil }
        guard let folder else { throw error(member + "._file", "the cassette was read without its folder") }
        let path = "\(folder)/\(text.string(file))"
        guard CassetteFolder.isInside(path, of: folder) else {
            throw error(member + "._file", "the file's name leads out of the cassette's folder")
        }
        return path
    }
}

// MARK: - Fields

extension Cassette.Entry {
    /// The fields whose array stands at `range`. It has been checked by ``HARReader``.
    private func fields(_ range: Range<Int>?) -> HTTPFields {
        var fields = HTTPFields()
        for (name, value) in pairs(at: range?.lowerBound) {
            // Of HTTP/2's pseudo fields there is no name.
            guard let name = HTTPField.Name(name) else { continue }
            // Browsers join repeated fields by line breaks.
            for line in value.split(separator: "\n", omittingEmptySubsequences: value.contains("\n")) {
                fields.append(HTTPField(name: name, value: String(Substring(line.utf8.trimmingBlanks))))
            }
            if value.isEmpty { fields.append(HTTPField(name: name, value: "")) }
        }
        return fields
    }

    /// Of a browser or a proxy: the body is decoded, and framing is that of another connection.
    private var foreignResponseFields: HTTPFields {
        var fields = fields(responseFieldsRange)
        if let target = redirect.map(text.string), !target.isEmpty, fields[.location] == nil,
            (300...399).contains(status)
        {
            fields[.location] = target
        }
        fields[.transferEncoding] = nil
        if let coding = fields[.contentEncoding], !isStillEncoded(coding) {
            fields[.contentEncoding] = nil
            fields[.contentLength] = nil
        }
        return fields
    }

    /// Whether a body is really in its coding: by the bytes with which gzip and zstd begin (RFC 1952 §2.3.1, RFC 8878 §3.1.1).
    private func isStillEncoded(_ coding: String) -> Bool {
        guard responseContent.isBase64, let start = try? responseBody().prefix(4) else { return false }
        return start.starts(with: [0x1F, 0x8B]) && coding.contains("gzip")
            || start.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) && coding.contains("zstd")
    }

    /// The members `name` and `value` of each object in an array.
    private func pairs(at start: Int?) -> [(name: String, value: String)] {
        guard let start else { return [] }
        var reader = HARReader(text, name: cassette, at: start)
        return (try? reader.pairs()) ?? []
    }

    private func form(at start: Int) -> Data {
        var output: [UInt8] = []
        for (name, value) in pairs(at: start) {
            if !output.isEmpty { output.append(UInt8(ascii: "&")) }
            PercentEncoding.appendFormEncoded(name, to: &output)
            output.append(UInt8(ascii: "="))
            PercentEncoding.appendFormEncoded(value, to: &output)
        }
        return Data(output)
    }
}
