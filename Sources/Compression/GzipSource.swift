// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A body that is compressed while it is read.
final class GzipSource: BodySource {
    private struct State {
        let encoder: GzipEncoder
        var isAtEnd = false
    }

    private let source: any BodySource
    /// Whether each piece comes out as it goes in: for a stream, whose next piece may be long in coming.
    private let flushes: Bool
    private let state: Mutex<State>

    init(_ source: any BodySource, level: Int32, flushes: Bool) throws {
        self.source = source
        self.flushes = flushes
        let encoder = try GzipEncoder(level: level)
        state = Mutex(State(encoder: encoder))
    }

    func next() async throws -> Data? {
        while !state.withLock(\.isAtEnd) {
            let piece = try await source.next()
            let output = try state.withLock { state in
                state.isAtEnd = piece == nil
                return try state.encoder.encode(piece ?? Data(), piece == nil ? .end : flushes ? .piece : .none)
            }
            if !output.isEmpty { return output }
        }
        return nil
    }

    func cancel() { source.cancel() }
}

extension RequestBody {
    /// The same body, compressed while it is sent.
    static func gzip(_ body: RequestBody, level: Int32) -> RequestBody {
        let isStream = if case .stream = body.kind { true } else { false }
        return body.mapSource(length: nil) { try GzipSource($0, level: level, flushes: isStream) }
    }
}
