// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// The fields of a response while they come, line by line.
///
/// Servers repeat themselves. As long as the lines are those of a known head, no fields are built. A head that is the
/// same to its end shares the fields of the known one, and a head that differs in some values takes the others from it.
struct ResponseFields {
    private(set) var count = 0
    /// The fields of the known head until a line differs. The first `count` of them have come.
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
    /// - Parameter line: with its line end.
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
