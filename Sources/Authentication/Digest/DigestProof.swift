// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The server's proof that it knows the password: `rspauth` (RFC 7616 §3.5).
struct DigestProof: Sendable {
    private let answer: DigestResponse
    private let proof: String

    init(_ answer: DigestResponse, _ proof: String) {
        self.answer = answer
        self.proof = proof.lowercased()
    }

    /// Checks the proof or, where it covers the body, has it checked at the body's end.
    ///
    /// - Throws: `NetworkClientError.Code.protocolViolation`.
    func check(_ response: inout TransportResponse) throws {
        guard answer.challenge.protection == .authInt else {
            guard answer.serverResponse() == proof else {
                response.body.cancel()
                var error = Self.failure
                error.response = response.head
                throw error
            }
            return
        }
        // The bytes that were hashed are gone when a coding was undone.
        if response.metrics?.contentEncoding != nil { return }
        response.body = response.body.mapSource(length: response.body.length) {
            ProvenSource($0, proof: self, hasher: DigestHasher(answer.challenge.algorithm))
        }
    }

    fileprivate func holds(bodyHash: String) -> Bool { answer.serverResponse(bodyHash: bodyHash) == proof }

    fileprivate static var failure: NetworkClientError {
        NetworkClientError(.protocolViolation, "the server's proof that it knows the password (rspauth) is wrong")
    }
}

/// A body that ends well only if the server's proof covers it.
private final class ProvenSource: BodySource {
    private let source: any BodySource
    private let proof: DigestProof
    private let hasher: Mutex<DigestHasher>

    init(_ source: any BodySource, proof: DigestProof, hasher: DigestHasher) {
        self.source = source
        self.proof = proof
        self.hasher = Mutex(hasher)
    }

    func next() async throws -> Data? {
        guard let piece = try await source.next() else {
            guard proof.holds(bodyHash: hasher.withLock { $0.finalize() }) else { throw DigestProof.failure }
            return nil
        }
        hasher.withLock { $0.update(piece) }
        return piece
    }

    func cancel() { source.cancel() }
}
