// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// A head that has come: its lines, and what they mean.
final class KnownHead {
    let fields: HTTPFields
    private let lines: Recorder

    /// Lines as they come, for a head to be known.
    struct Recorder {
        fileprivate var bytes: [UInt8] = []
        /// For each line where it ends. One that is not kept is empty, which no line of a head is.
        fileprivate var ends: [Int] = []
        fileprivate var roles: [FieldMemory.Role] = []

        /// Larger heads are not kept.
        private static let maximumSize = 8192

        /// - Returns: whether there is room for it.
        mutating func add(_ line: UnsafeRawBufferPointer, _ role: FieldMemory.Role) -> Bool {
            if role != .passing { bytes.append(contentsOf: line) }
            ends.append(bytes.count)
            roles.append(role)
            return bytes.count <= Self.maximumSize
        }
    }

    /// Values that are not to be kept are left out.
    init(_ fields: HTTPFields, _ lines: Recorder) {
        var fields = fields
        for index in fields.indices where lines.roles[index] == .passing {
            fields[index] = HTTPField(name: fields[index].name, value: "")
        }
        self.fields = fields
        self.lines = lines
    }

    var count: Int { lines.ends.count }

    /// The role of the line at a place, if it is the same one.
    func role(of line: UnsafeRawBufferPointer, at index: Int) -> FieldMemory.Role? {
        guard index < lines.ends.count else { return nil }
        let start = index == 0 ? 0 : lines.ends[index - 1]
        let isSame = lines.bytes.withUnsafeBytes { bytes in
            UnsafeRawBufferPointer(rebasing: bytes[start..<lines.ends[index]]).hasSameBytes(as: line)
        }
        return isSame ? lines.roles[index] : nil
    }
}
