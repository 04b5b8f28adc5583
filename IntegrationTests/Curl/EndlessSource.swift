// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import Synchronization

/// Zeros without end, counted.
final class EndlessSource: BodySource {
    private let produced = Atomic(0)

    var count: Int { produced.load(ordering: .relaxed) }

    func next() async throws -> Data? {
        produced.wrappingAdd(64 * 1024, ordering: .relaxed)
        return Data(count: 64 * 1024)
    }

    func cancel() {}
}
