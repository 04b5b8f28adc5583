// SPDX-License-Identifier: Apache-2.0

/// What is wrong with a command line. The text repeats no value, which may be a secret.
package struct UsageError: Error, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
