// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataStreaming
import StrataTesting

/// What came of a stream, in bytes: `==` on `String` would take canonically equivalent texts for equal.
struct ParsedStream: Equatable {
    struct Event: Equatable {
        var type, data, lastEventID: [UInt8]
        var id: [UInt8]?
        var retry: Duration?
    }

    var events: [Event] = []
    var comments: [[UInt8]] = []
    /// Events and comments as they came: the place of a comment among the events.
    var kinds: [Bool] = []
    var lastEventID: [UInt8] = []
    var reconnectionTime: Duration?
    var failure: String?

    init(_ pieces: [Data], parser: ServerSentEventParser = ServerSentEventParser()) {
        var parser = parser
        do {
            for piece in pieces {
                try parser.feedItems(piece) { add($0) }
            }
        } catch {
            failure = "\(error)"
        }
        lastEventID = Array(parser.lastEventID.utf8)
        reconnectionTime = parser.reconnectionTime
    }

    /// Parsed by a receiver that throws now and then, and gets the rest with the next piece.
    init(_ pieces: [Data], interruptedBy generator: inout SeededGenerator) {
        struct Interruption: Error {}
        var parser = ServerSentEventParser()
        var rest = pieces[...]
        var isInterrupted = false
        while isInterrupted || !rest.isEmpty {
            do {
                isInterrupted = false
                try parser.feedItems(rest.popFirst() ?? Data()) { item in
                    add(item)
                    if Bool.random(using: &generator) { throw Interruption() }
                }
            } catch is Interruption {
                isInterrupted = true
            } catch {
                failure = "\(error)"
                break
            }
        }
        lastEventID = Array(parser.lastEventID.utf8)
        reconnectionTime = parser.reconnectionTime
    }

    init(_ reference: ReferenceParser) {
        for item in reference.items { add(item) }
        lastEventID = Array(reference.lastEventID.utf8)
        reconnectionTime = reference.reconnectionTime
    }

    private mutating func add(_ item: ServerSentEventParser.Item) {
        switch item {
        case .event(let event):
            kinds.append(true)
            events.append(
                Event(
                    type: Array(event.type.utf8), data: Array(event.data.utf8),
                    lastEventID: Array(event.lastEventID.utf8), id: event.id.map { Array($0.utf8) },
                    retry: event.retry))
        case .comment(let text):
            kinds.append(false)
            comments.append(Array(text.utf8))
        }
    }
}
