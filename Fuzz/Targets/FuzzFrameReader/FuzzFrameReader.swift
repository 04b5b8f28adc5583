// SPDX-License-Identifier: Apache-2.0

import Foundation
import FuzzSupport

@testable import StrataWebSocket

/// Frames of a WebSocket: however the bytes come, they mean the same, no message is larger than its limit, and text is UTF-8.
@main struct FuzzFrameReader {
    static func main() { Fuzzer.run(check) }
}

/// The first byte says how the others are cut, which end reads, and whether there is compression.
private func check(_ data: Data) {
    guard let first = data.first else { return }
    let bytes = Data(data.dropFirst())
    let role: FrameRole = first & 1 == 0 ? .client : .server
    var limits = MessageLimits()
    limits.bytes = 1 << 12
    limits.fragments = 64
    func read(_ pieces: [Data]) -> (events: [FrameEvent], failure: WebSocketFailure?) {
        let inflater = first & 2 == 0 ? nil : MessageInflater(keepsContext: first & 4 == 0)
        var reader = FrameReader(role, limits: limits, inflater: inflater)
        var events: [FrameEvent] = []
        do {
            for piece in pieces {
                reader.push(piece)
                while let event = try reader.next() { events.append(event) }
            }
            return (events, nil)
        } catch {
            return (events, error)
        }
    }
    let whole = read([bytes])
    let place = bytes.count * Int(first >> 3) / 32
    for pieces in [[bytes.prefix(place), bytes.dropFirst(place)].map { Data($0) }, bytes.map { Data([$0]) }] {
        let other = read(pieces)
        precondition(other.events == whole.events && other.failure == whole.failure)
    }
    for case .message(let message) in whole.events {
        switch message {
        case .text(let text): precondition(text.utf8.count <= limits.bytes)
        case .data(let data): precondition(data.count <= limits.bytes)
        @unknown default: preconditionFailure("another kind of message")
        }
    }
}
