// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
import Synchronization

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// How the reading of a body ended.
package enum BodyEnd: Sendable {
    case complete
    case abandoned
    case failed(any Error)
}

/// Watches a body pass: each piece, and once, how it ended.
final class ObservedBodySource: BodySource {
    private let source: any BodySource
    private let onPiece: @Sendable (Data) -> Void
    private let onTrailers: @Sendable (HTTPFields) -> Void
    private let onEnd: @Sendable (BodyEnd) -> Void
    private let hasEnded = Atomic(false)

    init(
        _ source: any BodySource, onPiece: @escaping @Sendable (Data) -> Void,
        onTrailers: @escaping @Sendable (HTTPFields) -> Void = { _ in }, onEnd: @escaping @Sendable (BodyEnd) -> Void
    ) {
        self.source = source
        self.onPiece = onPiece
        self.onTrailers = onTrailers
        self.onEnd = onEnd
    }

    deinit { end(.abandoned) }

    func next() async throws -> Data? {
        do {
            guard let piece = try await source.next() else {
                if let trailers { onTrailers(trailers) }
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

    var trailers: HTTPFields? { source.trailers }

    private func end(_ end: BodyEnd) {
        if !hasEnded.exchange(true, ordering: .acquiringAndReleasing) { onEnd(end) }
    }
}

extension TransportResponse {
    /// Watches the body. A body that has arrived whole is reported at once, and stays whole.
    ///
    /// - `onTrailers`: is called behind the last piece, where there are any.
    package mutating func observeBody(
        onPiece: @escaping @Sendable (Data) -> Void, onTrailers: @escaping @Sendable (HTTPFields) -> Void = { _ in },
        onEnd: @escaping @Sendable (BodyEnd) -> Void
    ) {
        if let data = body.data {
            if !data.isEmpty { onPiece(data) }
            if let trailers = try? body.trailers() { onTrailers(trailers) }
            onEnd(.complete)
        } else {
            body = body.mapSource(length: body.length) {
                ObservedBodySource($0, onPiece: onPiece, onTrailers: onTrailers, onEnd: onEnd)
            }
        }
    }
}

extension RequestBody {
    /// The same body, with each piece shown to `onPiece` as it is sent; `onStart` is called before each sending.
    package func observed(
        onStart: @escaping @Sendable () -> Void, onPiece: @escaping @Sendable (Data) -> Void
    ) -> RequestBody {
        mapSource(length: length) { source in
            onStart()
            return ObservedBodySource(source, onPiece: onPiece, onEnd: { _ in })
        }
    }
}
