// SPDX-License-Identifier: Apache-2.0

import StrataEncoding

import Foundation

enum URLValue {
    /// A value as it stands in a URL: a `Date` in ISO 8601 and `Data` in base64, as in the other styles, anything else
    /// as its description.
    static func text(of value: any CustomStringConvertible) -> String {
        if let data = value as? Data { return data.base64EncodedString() }
        return (value as? Date).flatMap(ISO8601.text(of:)) ?? value.description
    }

    /// The values that share a name: those of an array, in order and without `nil`, or the one.
    static func texts(of value: any CustomStringConvertible) -> [String] {
        guard let list = value as? any ValueList else { return [text(of: value)] }
        return list.values.flatMap { element in
            let raw = (element as? any RawRepresentable)?.rawValue
            if let text = (element as? any CustomStringConvertible) ?? (raw as? any CustomStringConvertible) {
                return texts(of: text)
            }
            return isNil(element) ? [] : [String(describing: element)]
        }
    }
}

/// What repeats its name.
private protocol ValueList {
    var values: [Any] { get }
}

extension ValueList where Self: Sequence {
    fileprivate var values: [Any] { map { $0 } }
}

extension Array: ValueList {}
extension ArraySlice: ValueList {}
extension ContiguousArray: ValueList {}
extension Set: ValueList {}
