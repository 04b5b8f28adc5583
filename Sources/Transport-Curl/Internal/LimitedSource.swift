// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A body that fails behind the last byte that its reader allows.
final class LimitedSource: BodySource {
    private let source: any BodySource
    private let limit: Int
    private let arrived = Atomic(0)

    init(_ source: any BodySource, limit: Int) {
        self.source = source
        self.limit = max(0, limit)
    }

    func next() async throws -> Data? {
        if arrived.load(ordering: .relaxed) > limit { throw NetworkClientError.bodyTooLarge(limit) }
        guard let piece = try await source.next() else { return nil }
        let total = arrived.wrappingAdd(piece.count, ordering: .relaxed).newValue
        if total <= limit { return piece }
        source.cancel()
        let rest = piece.dropLast(total - limit)
        if rest.isEmpty { throw NetworkClientError.bodyTooLarge(limit) }
        return rest
    }

    func cancel() { source.cancel() }
}
