// SPDX-License-Identifier: Apache-2.0

import StrataEncoding

import Foundation

enum URLValue {
    /// A value as it stands in a URL: a `Date` in ISO 8601, as in the other styles, anything else as its description.
    static func text(of value: any CustomStringConvertible) -> String {
        (value as? Date).flatMap(ISO8601.text(of:)) ?? value.description
    }
}
