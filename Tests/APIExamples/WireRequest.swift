// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataEncoding

/// A request as the other side saw it.
package struct WireRequest: Sendable {
    package let method: String
    /// Path and query.
    package let target: String
    package let fields: [(name: String, value: String)]
    package let body: Data

    package init(method: String, target: String, fields: [(name: String, value: String)], body: Data) {
        self.method = method
        self.target = target
        self.fields = fields
        self.body = body
    }

    package var text: String { String(decoding: body, as: UTF8.self) }

    package var json: JSONValue {
        get throws { try JSONValue(parsing: body) }
    }

    /// Repeats joined by a comma; `nil` when there is none.
    package subscript(_ name: String) -> String? {
        let values = fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }
}
