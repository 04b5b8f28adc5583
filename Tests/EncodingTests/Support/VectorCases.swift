// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataEncoding
import TestSupport
import Testing

extension Vectors {
    /// The cases of a list in a file; none when the list is empty.
    static func cases(_ file: String, _ list: String = "cases") throws -> [JSONValue] {
        try cases(file, list, of: JSONValue.self)
    }
}

extension JSONValue {
    /// The bytes of a member in base64.
    func bytes(_ key: String) -> Data? { self[key]?.string.flatMap { Data(base64Encoded: $0) } }
}

extension String {
    /// The same bytes, not merely canonically equivalent.
    func isIdentical(to other: String?) -> Bool { other.map { utf8.elementsEqual($0.utf8) } ?? false }
}

extension String? {
    func isIdentical(to other: String?) -> Bool { self?.isIdentical(to: other) ?? (other == nil) }
}
