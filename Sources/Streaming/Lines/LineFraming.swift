// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A body as lines of text.
struct LineFraming: StreamFraming {
    private var splitter: LineSplitter
    private var mark = LeadingMark()

    init(at ending: LineSplitter.Ending, maximumLength: Int) {
        splitter = LineSplitter(at: ending, maximumLength: maximumLength)
    }

    mutating func append(_ piece: Data) { splitter.append(mark.removed(from: piece)) }

    mutating func next() throws -> String? { try splitter.next { $0.text } }

    mutating func finish() throws -> String? {
        splitter.append(mark.takeUnfinished())
        return try splitter.finish { $0.text }
    }
}
