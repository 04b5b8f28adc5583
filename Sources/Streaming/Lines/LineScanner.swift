// SPDX-License-Identifier: Apache-2.0

/// Finds the ends of lines in one buffer after the other.
///
/// It holds positions only, never bytes, and looks at no byte twice: the next line feed and the next carriage return
/// are remembered apart, so a body without carriage returns is searched for them once per buffer, not once per line.
struct LineScanner: Sendable {
    /// Whether a carriage return ends a line too, alone or before a line feed.
    let endsAtReturns: Bool

    /// Where the next line begins.
    private(set) var position = 0
    private var lineFeed = LineScanner.unknown
    private var carriageReturn = LineScanner.unknown
    /// The last buffer ended in a carriage return: a line feed at the start of the next belongs to it.
    private var skipsLineFeed = false

    private static let unknown = -1

    init(endsAtReturns: Bool) {
        self.endsAtReturns = endsAtReturns
    }

    /// The next whole line without its end; `nil` when the rest of the buffer, from ``position``, holds no line end.
    ///
    /// A carriage return ends its line at once, whatever follows: waiting for a line feed would hold an event back.
    @inline(__always)
    mutating func next(in bytes: UnsafeRawBufferPointer) -> Range<Int>? {
        if skipsLineFeed, position < bytes.count {
            skipsLineFeed = false
            if bytes[position] == .lineFeed { position += 1 }
        }
        if lineFeed < position { lineFeed = bytes.firstIndex(of: .lineFeed, from: position) }
        var end = lineFeed
        if endsAtReturns {
            if carriageReturn < position { carriageReturn = bytes.firstIndex(of: .carriageReturn, from: position) }
            end = min(end, carriageReturn)
        }
        guard end < bytes.count else { return nil }
        let line = position..<end
        position = end + 1
        if end != lineFeed {
            if position == bytes.count {
                skipsLineFeed = true
            } else if lineFeed == position {
                position += 1
            }
        }
        return line
    }

    /// Begins another buffer.
    mutating func startBuffer() {
        position = 0
        bufferChanged()
    }

    /// The buffer has grown at its end.
    mutating func bufferChanged() {
        lineFeed = LineScanner.unknown
        carriageReturn = LineScanner.unknown
    }
}
