// SPDX-License-Identifier: Apache-2.0

/// A value that a ``Rest`` property can begin with by itself.
public protocol NoArgInit {
    init()
}
