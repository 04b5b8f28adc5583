// SPDX-License-Identifier: Apache-2.0

/// What a line of an event stream says, and where in the line its value begins (HTML standard §9.2.6).
struct EventField {
    enum Name {
        case data, event, id, retry, comment, unknown
    }

    var name: Name
    /// Behind the colon and one space.
    var value: Int

    /// - Parameter line: not empty, without its end.
    @inline(__always)
    init(_ line: UnsafeRawBufferPointer) {
        switch line[0] {
        case UInt8(ascii: "d"): self.init(line, "data", .data)
        case UInt8(ascii: "e"): self.init(line, "event", .event)
        case UInt8(ascii: "i"): self.init(line, "id", .id)
        case UInt8(ascii: "r"): self.init(line, "retry", .retry)
        case .colon: self.init(name: .comment, value: 1)
        default: self.init(name: .unknown, value: 0)
        }
    }

    private init(name: Name, value: Int) {
        self.name = name
        self.value = value
    }

    /// A field's name must match to the byte, and the line end behind it or a colon follow.
    @inline(__always)
    private init(_ line: UnsafeRawBufferPointer, _ text: StaticString, _ name: Name) {
        let length = text.utf8CodeUnitCount
        guard line.starts(with: text), line.count == length || line[length] == .colon else {
            self.init(name: .unknown, value: 0)
            return
        }
        var value = min(length + 1, line.count)
        if value < line.count, line[value] == .space { value += 1 }
        self.init(name: name, value: value)
    }
}
