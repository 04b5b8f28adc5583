// SPDX-License-Identifier: Apache-2.0

import Foundation

// How other libraries for Swift read event streams, in short: their ways, not their code.

/// What they make of an event.
struct PlainEvent: Sendable {
    var id: String?
    var type: String?
    var data: String?

    fileprivate mutating func set(_ name: some StringProtocol, _ value: String) {
        switch name {
        case "id": id = value
        case "event": type = value
        case "data": data = data.map { "\($0)\n\(value)" } ?? value
        default: break
        }
    }
}

/// An actor that is given one byte at a time and makes a string of each line (mattt/EventSource).
actor BytewiseParser {
    private var line: [UInt8] = []
    private var event = PlainEvent()
    private var events: [PlainEvent] = []

    func feed(_ byte: UInt8) {
        guard byte == UInt8(ascii: "\n") else { return line.append(byte) }
        let text = String(decoding: line, as: UTF8.self)
        line.removeAll(keepingCapacity: true)
        if text.isEmpty {
            events.append(event)
            event = PlainEvent()
        } else if let colon = text.firstIndex(of: ":") {
            var value = String(text[text.index(after: colon)...])
            if value.hasPrefix(" ") { value.removeFirst() }
            event.set(String(text[..<colon]), value)
        }
    }

    func next() -> PlainEvent? { events.isEmpty ? nil : events.removeFirst() }

    @concurrent static func count(_ pieces: [Data]) async -> Int {
        let parser = BytewiseParser()
        var count = 0
        for byte in pieces.joined() {
            await parser.feed(byte)
            while await parser.next() != nil { count += 1 }
        }
        return count
    }
}

/// An actor that gathers data, and splits what it has at blank lines, lines and colons (Recouse/EventSource).
actor SplittingParser {
    private var buffer = Data()

    func feed(_ data: Data) -> [PlainEvent] {
        buffer.append(data)
        guard let last = buffer.lastRange(of: [0x0a, 0x0a]) else { return [] }
        let whole = buffer.startIndex..<last.upperBound
        let events = buffer[whole].split(separator: [0x0a, 0x0a]).map(Self.event)
        buffer.removeSubrange(whole)
        return events
    }

    @concurrent static func count(_ pieces: [Data]) async -> Int {
        let parser = SplittingParser()
        var count = 0
        for piece in pieces { count += await parser.feed(piece).count }
        return count
    }

    private static func event(_ block: Data) -> PlainEvent {
        var event = PlainEvent()
        for row in block.split(separator: UInt8(ascii: "\n")) {
            let parts = row.split(separator: UInt8(ascii: ":"), maxSplits: 1)
                .map { String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespaces) }
            event.set(parts[0], parts.count > 1 ? parts[1] : "")
        }
        return event
    }
}
