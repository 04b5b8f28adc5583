// SPDX-License-Identifier: Apache-2.0

/// A value that is not shown when the value that holds it is printed or dumped.
package struct Hidden<Value: Hashable & Sendable>: Hashable, Sendable {
    package let value: Value

    package init(_ value: Value) { self.value = value }
}

extension Hidden: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "…" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
