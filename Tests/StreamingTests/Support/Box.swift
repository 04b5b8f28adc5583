// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A value that a callback needs before it exists.
final class Box<Value: Sendable>: Sendable {
    private let stored = Mutex<Value?>(nil)

    var value: Value? {
        get { stored.withLock { $0 } }
        set { stored.withLock { $0 = newValue } }
    }
}
