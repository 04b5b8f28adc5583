// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a request's stream produces: held to the announced length, its failures named by their stage.
final class UploadBodySource: BodySource {
    private let source: any BodySource
    private let length: Int64?
    private let produced = Atomic<Int64>(0)

    init(length: Int64?, from make: () throws -> any BodySource) throws {
        self.length = length
        do {
            source = try make()
        } catch {
            throw Self.failure(error)
        }
    }

    func next() async throws -> Data? {
        do {
            let piece = try await source.next()
            try count(piece)
            return piece
        } catch {
            throw Self.failure(error)
        }
    }

    private func count(_ piece: Data?) throws {
        guard let length else { return }
        let total = produced.wrappingAdd(Int64(piece?.count ?? 0), ordering: .relaxed).newValue
        if total > length { throw Self.longer }
        if piece == nil, total < length { throw Self.shorter }
    }

    func cancel() { source.cancel() }

    private static let longer = NetworkClientError(
        .uploadFailed, "the request's body was longer than its announced length")
    private static let shorter = NetworkClientError(
        .uploadFailed, "the request's body was shorter than its announced length")

    /// The error of a body that could not be produced, unless it says by itself what happened.
    private static func failure(_ error: any Error) -> any Error {
        if error is NetworkClientError || error is CancellationError { return error }
        return NetworkClientError(.uploadFailed, "the request's body could not be produced", cause: error)
    }
}
