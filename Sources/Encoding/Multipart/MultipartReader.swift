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
        /// Counts the parts; only the last that was asked for can be read.
        var part = 0
        var isReading = false
        var isAtEnd = false
        /// What ended the body early, for everyone who asks from then on: it never looks complete.
        var failure: (any Error)?

        /// Begins the next part. From then on the one before cannot be read.
        mutating func beginPart() throws -> Int {
            try checkReading()
            part += 1
            return part
        }

        /// The next event of a part that is still the last; `nil` when more has to be read.
        mutating func popEvent(of part: Int) throws -> MultipartParser.Event? {
            guard part == self.part else {
                throw NetworkClientError(.bodyAlreadyConsumed, "the next part of the body was already asked for")
            }
            if let event = events.popLast() { return event }
            if let failure { throw failure }
            try checkReading()
            isReading = !isAtEnd
            return nil
        }

        private func checkReading() throws {
            guard !isReading else {
                throw NetworkClientError(.bodyAlreadyConsumed, "two tasks read the parts of one body")
            }
        }

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
        let part = try state.withLock { try $0.beginPart() }
        while let event = try await nextEvent(of: part) {
            guard case .begin(let fields) = event else { continue }
            let source = MultipartPartSource(reader: self, part: part)
            return MultipartBodyPart(fields: fields, body: ResponseBody(part: source))
        }
        return nil
    }

    /// - Returns: `nil` at the end of the part.
    func nextPiece(of part: Int) async throws -> Data? {
        guard case .data(let data) = try await nextEvent(of: part) else { return nil }
        return data
    }

    private func nextEvent(of part: Int) async throws -> MultipartParser.Event? {
        while true {
            if let event = try state.withLock({ try $0.popEvent(of: part) }) { return event }
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
    private let isCancelled = Atomic(false)

    init(reader: MultipartReader, part: Int) {
        self.reader = reader
        self.part = part
    }

    func next() async throws -> Data? {
        if isAtEnd.load(ordering: .relaxed) { return nil }
        if isCancelled.load(ordering: .relaxed) { throw CancellationError() }
        let piece = try await reader.nextPiece(of: part)
        // The part may have been cancelled meanwhile.
        if isCancelled.load(ordering: .relaxed) { throw CancellationError() }
        if piece == nil { isAtEnd.store(true, ordering: .relaxed) }
        return piece
    }

    /// The rest of the part is skipped when the next part is asked for. A read that is waiting ends with the piece it
    /// waits for, and the next part can be asked for only then: ending the read sooner would end the whole body.
    func cancel() { isCancelled.store(true, ordering: .relaxed) }
}
