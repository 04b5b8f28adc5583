// SPDX-License-Identifier: Apache-2.0

public import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Why there is no value at a ``JSONKeyPath``: the step at which it failed, and what was there instead.
///
/// The description shows the names of keys, never a value.
public struct JSONKeyPathError: Error, Hashable, Sendable {
    package enum Reason: Hashable, Sendable {
        case missingKey(there: [String], more: Int)
        case indexOutOfRange(count: Int)
        /// What stands there instead, in words.
        case notAContainer(String)
        case notJSON(offset: Int, String)
    }

    /// The whole path that was asked for.
    public let keyPath: JSONKeyPath
    /// How many steps led somewhere; the step with this index failed.
    public let failedStep: Int
    package let reason: Reason

    /// The keys of the object in which the step found nothing, in the order of the text, at most 20.
    public var availableKeys: [String] {
        if case .missingKey(let keys, _) = reason { keys } else { [] }
    }
}

extension JSONKeyPathError: DescribedError {
    public var description: String { text(listsKeys: true) }

    private func text(listsKeys: Bool) -> String {
        if case .notJSON(let offset, let reason) = reason {
            return "key path \"\(keyPath)\": the body is not JSON: \(reason) (byte \(offset))"
        }
        let reached = JSONKeyPath(steps: Array(keyPath.steps.prefix(failedStep)))
        let place = failedStep == 0 ? "the top level" : "\"\(reached)\""
        let step = JSONKeyPath(steps: [keyPath.steps[failedStep]])
        let problem =
            switch reason {
            case .missingKey where !listsKeys: "\(place) has no \"\(step)\""
            case .missingKey(let keys, _) where keys.isEmpty: "\(place) has no \"\(step)\": it has no keys at all"
            case .missingKey(let keys, let more):
                "\(place) has no \"\(step)\"; its keys: \(Self.list(keys))\(more > 0 ? " and \(more) more" : "")"
            case .indexOutOfRange(let count): "\(place) has no element \"\(step)\": it has \(count)"
            case .notAContainer(let kind): "\"\(step)\" cannot be looked up in \(place): it is \(kind)"
            case .notJSON: ""
            }
        return "key path \"\(keyPath)\" fails at step \(failedStep + 1) of \(keyPath.steps.count): \(problem)"
    }

    private static func list(_ keys: [String]) -> String {
        keys.map { key in
            let short = key.unicodeScalars.prefix(40)
            return "\"\(String(short))\(short.endIndex == key.unicodeScalars.endIndex ? "" : "…")\""
        }.joined(separator: ", ")
    }
}

extension JSONKeyPathError: ValueFreeError {
    /// Without the keys that are there: where an object is a table, they are data.
    package var outline: String { text(listsKeys: false) }
}
