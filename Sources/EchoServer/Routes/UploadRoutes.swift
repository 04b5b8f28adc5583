// SPDX-License-Identifier: Apache-2.0

import Crypto
import HTTPTypes
import Hummingbird

/// `/upload`: counts and hashes a body of any size while it arrives; nothing is kept.
///
/// `?delay_ms=` waits before each piece is read, so that a sender meets backpressure.
enum UploadRoutes {
    static var routes: [Route] {
        [
            Route("/upload", .only([.post, .put, .patch])) { request in
                let pause = try request.milliseconds("delay_ms") ?? .zero
                var hash = SHA256()
                var count = 0
                var pieces = 0
                for try await piece in request.body {
                    if pause > .zero { try await Task.sleep(for: pause) }
                    piece.withUnsafeReadableBytes { hash.update(bufferPointer: $0) }
                    count += piece.readableBytes
                    pieces += 1
                }
                return .json([
                    "bytes": .int(count),
                    "pieces": .int(pieces),
                    "sha256": .string(hash.finalize().hex),
                    "content_length": request.fields[.contentLength].map { .string($0) } ?? .null,
                    "content_type": request.fields[.contentType].map { .string($0) } ?? .null,
                    "transfer_encoding": request.fields[.transferEncoding].map { .string($0) } ?? .null,
                ])
            }
        ]
    }
}

extension EchoRequest {
    /// A time in milliseconds from the query. Throws 400 when it is no number in 0...3 600 000.
    func milliseconds(_ name: String) throws -> Duration? {
        guard let text = arguments[name] else { return nil }
        guard let value = Double(text), (0...3_600_000).contains(value) else {
            throw HTTPError(.badRequest, message: "`\(name)` is a number of milliseconds.")
        }
        return .milliseconds(value)
    }
}
