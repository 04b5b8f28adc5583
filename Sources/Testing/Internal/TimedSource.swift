// SPDX-License-Identifier: Apache-2.0

import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A body that ends with its exchange's time.
final class TimedSource: BodySource {
    private let source: any BodySource
    private let time: ExchangeTime

    init(_ source: any BodySource, time: ExchangeTime) {
        self.source = source
        self.time = time
    }

    func next() async throws -> Data? {
        let piece = try await source.next()
        if let timeout = time.timeout {
            source.cancel()
            throw timeout
        }
        return piece
    }

    func cancel() { source.cancel() }
}
