// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How the reading of a body ended.
enum BodyEnd: Sendable {
    case complete
    case abandoned
    case failed(any Error)
}

/// Watches a body pass: each piece, and once, how it ended.
final class ObservedBodySource: BodySource {
    private let source: any BodySource
    private let onPiece: @Sendable (Data) -> Void
    private let onEnd: @Sendable (BodyEnd) -> Void
    private let hasEnded = Atomic(false)

    init(
        _ source: any BodySource, onPiece: @escaping @Sendable (Data) -> Void,
        onEnd: @escaping @Sendable (BodyEnd) -> Void
    ) {
        self.source = source
        self.onPiece = onPiece
        self.onEnd = onEnd
    }

    deinit { end(.abandoned) }

    func next() async throws -> Data? {
        do {
            guard let piece = try await source.next() else {
                end(.complete)
                return nil
            }
            onPiece(piece)
            return piece
        } catch {
            end(error is CancellationError ? .abandoned : .failed(error))
            throw error
        }
    }

    func cancel() {
        source.cancel()
        end(.abandoned)
    }

    private func end(_ end: BodyEnd) {
        if !hasEnded.exchange(true, ordering: .acquiringAndReleasing) { onEnd(end) }
    }
}

extension TransportResponse {
    /// Watches the body. A body that has arrived whole is reported at once, and stays whole.
    mutating func observeBody(
        onPiece: @escaping @Sendable (Data) -> Void, onEnd: @escaping @Sendable (BodyEnd) -> Void
    ) {
        if let data = body.data {
            if !data.isEmpty { onPiece(data) }
            onEnd(.complete)
        } else {
            body = body.mapSource(length: body.length) {
                ObservedBodySource($0, onPiece: onPiece, onEnd: onEnd)
            }
        }
    }
}

extension RequestBody {
    /// The same body, with each piece shown to `onPiece` as it is sent; `onStart` is called before each sending.
    func observed(
        onStart: @escaping @Sendable () -> Void, onPiece: @escaping @Sendable (Data) -> Void
    ) -> RequestBody {
        let body = self
        return .stream(length: length, isReplayable: isReplayable) {
            let source = try body.makeSource()
            onStart()
            return ObservedBodySource(source, onPiece: onPiece, onEnd: { _ in })
        }
    }
}
