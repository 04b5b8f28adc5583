// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import Synchronization

/// Zeros without end, counted.
final class EndlessSource: BodySource {
    private let produced = Atomic(0)

    var count: Int { produced.load(ordering: .relaxed) }

    func next() async throws -> Data? {
        produced.wrappingAdd(64 * 1024, ordering: .relaxed)
        return Data(count: 64 * 1024)
    }

    func cancel() {}
}

/// Never has anything to send, and tells when it is no longer asked.
final class SilentSource: BodySource {
    private let (ends, continuation) = AsyncStream.makeStream(of: Void.self)

    /// Returns when the source was cancelled.
    var end: Void {
        get async { for await _ in ends {} }
    }

    func next() async throws -> Data? {
        try await Task.sleep(for: .seconds(3600))
        return nil
    }

    func cancel() { continuation.finish() }
}

/// Keeps silent until it is told to fail.
final class FailingSource: BodySource {
    struct Failure: Error {}

    private let (cues, continuation) = AsyncStream.makeStream(of: Void.self)

    func fail() { continuation.finish() }

    func next() async throws -> Data? {
        for await _ in cues {}
        throw Failure()
    }

    func cancel() { fail() }
}
