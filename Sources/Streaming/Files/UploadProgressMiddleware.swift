// SPDX-License-Identifier: Apache-2.0

import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Counts the bytes that the transport takes of each attempt's body, which becomes a stream. It stands innermost, so
/// that it sees the body as it is sent.
struct UploadProgressMiddleware: NetworkMiddleware {
    private let progress: ProgressUpdates

    init(_ progress: ProgressUpdates) { self.progress = progress }

    func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        guard !request.body.isEmpty else { return try await next(request) }
        var request = request
        let (body, progress) = (request.body, progress)
        request.body = body.mapSource(length: body.length) {
            CountedSource($0, length: body.length, progress: progress)
        }
        return try await next(request)
    }
}

/// A body that tells how much of it was pulled.
private final class CountedSource: BodySource {
    private let source: any BodySource
    private let progress: ProgressUpdates

    init(_ source: any BodySource, length: Int64?, progress: ProgressUpdates) {
        self.source = source
        self.progress = progress
        progress.begin(total: length)
    }

    func next() async throws -> Data? {
        guard let piece = try await source.next() else { return nil }
        progress.advance(by: piece.count)
        return piece
    }

    func cancel() { source.cancel() }
}
