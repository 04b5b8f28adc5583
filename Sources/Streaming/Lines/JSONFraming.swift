// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A body as JSON texts: one a line, or a JSON text sequence.
struct JSONFraming: StreamFraming {
    private var lines: LineSplitter
    /// Takes the place of ``lines``.
    private var texts: JSONTextSplitter?
    private var mark = LeadingMark()

    /// - Parameter head: the response's media type decides between the two forms.
    init(_ head: HTTPResponse, maximumLength: Int) {
        lines = LineSplitter(at: .lineFeed, maximumLength: maximumLength)
        if head.isJSONTextSequence { texts = JSONTextSplitter(maximumLength: maximumLength) }
    }

    mutating func append(_ piece: Data) { split(mark.removed(from: piece)) }

    private mutating func split(_ piece: Data) {
        if texts == nil { lines.append(piece) } else { texts?.append(piece) }
    }

    mutating func next() throws -> JSONTextSplitter.Text? {
        if texts != nil { return try texts?.next() }
        while let line = try lines.next({ Self.text(of: $0) }) {
            if let line { return .whole(line) }
        }
        return nil
    }

    mutating func finish() throws -> JSONTextSplitter.Text? {
        split(mark.takeUnfinished())
        if texts != nil { return try texts?.finish() }
        guard let line = try lines.finish({ Self.text(of: $0) }), let line else { return nil }
        return .whole(line)
    }

    /// The line's bytes; `nil` when it is white space. Decoders do not take a byte order mark, which files that were joined
    /// have in between.
    private static func text(of line: UnsafeRawBufferPointer) -> Data? {
        let line = line.starts(with: "\u{FEFF}") ? line.dropping(3) : line
        guard line.contains(where: { !$0.isWhitespace }) else { return nil }
        return Data(line)
    }
}

extension HTTPResponse {
    /// Whether the body is a JSON text sequence (RFC 7464), by its media type.
    package var isJSONTextSequence: Bool {
        let type = HTTPFields.essence(of: headerFields[.contentType])
        // A suffix stands behind a plus sign (RFC 6838 §4.2.8).
        return type == "application/json-seq" || type?.hasSuffix("+json-seq") == true
    }
}
