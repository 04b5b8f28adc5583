// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Something that tasks tell each other once.
package final class Flag: Sendable {
    private let value = Atomic(false)

    package init() {}

    package var isSet: Bool { value.load(ordering: .acquiring) }
    package func set() { value.store(true, ordering: .releasing) }
}
