// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
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
    private let hasTrailers: Bool
    private let produced = Atomic<Int64>(0)
    private let isCancelled = Atomic(false)

    init(length: Int64?, hasTrailers: Bool = false, from make: () throws -> any BodySource) throws {
        self.length = length
        self.hasTrailers = hasTrailers
        do {
            source = try make()
        } catch {
            throw Self.failure(error)
        }
    }

    // A source may say by itself that it is cancelled: that is no cancellation of the exchange.
    private var isWanted: Bool { !isCancelled.load(ordering: .relaxed) && !Task.isCancelled }

    func next() async throws -> Data? {
        do {
            let piece = try await source.next()
            try count(piece)
            if piece == nil { try checkTrailers() }
            return piece
        } catch let error as CancellationError where !isWanted {
            throw error
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

    var trailers: HTTPFields? { source.trailers }

    private func checkTrailers() throws {
        guard let trailers = source.trailers else { return }
        guard hasTrailers else {
            throw NetworkClientError(.uploadFailed, "the request's body has trailers that were not announced")
        }
        for field in trailers where !field.name.mayBeTrailer {
            throw NetworkClientError(
                .uploadFailed, "the field \(field.name.rawName) may not be a trailer (RFC 9110 §6.5.1)")
        }
        do { try trailers.checkValues() } catch {
            throw NetworkClientError(.uploadFailed, "a trailer has a control character in its value", cause: error)
        }
    }

    func cancel() {
        isCancelled.store(true, ordering: .relaxed)
        source.cancel()
    }

    private static let longer = NetworkClientError(
        .uploadFailed, "the request's body was longer than its announced length")
    private static let shorter = NetworkClientError(
        .uploadFailed, "the request's body was shorter than its announced length")

    /// The error of a body that could not be produced, unless it says so by itself. What it says of another exchange, whose
    /// response the body is made of, is not true of this one.
    private static func failure(_ error: any Error) -> NetworkClientError {
        if let error = error as? NetworkClientError, ofBodies.contains(error.code), error.exchange == nil {
            return error
        }
        return NetworkClientError(.uploadFailed, "the request's body could not be produced", cause: error)
    }

    private static let ofBodies: Set<NetworkClientError.Code> = [
        .uploadFailed, .bodyNotReplayable, .fileFailed, .encodingFailed,
    ]
}
