// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Reads a `text/event-stream` body, to the letter of the HTML standard (§9.2.6), in whatever pieces it arrives.
///
/// The parser does no I/O. It gives an event out with the byte that ends the event's empty line, and so needs no end of
/// the body. Only the unfinished line and the data of the unfinished event are kept, never more than ``maximumSize``
/// bytes of each.
///
///     var parser = ServerSentEventParser()
///     for try await piece in body {
///         try parser.feed(piece) { event in print(event.type, event.data) }
///     }
///
/// What is left at the end of a body is an unfinished event, which the standard discards. To read a stream that was
/// opened again, make a new parser with the ``lastEventID`` of the one before.
public struct ServerSentEventParser: Sendable {
    /// What a stream consists of.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Item: Sendable, Hashable {
        case event(ServerSentEvent)
        /// A line that begins with a colon, without it. Servers send these to keep a connection alive.
        case comment(String)
    }

    /// The identifier of the latest finished event; empty where none was given.
    public private(set) var lastEventID: String

    /// The latest reconnection time that the server asked for, `nil` where it did not.
    public private(set) var reconnectionTime: Duration?

    /// The most bytes that a line, and the data of an event, may have. Default: 16 MiB.
    public let maximumSize: Int

    private var piece = Data()
    private var scanner = LineScanner(endsAtReturns: true)
    /// The part of the unfinished line that came in earlier pieces.
    private var tail: [UInt8] = []
    private var block = EventBlock()
    private var isAtStart = true
    private var failure: (any Error)?

    /// - `lastEventID`: the identifier in force at the start, when the stream continues another.
    public init(lastEventID: String = "", maximumSize: Int = 16 << 20) {
        self.lastEventID = lastEventID
        self.maximumSize = maximumSize
    }

    /// Parses the next piece of the body and hands over the events that it completes.
    ///
    /// When `body` throws, the rest of the piece is kept and its events come with the next call.
    /// - Throws: ``StrataCore/NetworkClientError`` with code `bodyTooLarge` when a line or an event is larger than
    ///   ``maximumSize``, from then on at every call; and what `body` throws.
    public mutating func feed(_ piece: Data, _ body: (ServerSentEvent) throws -> Void) throws {
        append(piece)
        while let event = try next() { try body(event) }
    }

    /// As ``feed(_:_:)``, with the comments among the events.
    public mutating func feedItems(_ piece: Data, _ body: (Item) throws -> Void) throws {
        append(piece)
        while let item = try next(withComments: true) { try body(item) }
    }

    /// The event that the body ended in, when it was begun and not ended by an empty line; `nil` when nothing was
    /// begun.
    ///
    /// The standard discards this event, and a client that reconnects must do so too, or it gets the event twice. Take
    /// it from servers that send one answer and end the body without the last empty line. The parser is as new
    /// afterwards.
    ///
    /// When finished events are left because a receiver has thrown, the first of them is returned and the rest are
    /// dropped. To get them, feed an empty piece first.
    /// - Throws: ``StrataCore/NetworkClientError`` with code `bodyTooLarge`, as ``feed(_:_:)``.
    public mutating func takeUnfinishedEvent() throws -> ServerSentEvent? {
        // After a carriage return the first line feed belongs to the line before, and the second still ends the block.
        append(Data([.lineFeed, .lineFeed]))
        let event = try next()
        self = ServerSentEventParser(lastEventID: lastEventID, maximumSize: maximumSize)
        return event
    }

    /// Takes a piece over without parsing it. For callers who draw the events one by one with ``next()``.
    package mutating func append(_ piece: Data) {
        guard failure == nil else {
            (self.piece, tail, block) = (Data(), [], EventBlock())
            return
        }
        if scanner.position >= self.piece.count {
            self.piece.withUnsafeBytes { block.gather(from: $0) }
            self.piece = piece
            scanner.startBuffer()
        } else {
            self.piece.append(piece)
            scanner.bufferChanged()
        }
    }

    /// The next event of what has been appended; `nil` when more bytes are needed.
    package mutating func next() throws -> ServerSentEvent? {
        guard case .event(let event) = try next(withComments: false) else { return nil }
        return event
    }

    private mutating func next(withComments: Bool) throws -> Item? {
        if let failure { throw failure }
        // Moved out and back in, for that is cheaper than to share it with the closure.
        var piece = Data()
        swap(&piece, &self.piece)
        defer { swap(&piece, &self.piece) }
        do {
            if let item = try piece.withUnsafeBytes({ try next(in: $0, withComments: withComments) }) { return item }
            piece = Data()
            return nil
        } catch {
            failure = error
            throw error
        }
    }

    private mutating func next(in bytes: UnsafeRawBufferPointer, withComments: Bool) throws -> Item? {
        while let range = scanner.next(in: bytes) {
            let item: Item?
            if tail.isEmpty {
                item = try takeLine(range, of: bytes, withComments)
            } else {
                item = try takeTail(with: bytes.part(range), of: bytes, withComments)
            }
            if let item { return item }
        }
        block.gather(from: bytes)
        block.share(&tail)
        tail.gather(bytes.dropping(scanner.position))
        tail.trim()
        scanner.startBuffer()
        try check(isAtStart ? tail.count - 3 : tail.count, "a line")  // a byte order mark does not count
        return nil
    }

    /// A line that lies in the piece from end to end.
    @inline(__always)
    private mutating func takeLine(
        _ range: Range<Int>, of bytes: UnsafeRawBufferPointer, _ withComments: Bool
    ) throws -> Item? {
        let start = skipMark(bytes.part(range), from: range.lowerBound)
        guard start < range.upperBound else { return dispatch(in: bytes) }
        let line = bytes.part(start..<range.upperBound)
        try check(line.count, "a line")
        let field = EventField(line)
        if case .data = field.name {
            block.addData(start + field.value..<range.upperBound, of: bytes)
            try check(block.dataSize, "an event")
            return nil
        }
        return take(field, of: line, withComments)
    }

    /// A line that was begun in an earlier piece.
    private mutating func takeTail(
        with end: UnsafeRawBufferPointer, of bytes: UnsafeRawBufferPointer, _ withComments: Bool
    ) throws -> Item? {
        var buffer: [UInt8] = []
        swap(&buffer, &tail)
        buffer.append(contentsOf: end)
        defer {
            buffer.empty()
            swap(&buffer, &tail)
        }
        let start = buffer.withUnsafeBytes { skipMark($0, from: 0) }
        guard start < buffer.count else { return dispatch(in: bytes) }
        try check(buffer.count - start, "a line")
        let field = buffer.withUnsafeBytes { EventField($0.dropping(start)) }
        if case .data = field.name {
            block.addData(&buffer, from: start + field.value, piece: bytes)
            try check(block.dataSize, "an event")
            return nil
        }
        return buffer.withUnsafeBytes { take(field, of: $0.dropping(start), withComments) }
    }

    /// Where the line begins: behind a byte order mark, if it is the stream's first.
    @inline(__always)
    private mutating func skipMark(_ line: UnsafeRawBufferPointer, from start: Int) -> Int {
        guard isAtStart else { return start }
        isAtStart = false
        return line.starts(with: "\u{FEFF}") ? start + 3 : start
    }

    private mutating func take(_ field: EventField, of line: UnsafeRawBufferPointer, _ withComments: Bool) -> Item? {
        let value = line.dropping(field.value)
        switch field.name {
        case .event: block.setType(value)
        case .id: block.setID(value)
        case .retry:
            block.setRetry(value)
            reconnectionTime = block.retry ?? reconnectionTime
        case .comment: return withComments ? .comment(value.text) : nil
        case .data, .unknown: break
        }
        return nil
    }

    @inline(__always)
    private mutating func dispatch(in bytes: UnsafeRawBufferPointer) -> Item? {
        if let id = block.id { lastEventID = id }
        return block.dispatch(lastEventID: lastEventID, piece: bytes).map(Item.event)
    }

    @inline(__always)
    private func check(_ size: Int, _ what: StaticString) throws {
        guard size <= maximumSize else { throw StreamFailure.tooLarge(what, limit: maximumSize) }
    }
}
