// SPDX-License-Identifier: Apache-2.0

import StrataEncoding

import Foundation

enum URLValue {
    /// A value as it stands in a URL: a `Date` in ISO 8601 and `Data` in base64, as in the other front ends, anything
    /// else as its description.
    static func text(of value: any CustomStringConvertible) -> String {
        if let data = value as? Data { return data.base64EncodedString() }
        return (value as? Date).flatMap(ISO8601.text(of:)) ?? value.description
    }

    /// The values of a list, in order and without `nil`, or the one.
    static func texts(of value: any CustomStringConvertible) -> [String] {
        items(named: "", of: value).map(\.text)
    }

    /// What goes out under a name: an item for each element of a list, `name[key]` for each entry of a dictionary, in the
    /// order of the keys, or the one. `nil` is left out.
    static func items(named name: String, of value: any CustomStringConvertible) -> [(name: String, text: String)] {
        if let dictionary = value as? any ValueDictionary {
            return dictionary.entries.sorted { $0.key < $1.key }
                .flatMap { items(named: "\(name)[\($0.key)]", of: $0.value) }
        }
        guard let list = value as? any ValueList else { return [(name, text(of: value))] }
        return list.values.compactMap(describable).flatMap { items(named: name, of: $0) }
    }

    /// A value, or its raw value, that describes itself; `nil` for `nil`.
    fileprivate static func describable(_ value: Any) -> (any CustomStringConvertible)? {
        let raw = (value as? any RawRepresentable)?.rawValue
        return (value as? any CustomStringConvertible) ?? (raw as? any CustomStringConvertible)
            ?? (isNil(value) ? nil : String(describing: value))
    }
}

/// Collections whose elements become one item each, under the same name.
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

/// What has a name of its own for each value.
private protocol ValueDictionary {
    var entries: [(key: String, value: any CustomStringConvertible)] { get }
}

extension Dictionary: ValueDictionary {
    fileprivate var entries: [(key: String, value: any CustomStringConvertible)] {
        compactMap { key, value in
            guard let key = URLValue.describable(key), let value = URLValue.describable(value) else { return nil }
            return (URLValue.text(of: key), value)
        }
    }
}
