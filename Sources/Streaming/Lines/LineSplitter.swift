// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Cuts a body into lines, in whatever pieces it arrives.
///
/// It works on bytes: U+2028, U+0085 and the like are text, and end no line. Only the unfinished line is kept, never
/// more than ``maximumLength`` bytes of it.
package struct LineSplitter: Sendable {
    /// What ends a line.
    package struct Ending: Hashable, Sendable {
        let isReturnToo: Bool

        /// A line feed, a carriage return, or both in this order.
        package static let any = Ending(isReturnToo: true)
        /// A line feed. A carriage return right before it, or at the end of the body, does not belong to the line;
        /// elsewhere it does.
        package static let lineFeed = Ending(isReturnToo: false)
    }

    /// The most bytes that a line may have, its end not counted. Default: 16 MiB.
    package let maximumLength: Int

    private var piece = Data()
    private var scanner: LineScanner
    /// The part of the unfinished line that came in earlier pieces.
    private var tail: [UInt8] = []
    private var failure: (any Error)?

    package init(at ending: Ending = .any, maximumLength: Int = 16 << 20) {
        self.maximumLength = maximumLength
        self.scanner = LineScanner(endsAtReturns: ending.isReturnToo)
    }

    /// Takes the next piece of the body and hands over each line that it completes, without its end.
    ///
    /// The buffer is valid during the call of `body` only. When `body` throws, the rest of the piece is kept and its
    /// lines come with the next call.
    /// - Throws: ``StrataCore/NetworkClientError`` with code `bodyTooLarge` when a line is longer than
    ///   ``maximumLength``, from then on at every call; and what `body` throws.
    package mutating func feed(_ piece: Data, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        append(piece)
        while try next(body) != nil {}
    }

    /// Ends the body: the last line, when it had no end. The splitter is as new afterwards.
    ///
    /// Lines that are left because `body` has thrown are dropped. To get them, feed an empty piece first.
    /// - Throws: what ``feed(_:_:)`` throws.
    public mutating func finish<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result? {
        while try next({ _ in }) != nil {}
        var line: [UInt8] = []
        swap(&line, &tail)
        scanner = LineScanner(endsAtReturns: scanner.endsAtReturns)
        guard !line.isEmpty else { return nil }
        return try line.withUnsafeBytes { try body(trimmed($0)) }
    }

    package mutating func append(_ piece: Data) {
        guard failure == nil else {
            (self.piece, tail) = (Data(), [])
            return
        }
        if scanner.position >= self.piece.count {
            self.piece = piece
            scanner.startBuffer()
        } else {
            self.piece.append(piece)
            scanner.bufferChanged()
        }
    }

    /// Hands over the next line of what has been appended; `nil` when more bytes are needed.
    package mutating func next<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result? {
        if let failure { throw failure }
        let piece = self.piece
        return try piece.withUnsafeBytes { bytes in
            guard let range = scanner.next(in: bytes) else {
                tail.gather(bytes.dropping(scanner.position))
                tail.trim()
                self.piece = Data()
                scanner.startBuffer()
                try check(tail.withUnsafeBytes { trimmed($0).count })
                return nil
            }
            guard !tail.isEmpty else {
                let line = trimmed(bytes.part(range))
                try check(line.count)
                return try body(line)
            }
            var line: [UInt8] = []
            swap(&line, &tail)
            defer {
                line.empty()
                swap(&line, &tail)
            }
            line.append(contentsOf: bytes.part(range))
            return try line.withUnsafeBytes { buffer in
                let line = trimmed(buffer)
                try check(line.count)
                return try body(line)
            }
        }
    }

    private func trimmed(_ line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard !scanner.endsAtReturns, line.last == .carriageReturn else { return line }
        return line.part(0..<(line.count - 1))
    }

    private mutating func check(_ length: Int) throws {
        guard length <= maximumLength else {
            let error = StreamFailure.tooLarge("a line", limit: maximumLength)
            failure = error
            throw error
        }
    }
}
