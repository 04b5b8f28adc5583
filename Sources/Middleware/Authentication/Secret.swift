// SPDX-License-Identifier: Apache-2.0

/// A value that is not shown when the value that holds it is printed or dumped.
struct Secret<Value: Hashable & Sendable>: Hashable, Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    var description: String { "…" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: []) }
}
