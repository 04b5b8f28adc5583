// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A source with fields behind it, which are asked for at its end.
final class TrailedSource: BodySource {
    private let source: any BodySource
    private let make: @Sendable () async throws -> HTTPFields
    private let made = Mutex<HTTPFields?>(nil)

    init(_ source: any BodySource, trailers make: @escaping @Sendable () async throws -> HTTPFields) {
        self.source = source
        self.make = make
    }

    func next() async throws -> Data? {
        if let piece = try await source.next() { return piece }
        if trailers == nil {
            let fields = try await make()
            made.withLock { $0 = fields }
        }
        return nil
    }

    var trailers: HTTPFields? { made.withLock { $0 } }

    func cancel() { source.cancel() }
}

/// A source that a layer has changed, with the trailers of the one that it was made from.
final class ChangedSource: BodySource {
    private let changed: any BodySource
    private let original: any BodySource

    init(_ changed: any BodySource, of original: any BodySource) {
        self.changed = changed
        self.original = original
    }

    func next() async throws -> Data? { try await changed.next() }

    func cancel() { changed.cancel() }

    var trailers: HTTPFields? { original.trailers }
}
