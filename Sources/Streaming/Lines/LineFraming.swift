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
    private let charset: TextCharset?
    /// Makes UTF-8 of charsets in which a line end has several bytes. Decided by the first bytes.
    private var wide: WideText?
    private var isAtStart = true
    private var held = Data()
    private let failure: NetworkClientError?

    init(_ head: HTTPResponse, at ending: LineSplitter.Ending, maximumLength: Int) {
        splitter = LineSplitter(at: ending, maximumLength: maximumLength)
        let label = head.headerFields.contentType.flatMap { HTTPFields.charset(of: $0) }
        charset = label.map { TextCharset(label: $0) } ?? .utf8
        failure = charset == nil ? label.map { StreamFailure.unknownCharset($0) } : nil
    }

    mutating func append(_ piece: Data) {
        guard isAtStart else { return split(piece) }
        held += piece
        // A mark of UTF-16 or UTF-32, or its beginning.
        if let first = held.first, first == 0 || first >= 0xFE || charset?.isWide == true, held.count < 4 { return }
        if !held.isEmpty { start() }
    }

    private mutating func start() {
        isAtStart = false
        let charset = TextCharset(markOf: held).flatMap { $0 == .utf8 ? nil : $0 } ?? charset
        if let charset, charset.isWide { wide = WideText(charset, startingWith: held) }
        let piece = held
        held = Data()
        split(piece)
    }

    private mutating func split(_ piece: Data) {
        let text = wide?.utf8(of: piece) ?? piece
        splitter.append(mark.removed(from: text))
    }

    mutating func next() throws -> String? {
        if let failure { throw failure }
        let charset = wide == nil ? charset : .utf8
        return try splitter.next { Self.text(of: $0, charset) }
    }

    mutating func finish() throws -> String? {
        if isAtStart, !held.isEmpty {
            start()
            if let line = try next() { return line }
        }
        if let end = wide?.finish() { splitter.append(end) }
        splitter.append(mark.takeUnfinished())
        let charset = wide == nil ? charset : .utf8
        return try splitter.finish { Self.text(of: $0, charset) }
    }

    private static func text(of line: UnsafeRawBufferPointer, _ charset: TextCharset?) -> String {
        guard let charset, charset != .utf8 else { return line.text }
        return charset.decode(Data(line)) ?? line.text
    }
}
