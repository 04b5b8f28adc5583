// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Hands pieces on and keeps a copy, which it gives to the store when the body has ended well. A body that is too large, given
/// up or broken off is not stored, and the reader does not notice.
final class RecordingSource: BodySource {
    private struct State {
        /// `nil` when the body will not be stored, or has been.
        var copy: Data? = Data()
        /// What was read ahead of the reader, and how that ended.
        var ahead: [Data] = []
        var failure: (any Error)?
        var isAtEnd = false
    }

    private let source: any BodySource
    private let limit: Int
    private let budget: Flights
    private let store: @Sendable (Data) async -> Void
    private let state = Mutex(State())

    /// How many bodies of the largest size the copies may take together.
    private static let copies = 8

    /// - `store`: is called once with the whole body, or never.
    init(
        _ source: any BodySource, limit: Int, budget: Flights, store: @escaping @Sendable (Data) async -> Void
    ) {
        self.source = source
        self.limit = limit
        self.budget = budget
        self.store = store
    }

    deinit { drop() }

    func next() async throws -> Data? {
        let (piece, failure, isAtEnd) = state.withLock { state in
            let piece = state.ahead.isEmpty ? nil : state.ahead.removeFirst()
            return (piece, state.failure, state.isAtEnd)
        }
        if let piece { return piece }
        if let failure { throw failure }
        return isAtEnd ? nil : try await pull()
    }

    func cancel() {
        drop()
        source.cancel()
    }

    /// Reads to the end, or until the body is known to be too large. The reader gets all of it afterwards, and the failure in its
    /// place.
    ///
    /// - Returns: the body, when it is whole and stored.
    /// - Throws: `CancellationError`.
    func readAhead() async throws -> Data? {
        var whole = Data()
        do {
            while let piece = try await pull() {
                whole.append(piece)
                let isKept = state.withLock { state in
                    state.ahead.append(piece)
                    return state.copy != nil
                }
                if !isKept { return nil }
            }
            return whole
        } catch let error as CancellationError {
            source.cancel()
            throw error
        } catch {
            state.withLock { $0.failure = error }
            return nil
        }
    }

    private func pull() async throws -> Data? {
        do {
            guard let piece = try await source.next() else {
                let body = state.withLock { state in
                    state.isAtEnd = true
                    return state.copy.take()
                }
                if let body {
                    await store(body)
                    budget.release(body.count)
                }
                return nil
            }
            record(piece)
            return piece
        } catch {
            drop()
            throw error
        }
    }

    private func record(_ piece: Data) {
        let isKept = state.withLock { state in
            guard let size = state.copy?.count, size + piece.count <= limit,
                budget.reserve(piece.count, limit: limit * Self.copies)
            else { return state.copy == nil }
            state.copy?.append(piece)
            return true
        }
        if !isKept { drop() }
    }

    private func drop() {
        let copy = state.withLock { $0.copy.take() }
        if let copy { budget.release(copy.count) }
    }
}
