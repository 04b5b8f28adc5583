// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A body that fails behind the last byte that its reader allows: an error wants the start of its body before it fails.
package final class LimitedSource: BodySource {
    private let source: any BodySource
    private let limit: Int
    /// What has arrived, beyond the limit too.
    private let arrived = Atomic(0)

    package init(_ source: any BodySource, limit: Int) {
        self.source = source
        self.limit = max(0, limit)
    }

    package func next() async throws -> Data? {
        if arrived.load(ordering: .relaxed) > limit { throw NetworkClientError.bodyTooLarge(limit) }
        guard let piece = try await source.next() else { return nil }
        let total = arrived.wrappingAdd(piece.count, ordering: .relaxed).newValue
        if total <= limit { return piece }
        source.cancel()
        let rest = piece.dropLast(total - limit)
        if rest.isEmpty { throw NetworkClientError.bodyTooLarge(limit) }
        return rest
    }

    package func cancel() { source.cancel() }
}
