// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A body as server-sent events.
struct EventFraming: StreamFraming {
    var parser: ServerSentEventParser
    /// Whether an event counts that is complete except for its empty line at the end of the body.
    var keepsUnfinishedEvent = false

    mutating func append(_ piece: Data) { parser.append(piece) }

    mutating func next() throws -> ServerSentEvent? { try parser.next() }

    mutating func finish() throws -> ServerSentEvent? {
        keepsUnfinishedEvent ? try parser.takeUnfinishedEvent() : nil
    }
}
