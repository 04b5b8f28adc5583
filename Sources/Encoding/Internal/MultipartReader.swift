// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the parts of one body share. The transfer ends with it.
final class MultipartReader: Sendable {
    private struct State {
        var parser: MultipartParser
        /// In reverse, so that the next one is the last.
        var events: [MultipartParser.Event] = []
        /// Counts the parts; only the last that was begun can be read.
        var part = 0
        var isReading = false
        var isAtEnd = false
        /// What ended the body early, for everyone who asks from then on: it never looks complete.
        var failure: (any Error)?

        mutating func take(_ piece: Data?) {
            isReading = false
            if let piece {
                let (complete, failure) = parser.feed(piece)
                events = complete.reversed()
                self.failure = failure
            } else {
                isAtEnd = true
                do { try parser.finish() } catch { failure = error }
            }
        }
    }

    private let body: ResponseBody
    // Unsafe because an iterator is not Sendable; it is touched only by the one reader that `isReading` lets in.
    nonisolated(unsafe) private var pieces: ResponseBody.AsyncIterator
    private let state: Mutex<State>

    init(_ body: ResponseBody, parser: MultipartParser) {
        self.body = body
        pieces = body.makeAsyncIterator()
        state = Mutex(State(parser: parser))
    }

    func nextPart() async throws -> MultipartBodyPart? {
        while let event = try await nextEvent() {
            guard case .begin(let fields) = event else { continue }
            let number = state.withLock { state in
                state.part += 1
                return state.part
            }
            let source = MultipartPartSource(reader: self, part: number)
            return MultipartBodyPart(fields: fields, body: ResponseBody(source: source))
        }
        return nil
    }

    /// - Returns: `nil` at the end of the part.
    func nextPiece(of part: Int) async throws -> Data? {
        guard state.withLock({ $0.part == part }) else {
            throw NetworkClientError(.bodyAlreadyConsumed, "the next part of the body was already asked for")
        }
        guard case .data(let data) = try await nextEvent() else { return nil }
        return data
    }

    private func nextEvent() async throws -> MultipartParser.Event? {
        while true {
            let event: MultipartParser.Event? = try state.withLock { state in
                if let event = state.events.popLast() { return event }
                if let failure = state.failure { throw failure }
                guard !state.isReading else {
                    throw NetworkClientError(.bodyAlreadyConsumed, "two tasks read the parts of one body")
                }
                state.isReading = !state.isAtEnd
                return nil
            }
            if let event { return event }
            guard state.withLock({ !$0.isAtEnd }) else { return nil }
            do {
                let piece = try await pieces.next()
                state.withLock { $0.take(piece) }
            } catch {
                state.withLock { ($0.isReading, $0.failure) = (false, error) }
            }
            if state.withLock({ $0.failure != nil }) { body.cancel() }
        }
    }
}

/// The body of one part.
private final class MultipartPartSource: BodySource {
    private let reader: MultipartReader
    private let part: Int
    private let isAtEnd = Atomic(false)

    init(reader: MultipartReader, part: Int) {
        self.reader = reader
        self.part = part
    }

    func next() async throws -> Data? {
        if isAtEnd.load(ordering: .acquiring) { return nil }
        if let piece = try await reader.nextPiece(of: part) { return piece }
        isAtEnd.store(true, ordering: .releasing)
        return nil
    }

    /// The rest of the part is passed over when the next one is asked for.
    func cancel() { isAtEnd.store(true, ordering: .releasing) }
}
