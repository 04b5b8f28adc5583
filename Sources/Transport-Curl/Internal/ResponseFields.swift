// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// The fields of a response while they come, line by line.
///
/// Servers repeat themselves: as long as the lines are those of a head that is known, nothing is made, and a head that is
/// the same to its end shares the known one's fields. One that differs in some values takes the others from it.
struct ResponseFields {
    private(set) var count = 0
    /// Those of the known head until something differs; the first `count` of them have come.
    private var fields = HTTPFields()
    private var known: KnownHead?
    private var differs = false

    /// Room for this many is made at once.
    private static let usualCount = 12

    init() {}

    init(like known: KnownHead?) {
        self.known = known
        if let known { fields = known.fields } else { fields.reserveCapacity(Self.usualCount) }
    }

    /// Takes a line that the known head has in the same place.
    ///
    /// - Returns: what its field means; `nil` when it is another line, which has to be read.
    mutating func take(_ line: UnsafeRawBufferPointer) -> FieldMemory.Role? {
        guard let role = known?.role(of: line, at: count) else { return nil }
        count += 1
        return role
    }

    mutating func append(_ field: HTTPField) {
        differs = true
        if let known, count < known.count, fields[count].name.rawName == field.name.rawName {
            fields[count] = field
        } else {
            forgetKnown()
            fields.append(field)
        }
        count += 1
    }

    var last: HTTPField? { count > 0 ? fields[count - 1] : nil }

    mutating func replaceLast(_ field: HTTPField) {
        forgetKnown()
        fields[count - 1] = field
    }

    /// From here on the head has no likeness to the known one.
    private mutating func forgetKnown() {
        guard known != nil else { return }
        known = nil
        differs = true
        fields.removeSubrange(count...)
    }

    /// All fields, when the last one has come.
    ///
    /// - Returns: the fields, and whether they are the known head's.
    mutating func finish() -> (HTTPFields, isKnown: Bool) {
        if let known, count < known.count { forgetKnown() }
        return (fields, known != nil && !differs)
    }
}

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
