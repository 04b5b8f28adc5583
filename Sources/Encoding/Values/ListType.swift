// SPDX-License-Identifier: Apache-2.0

/// Marks the collections that `Codable` writes as a list of their elements.
protocol ListType {
    static var elementType: any Any.Type { get }
}

extension ListType where Self: Sequence {
    static var elementType: any Any.Type { Element.self }
}

extension Array: ListType {}
extension ContiguousArray: ListType {}
extension Set: ListType {}

/// A list whose elements can be encoded one by one.
protocol EncodableList: ListType {
    var all: [any Encodable] { get }
}

extension EncodableList where Self: Sequence, Element: Encodable {
    var all: [any Encodable] { map { $0 } }
}

extension Array: EncodableList where Element: Encodable {}
extension ContiguousArray: EncodableList where Element: Encodable {}
extension Set: EncodableList where Element: Encodable {}
