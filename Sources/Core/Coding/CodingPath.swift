// SPDX-License-Identifier: Apache-2.0

extension Sequence<any CodingKey> {
    /// The place as keys and indices: `items[1].price`. Empty for the top level.
    package var place: String {
        reduce(into: "") { text, key in
            if let index = key.elementIndex {
                text += "[\(index)]"
            } else {
                text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
            }
        }
    }
}

/// A key that has an `intValue` for elements alone.
package protocol IndexKey: CodingKey {}

extension CodingKey {
    /// The index of an element. Keys of dictionaries and models may have an `intValue` too; Foundation calls elements
    /// `Index 3`.
    package var elementIndex: Int? {
        self is any IndexKey ? intValue : intValue.flatMap { stringValue == "Index \($0)" ? $0 : nil }
    }
}

/// What a message calls that which a decoder asked for. Foundation names types of its own for containers.
package func containerName(_ type: any Any.Type) -> String {
    switch type {
    case is [String: Any].Type: "an object"
    case is [Any].Type: "an array"
    default: "\(type)"
    }
}
