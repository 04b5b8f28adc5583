// SPDX-License-Identifier: Apache-2.0

import Foundation
import FuzzSupport
import StrataStreaming

/// The events of a stream do not depend on how it is cut. The first byte is the size of the pieces.
@main struct FuzzServerSentEvents {
    static func main() { Fuzzer.run(check) }
}

private func check(_ input: Data) {
    guard let size = input.first else { return }
    let bytes = Data(input.dropFirst())
    let whole = Outcome(of: [bytes])
    precondition(
        Outcome(of: pieces(of: bytes, size: Int(size) + 1)) == whole, "the events depend on how the stream is cut")
    for event in whole.events {
        precondition(event.data.utf8.count <= 3 * Outcome.limit, "an event is larger than the limit allows")
        precondition(!event.type.isEmpty && !event.type.utf8.contains(0x0A) && !event.type.utf8.contains(0x0D))
        precondition(!event.lastEventID.utf8.contains(0), "an identifier holds NUL")
        precondition(event.id == nil || event.id == event.lastEventID)
    }
}

private func pieces(of bytes: Data, size: Int) -> [Data] {
    stride(from: 0, to: bytes.count, by: size).map { Data(bytes[$0..<min($0 + size, bytes.count)]) }
}

private struct Outcome: Equatable {
    /// Small, so that inputs reach it.
    static let limit = 512

    var items: [ServerSentEventParser.Item] = []
    var lastEventID = ""
    var reconnectionTime: Duration?
    var hasFailed = false
    var unfinished: ServerSentEvent?

    var events: [ServerSentEvent] {
        items.compactMap { if case .event(let event) = $0 { event } else { nil } }
    }

    init(of pieces: [Data]) {
        var parser = ServerSentEventParser(maximumSize: Self.limit)
        do {
            for piece in pieces { try parser.feedItems(piece) { items.append($0) } }
            reconnectionTime = parser.reconnectionTime
            unfinished = try parser.takeUnfinishedEvent()
        } catch {
            hasFailed = true
        }
        lastEventID = parser.lastEventID
    }
}
