// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A body as lines of text.
struct LineFraming: StreamFraming {
    private var splitter: LineSplitter
    private var isAtStart = true

    init(maximumLength: Int) {
        splitter = LineSplitter(maximumLength: maximumLength)
    }

    mutating func append(_ piece: Data) { splitter.append(piece) }

    mutating func next() throws -> String? {
        let isFirst = isAtStart
        let line = try splitter.next { Self.text(of: $0, isFirst: isFirst) }
        if line != nil { isAtStart = false }
        return line
    }

    mutating func finish() throws -> String? {
        let isFirst = isAtStart
        isAtStart = false
        return try splitter.finish { Self.text(of: $0, isFirst: isFirst) }
    }

    /// A byte order mark at the start of the body is not part of the text.
    private static func text(of line: UnsafeRawBufferPointer, isFirst: Bool) -> String {
        isFirst && line.starts(with: "\u{FEFF}") ? line.dropping(3).text : line.text
    }
}
