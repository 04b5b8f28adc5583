// SPDX-License-Identifier: Apache-2.0

/// A value that one queue hands over to another, and does not use any more.
struct HandedOver<Value>: @unchecked Sendable {
    // Unchecked because only the receiver uses the value from here on.
    let value: Value
}
