// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataEncoding

/// Walks over the text of a HAR file once, checks every member that counts, and notes where it stands.
struct HARReader {
    let name: String
    let text: HARText
    var scanner: JSONScanner
    /// The members that lead to the value at hand, for errors.
    private var path: [Step] = []
    private var entry: Int?

    private(set) var entries: [Cassette.Entry] = []
    /// Where each entry stands in the text.
    private(set) var entryRanges: [Range<Int>] = []
    private(set) var isOurs = false
    private(set) var isCutOff = false

    /// A key is read from the text when an error needs it.
    private enum Step {
        case key(Range<Int>)
        case index(Int)
    }

    init(_ text: HARText, name: String) {
        self.name = name
        self.text = text
        scanner = JSONScanner(text.bytes)
    }

    /// - Throws: a ``CassetteError``. That the text ends within the entries is none: what stands before is kept.
    mutating func read() throws {
        var hasLog = false
        var hasEntries = false
        do {
            try object { reader, key in
                guard key == "log" else { return try reader.skip() }
                hasLog = true
                try reader.object { reader, key in
                    switch key {
                    case "creator": try reader.creator()
                    case "entries":
                        // Of a text that ends before it, nothing would be kept.
                        _ = try reader.scanner.peekKind()
                        hasEntries = true
                        try reader.allEntries()
                    default: try reader.skip()
                    }
                }
            }
            try scanner.expectEnd()
        } catch let failure as JSONScanner.Failure {
            guard hasEntries, isAtEnd(failure) else {
                throw error("it is not JSON: \(failure.reason) (byte \(failure.offset))")
            }
            isCutOff = true
        }
        guard hasLog else { throw error("a HAR file has a member log, and this one has none") }
        guard hasEntries else { throw error("a HAR file has a member log.entries, and this one has none") }
    }

    /// Whether the text stops being JSON because it ends, within a literal for example.
    private func isAtEnd(_ failure: JSONScanner.Failure) -> Bool {
        let rest = text.bytes[min(failure.offset, text.bytes.count)...]
        return ["", "true", "false", "null"].contains { $0.utf8.starts(with: rest) }
    }

    private mutating func allEntries() throws {
        try array { reader, index in
            reader.entry = index
            _ = reader.scanner.peek()
            let start = reader.scanner.position
            var entry = Cassette.Entry(reader.text, number: index, cassette: reader.name)
            try reader.entry(&entry)
            reader.entries.append(entry)
            reader.entryRanges.append(start..<reader.scanner.position)
            reader.entry = nil
        }
    }

    private mutating func creator() throws {
        try object { reader, key in
            guard key == "name", let name = try reader.stringIfAny() else {
                return try reader.skipUnless(key == "name")
            }
            reader.isOurs = reader.text.string(name) == HARWriter.creator
        }
    }
}

// MARK: - Values

extension HARReader {
    /// An error at the value at hand.
    func error(_ message: String) -> CassetteError {
        let member = path.reduce(into: "") { member, step in
            switch step {
            case .key(let range): member += (member.isEmpty ? "" : ".") + text.string(range)
            case .index(let index): member += "[\(index)]"
            }
        }
        return CassetteError(.damaged, name, entry: entry, member: member.isEmpty ? nil : member, message)
    }

    mutating func skip() throws { try scanner.skipValue() }

    /// For a value that has been read already.
    mutating func skipUnless(_ isRead: Bool) throws { if !isRead { try skip() } }

    mutating func object(_ member: (inout HARReader, String) throws -> Void) throws {
        try members { reader, key in try member(&reader, reader.text.string(key)) }
    }

    /// - Parameter member: gets the place of the key.
    mutating func members(_ member: (inout HARReader, Range<Int>) throws -> Void) throws {
        guard try scanner.peekKind() == .object else { throw try unexpected("an object") }
        try scanner.expect(UInt8(ascii: "{"))
        if scanner.consume(UInt8(ascii: "}")) { return }
        repeat {
            let key = try scanner.skipKey()
            path.append(.key(key))
            try member(&self, key)
            path.removeLast()
        } while scanner.consume(UInt8(ascii: ","))
        try scanner.expect(UInt8(ascii: "}"))
    }

    mutating func array(_ element: (inout HARReader, Int) throws -> Void) throws {
        guard try scanner.peekKind() == .array else { throw try unexpected("an array") }
        try scanner.expect(UInt8(ascii: "["))
        if scanner.consume(UInt8(ascii: "]")) { return }
        var index = 0
        repeat {
            path.append(.index(index))
            try element(&self, index)
            path.removeLast()
            index += 1
        } while scanner.consume(UInt8(ascii: ","))
        try scanner.expect(UInt8(ascii: "]"))
    }

    /// - Returns: `nil` for `null`.
    mutating func stringIfAny() throws -> Range<Int>? {
        switch try scanner.peekKind() {
        case .string: return try scanner.skipString()
        case .null:
            try skip()
            return nil
        default: throw try unexpected("a string")
        }
    }

    mutating func string() throws -> Range<Int> {
        guard try scanner.peekKind() == .string else { throw try unexpected("a string") }
        return try scanner.skipString()
    }

    /// A finite number; `nil` for `null`.
    mutating func numberIfAny() throws -> Double? {
        switch try scanner.peekKind() {
        case .number: break
        case .null:
            try skip()
            return nil
        default: throw try unexpected("a number")
        }
        let digits = text.bytes[try scanner.skipNumber()]
        // Where the text ends with it, digits may be missing.
        if scanner.position == text.bytes.count { try scanner.expect(UInt8(ascii: ",")) }
        if digits.count <= 15, digits.allSatisfy(\.isDigit) {
            return Double(digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) })
        }
        guard let value = Double(String(decoding: digits, as: UTF8.self)), value.isFinite else {
            throw error("the number is too large")
        }
        return value
    }

    /// A whole number from 0 to 2^53.
    mutating func count() throws -> Int {
        guard let value = try numberIfAny() else { throw error("expected a number, found null") }
        guard value >= 0, value <= 0x1p53, value == value.rounded() else {
            throw error("\(value) is not a whole number from 0 to 2^53")
        }
        return Int(value)
    }

    /// Milliseconds, at most those of a hundred years.
    mutating func time() throws -> Duration {
        guard let value = try numberIfAny() else { return .zero }
        // -1 says that a phase did not happen (HAR 1.2, timings).
        guard value >= -1, value <= 3.2e12 else { throw error("\(value) is not a time in milliseconds") }
        return .microseconds(Int64(max(value, 0) * 1000))
    }

    private mutating func unexpected(_ wanted: String) throws -> CassetteError {
        error("expected \(wanted), found \(try scanner.peekKind().inWords)")
    }
}
