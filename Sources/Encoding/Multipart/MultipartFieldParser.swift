// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

/// The fields at the head of a part, byte by byte, up to the empty line.
struct MultipartFieldParser {
    private(set) var fields: HTTPFields = [:]
    private var line: [UInt8] = []
    /// The line before, which may go on in this one.
    private var pending: [UInt8]?
    private var count = 0
    /// `HTTPFields` counts in 16 bits: one more field would end the process.
    private static let maximumFields = 65_534

    /// - Returns: whether the empty line is complete.
    mutating func feed(_ byte: UInt8, limit: Int) throws(MultipartError) -> Bool {
        count += 1
        guard count <= limit else { throw MultipartError("the fields of a part are larger than \(limit) bytes") }
        if line.last == 0x0D {
            guard byte == 0x0A else { throw MultipartError("a CR without LF in the fields of a part") }
            line.removeLast()
            return try endLine()
        }
        guard byte != 0x0A, byte != 0 else { throw MultipartError("a bare LF or a NUL in the fields of a part") }
        line.append(byte)
        return false
    }

    private mutating func endLine() throws(MultipartError) -> Bool {
        defer { line = [] }
        if let first = line.first, first.isBlank, pending != nil {
            // A folded line (RFC 5322 §2.2.3).
            pending?.append(0x20)
            pending?.append(contentsOf: line.trimmingBlanks)
            return false
        }
        if let pending { try append(pending) }
        pending = line.isEmpty ? nil : line
        return line.isEmpty
    }

    private mutating func append(_ line: [UInt8]) throws(MultipartError) {
        guard fields.count < Self.maximumFields else { throw MultipartError("a part has too many fields") }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
            throw MultipartError("a line without a colon in the fields of a part")
        }
        guard let name = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self)) else {
            throw MultipartError("a field of a part has no name, or one that is not a token")
        }
        // To the byte: a file name may be in another charset, and have control characters in it.
        fields.append(HTTPField(name: name, lenientValue: line[(colon + 1)...].trimmingBlanks))
    }
}
