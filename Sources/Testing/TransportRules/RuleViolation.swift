// SPDX-License-Identifier: Apache-2.0

/// How a transport broke a rule.
public struct RuleViolation: Error, CustomStringConvertible {
    public let description: String

    package init(_ description: String) {
        self.description = description
    }
}
