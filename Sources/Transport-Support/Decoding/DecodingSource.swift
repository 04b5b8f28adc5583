// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Undoes one content coding of a body while the body is read.
final class DecodingSource: BodySource, @unchecked Sendable {
    // Unchecked because the decoder and the rest belong to `next`, which one task calls at a time.
    private let source: any BodySource
    private let coding: ContentCoding
    private var decoder: (any ContentDecoder)?
    private var rest = Data()
    /// Whether the last segment was filled: the decoder may have used up the input and hold more than there was room for.
    private var mayHoldMore = false
    private var isAtEnd = false
    /// Bytes before and after decoding.
    private var (taken, given) = (Int64(0), Int64(0))
    private let isCancelled = Atomic(false)

    private static let pool = SegmentPool(limit: 16)
    // The limit on encoded bytes that decode to nothing: gzip members without content may follow each other for ever,
    // and a few bytes of another coding can stand for millions of them. The ratio allows members of one byte, which
    // have twenty bytes around it.
    private static let allowance: Int64 = 1 << 20
    private static let ratio: Int64 = 64

    init(_ source: any BodySource, coding: ContentCoding) {
        self.source = source
        self.coding = coding
    }

    func next() async throws -> Data? {
        while !isAtEnd {
            // Checked here because one piece of the source may decode to thousands of pieces, and the source, which
            // would notice a cancellation, is asked only when that piece is used up.
            if Task.isCancelled { cancel() }
            if isCancelled.load(ordering: .relaxed) { throw CancellationError() }
            if rest.isEmpty, !mayHoldMore {
                guard let piece = try await source.next() else {
                    isAtEnd = true
                    // A body without any bytes is no broken coding: servers name a coding in responses without content,
                    // too.
                    if let decoder, !decoder.isComplete { throw failure("ends early") }
                    break
                }
                rest = piece
            }
            if let decoded = try decodeRest() { return decoded }
        }
        return nil
    }

    func cancel() {
        isCancelled.store(true, ordering: .relaxed)
        source.cancel()
    }

    var trailers: HTTPFields? { source.trailers }

    /// Decodes until a segment is full, or the input is used up and nothing of it is held back.
    private func decodeRest() throws -> Data? {
        var segment = Self.pool.take()
        do {
            let decoder = try self.decoder ?? coding.makeDecoder()
            self.decoder = decoder
            while !rest.isEmpty || mayHoldMore, segment.space > 0 {
                let (consumed, produced) = try rest.withUnsafeBytes { try decoder.decode($0, into: segment.room) }
                guard consumed > 0 || produced > 0 || rest.isEmpty else { throw DecodingFailure() }
                (taken, given) = (taken + Int64(consumed), given + Int64(produced))
                guard taken <= Self.allowance + given * Self.ratio else { throw DecodingFailure() }
                rest = rest.dropFirst(consumed)
                segment.count += produced
                mayHoldMore = segment.space == 0 && !decoder.isComplete
            }
        } catch {
            Self.pool.giveBack(segment)
            isAtEnd = true
            source.cancel()
            throw failure("is damaged")
        }
        guard segment.count > 0 else {
            Self.pool.giveBack(segment)
            return nil
        }
        return Self.pool.data(segment)
    }

    private func failure(_ what: String) -> NetworkClientError {
        NetworkClientError(.contentEncodingFailed, "the body, encoded as \(coding.rawValue), \(what)")
    }
}
