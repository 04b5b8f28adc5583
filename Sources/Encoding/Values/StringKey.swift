// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// A name or an index.
package struct StringKey: IndexKey {
    package let stringValue: String
    package let intValue: Int?

    package init(stringValue: String, intValue: Int?) {
        self.stringValue = stringValue
        self.intValue = intValue
    }

    package init(_ name: String) { self.init(stringValue: name, intValue: nil) }
    /// An element, by the name that Foundation's coders give it too.
    package init(_ index: Int) { self.init(stringValue: "Index \(index)", intValue: index) }
    package init(stringValue: String) { self.init(stringValue) }
    package init(intValue: Int) { self.init(stringValue: "\(intValue)", intValue: intValue) }
}
