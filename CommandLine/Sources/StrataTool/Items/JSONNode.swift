// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataEncoding

/// A JSON value that is put together from items: members stand in the order in which they are named, and what is given as JSON is
/// written as it was given.
package indirect enum JSONNode: Hashable {
    case text(String)
    /// A whole JSON value.
    case raw(String)
    case array([JSONNode])
    case object([Member])
    /// An element that nobody has named, before one that is.
    case hole

    package struct Member: Hashable {
        package var name: String
        package var node: JSONNode
    }

    /// An item in an array may not be further out than this: `a[999999999]=x` would be a gigabyte.
    package static let longestArray = 10_000
    package static let deepest = 100

    /// Puts a value at a path, making the arrays and objects on the way.
    ///
    /// - Throws: ``UsageError`` when something else stands on the way.
    package mutating func set(_ value: JSONNode, at path: ArraySlice<NestedKey.Step>, of key: NestedKey) throws {
        guard let step = path.first else {
            self = value
            return
        }
        let rest = path.dropFirst()
        switch step {
        case .member(let name):
            var members = try members(for: key)
            let index = members.firstIndex { $0.name == name } ?? members.endIndex
            if index == members.endIndex { members.append(Member(name: name, node: .hole)) }
            try members[index].node.set(value, at: rest, of: key)
            self = .object(members)
        case .index(let index):
            var elements = try elements(for: key)
            guard index < Self.longestArray else {
                throw UsageError("an index in `\(key.text)` is not below \(Self.longestArray)")
            }
            while elements.count <= index { elements.append(.hole) }
            try elements[index].set(value, at: rest, of: key)
            self = .array(elements)
        case .append:
            var elements = try elements(for: key)
            var element = JSONNode.hole
            try element.set(value, at: rest, of: key)
            elements.append(element)
            self = .array(elements)
        }
    }

    private func members(for key: NestedKey) throws -> [Member] {
        switch self {
        case .object(let members): return members
        case .hole: return []
        default: throw UsageError("`\(key.text)` names a member of something that is no object")
        }
    }

    private func elements(for key: NestedKey) throws -> [JSONNode] {
        switch self {
        case .array(let elements): return elements
        case .hole: return []
        default: throw UsageError("`\(key.text)` names an element of something that is no array")
        }
    }

    package var json: String {
        switch self {
        case .text(let text): String(decoding: JSONValue.string(text).serialized(), as: UTF8.self)
        case .raw(let text): text
        case .hole: "null"
        case .array(let elements): "[" + elements.map(\.json).joined(separator: ", ") + "]"
        case .object(let members):
            "{"
                + members.map { "\(JSONNode.text($0.name).json): \($0.node.json)" }.joined(separator: ", ") + "}"
        }
    }
}
