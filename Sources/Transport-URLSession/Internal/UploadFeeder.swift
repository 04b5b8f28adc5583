// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// Carries a request's body from its source into the pipe that the backend reads.
final class UploadFeeder: Sendable {
    let pipe = UploadPipe()
    private let source: any BodySource
    private let length: Int64?

    init(_ body: RequestBody) throws {
        source = try body.makeSource()
        length = body.length
    }

    /// Runs until the source ends, fails, or nobody wants more.
    ///
    /// - Throws: what the source threw; ``NetworkClientError`` with `uploadFailed` when the body is shorter or longer than
    ///   it was announced. The pipe has failed then.
    func run() async throws {
        var sent: Int64 = 0
        do {
            while let piece = try await source.next() {
                sent += Int64(piece.count)
                if let length, sent > length { throw UploadLengthError.longer }
                guard await pipe.write(piece) else { return source.cancel() }
            }
            if let length, sent < length { throw UploadLengthError.shorter }
            pipe.finish()
        } catch {
            source.cancel()
            pipe.fail()
            throw error
        }
    }

    /// Ends the run and whoever reads the pipe.
    func cancel() {
        source.cancel()
        pipe.fail()
    }
}
