// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
import Synchronization

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A body that gives all bytes up to its limit, and only then fails: an error keeps the start of a body that is too large.
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

    package var trailers: HTTPFields? { source.trailers }
}
