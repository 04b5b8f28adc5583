// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// Carries a request's body from its source into the pipe that the backend reads.
final class UploadFeeder: Sendable {
    let pipe = UploadPipe()
    private let source: any BodySource

    init(_ body: RequestBody) throws { source = try body.makeSource() }

    /// Runs until the source ends, fails, or nobody wants more.
    ///
    /// - Throws: what the source threw. The pipe has failed then.
    func run() async throws {
        do {
            while let piece = try await source.next() {
                guard await pipe.write(piece) else { return source.cancel() }
            }
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
