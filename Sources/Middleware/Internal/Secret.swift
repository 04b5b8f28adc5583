// SPDX-License-Identifier: Apache-2.0

/// A value that neither printing nor dumping what holds it shows.
struct Secret<Value: Hashable & Sendable>: Hashable, Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    var description: String { "…" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: []) }
}
