// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A body as lines of text, in the charset that its byte order mark or its media type names; else in UTF-8.
struct LineFraming: StreamFraming {
    private var splitter: LineSplitter
    private var mark = LeadingMark()
    private var charset: TextCharset
    /// Makes UTF-8 of charsets in which a line end has several bytes.
    private var wide: WideText?
    /// The first bytes, until they tell whether they begin with a mark; `nil` from then on.
    private var start: Data? = Data()
    private let failure: NetworkClientError?

    init(_ head: HTTPResponse, at ending: LineSplitter.Ending, maximumLength: Int) {
        splitter = LineSplitter(at: ending, maximumLength: maximumLength)
        let label = head.headerFields.contentType.flatMap { HTTPFields.charset(of: $0) } ?? "utf-8"
        let named = TextCharset(label: label)
        charset = named ?? .utf8
        failure = named == nil ? StreamFailure.unknownCharset(label) : nil
    }

    mutating func append(_ piece: Data) {
        guard var start else { return split(piece) }
        start += piece
        self.start = start
        guard let first = start.first else { return }
        // All marks begin with one of these, and the longest has four bytes.
        if start.count >= 4 || first != 0 && first < 0xEF && !charset.isWide { begin() }
    }

    private mutating func begin() {
        guard let start else { return }
        self.start = nil
        let marked = TextCharset(markOf: start)
        if let marked { charset = marked }
        if charset.isWide {
            wide = WideText(charset)
            charset = .utf8
        }
        split(start)
    }

    private mutating func split(_ piece: Data) {
        splitter.append(mark.removed(from: wide?.utf8(of: piece) ?? piece))
    }

    mutating func next() throws -> String? {
        if let failure { throw failure }
        return try splitter.next { Self.text(of: $0, charset) }
    }

    mutating func finish() throws -> String? {
        begin()
        if let line = try next() { return line }
        splitter.append(mark.takeUnfinished() + (wide?.finish() ?? Data()))
        return try splitter.finish { Self.text(of: $0, charset) }
    }

    private static func text(of line: UnsafeRawBufferPointer, _ charset: TextCharset) -> String {
        charset == .utf8 ? line.text : charset.decode(Data(line)) ?? line.text
    }
}
