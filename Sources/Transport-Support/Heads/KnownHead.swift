// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// A head that has come: its lines, and what they mean.
final class KnownHead {
    let fields: HTTPFields
    private let bytes: [UInt8]
    private let lines: [Recorder.Line]

    /// Lines as they come, for a head to be known.
    struct Recorder {
        fileprivate var bytes: [UInt8] = []
        fileprivate var lines: [Line] = []

        fileprivate struct Line {
            /// Where its bytes end. A line that is not kept has no bytes here, and so equals no line of a head.
            let end: Int
            let role: FieldMemory.Role
        }

        /// Larger heads are not kept.
        private static let maximumSize = 8192

        /// - Parameter line: with its line end.
        /// - Returns: whether there is room for it.
        mutating func add(_ line: UnsafeRawBufferPointer, _ role: FieldMemory.Role) -> Bool {
            if role != .passing { bytes.append(contentsOf: line) }
            lines.append(Line(end: bytes.count, role: role))
            return bytes.count <= Self.maximumSize
        }
    }

    /// Values that are not to be kept are left out.
    init(_ fields: HTTPFields, _ recorder: Recorder) {
        var fields = fields
        for index in fields.indices where recorder.lines[index].role == .passing {
            fields[index] = HTTPField(name: fields[index].name, value: "")
        }
        self.fields = fields
        bytes = recorder.bytes
        lines = recorder.lines
    }

    var count: Int { lines.count }

    /// The role of the line at a place, if it is the same one.
    ///
    /// - Parameter line: with its line end.
    func role(of line: UnsafeRawBufferPointer, at index: Int) -> FieldMemory.Role? {
        guard index < lines.count else { return nil }
        let start = index == 0 ? 0 : lines[index - 1].end
        let isSame = bytes.withUnsafeBytes { bytes in
            UnsafeRawBufferPointer(rebasing: bytes[start..<lines[index].end]).hasSameBytes(as: line)
        }
        return isSame ? lines[index].role : nil
    }
}
