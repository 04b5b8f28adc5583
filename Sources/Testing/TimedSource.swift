// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
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
        let wasLate = time.timeout != nil
        let piece = try await source.next()
        // An end that had come in time is one, whenever it is asked for.
        if let timeout = time.timeout, piece != nil || !wasLate {
            source.cancel()
            throw timeout
        }
        return piece
    }

    func cancel() { source.cancel() }

    var trailers: HTTPFields? { source.trailers }
}
