// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A response's body: pieces of bytes to pull, once.
///
/// A slow reader slows the sender. Leaving the loop, or dropping the body unread, cancels the transfer and frees its
/// connection. A body that ends early throws; it never looks like a short success.
///
///     for try await piece in response.body { hash.update(data: piece) }
public struct ResponseBody: AsyncSequence, Sendable {
    enum Storage: Sendable {
        case data(Data)
        case whole(WholeResponseBody)
        case stream(ResponseBodyStream)
        /// Of a response that has switched protocols: no bytes, and the connection.
        case channel(ByteChannel)
    }

    let storage: Storage

    /// A body that has arrived whole. It may be read more than once.
    public init(_ data: Data = Data()) {
        storage = .data(data)
    }

    /// A body that has arrived whole, and the fields behind it (RFC 9110 §6.5), but for those that may not stand there.
    public init(_ data: Data, trailers: HTTPFields?) {
        if let trailers = trailers?.asTrailers {
            storage = .whole(WholeResponseBody(data, trailers: trailers))
        } else {
            storage = .data(data)
        }
    }

    init(_ channel: ByteChannel) { storage = .channel(channel) }

    /// A body that is still arriving.
    ///
    /// - `length`: the number of decoded bytes, when it is known: 0 where the response has no content. A source that ends
    ///   before fails with ``NetworkClientError/Code-swift.struct/connectionLost``, one that goes on with
    ///   `protocolViolation`.
    public init(length: Int64? = nil, source: any BodySource) {
        storage = .stream(ResponseBodyStream(source, length: length))
    }

    /// A body from any asynchronous sequence of bytes.
    public init<Source: AsyncSequence & Sendable>(length: Int64? = nil, from source: Source)
    where Source.Element == Data {
        self.init(length: length, source: TaskBodySource(SequenceBodySource(source)))
    }

    /// The body of an exchange.
    init(length: Int64?, exchange: ExchangeBodySource) {
        storage = .stream(ResponseBodyStream(exchange, length: length, origin: .exchange(exchange)))
    }

    /// A part of another body, such as that of a multipart response. Giving it up does not end the transfer: the reader
    /// of the whole skips what is left of it.
    package init(part source: any BodySource) {
        storage = .stream(ResponseBodyStream(source, length: nil, isPart: true))
    }

    private init(stream: ResponseBodyStream) {
        storage = .stream(stream)
    }

    /// The exchange that the bytes come from. `nil` for a body that was whole when it was made, and for one that comes
    /// from no call.
    var exchange: ExchangeBodySource? {
        if case .stream(let stream) = storage { stream.exchange } else { nil }
    }

    /// The number of decoded bytes, when it is known before reading.
    public var length: Int64? {
        switch storage {
        case .data(let data): Int64(data.count)
        case .whole(let whole): Int64(whole.data.count)
        case .channel: 0
        case .stream(let stream): stream.length
        }
    }

    /// The bytes, when they have all arrived already.
    public var data: Data? {
        switch storage {
        case .data(let data): data
        case .whole(let whole): whole.data
        case .channel: Data()
        case .stream: nil
        }
    }

    /// Whether all the bytes have arrived already.
    package var isWhole: Bool {
        if case .stream = storage { false } else { true }
    }

    /// See ``TransportResponse/channel``.
    var channel: ByteChannel? {
        if case .channel(let channel) = storage { channel } else { nil }
    }

    /// See ``TransportResponse/trailers``; `nil` for none.
    func trailers() throws -> HTTPFields? {
        switch storage {
        case .data, .channel: nil
        case .whole(let whole): whole.trailers
        case .stream(let stream): try stream.trailers()
        }
    }

    /// The body when it has been collected, with its trailers.
    ///
    /// - Throws: as ``collect(upTo:)``.
    package func collected(upTo limit: Int) async throws -> ResponseBody {
        let data = try await collect(upTo: limit)
        return ResponseBody(data, trailers: try trailers())
    }

    @_documentation(visibility: internal)
    public func makeAsyncIterator() -> AsyncIterator {
        switch storage {
        case .data(let data): AsyncIterator(.data(data.isEmpty ? nil : data))
        case .whole(let whole): AsyncIterator(.data(whole.data.isEmpty ? nil : whole.data))
        case .channel: AsyncIterator(.data(nil))
        case .stream(let stream): AsyncIterator(.stream(stream.beginReading()))
        }
    }

    /// Ends reading when it is dropped.
    @_documentation(visibility: internal)
    public struct AsyncIterator: AsyncIteratorProtocol {
        enum Source {
            case data(Data?)
            case stream(ResponseBodyStream.Reader)
        }

        private(set) var source: Source
        private var turn = TaskTurn()

        init(_ source: Source) { self.source = source }

        /// - Throws: ``NetworkClientError``, or `CancellationError`.
        public mutating func next() async throws -> Data? {
            switch source {
            case .data(let data):
                source = .data(nil)
                return data
            case .stream(let reader):
                // A piece takes about as long as many elements.
                if turn.isOver(after: 16) { await Task.yield() }
                return try await reader.next()
            }
        }

        /// The same; the piece is pulled in the caller's isolation.
        @_documentation(visibility: internal)
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? { try await next() }
    }

    /// How many bytes are collected unless told otherwise: 64 MiB.
    public static let defaultLimit = 64 * 1024 * 1024

    /// The whole body.
    ///
    /// - Throws: ``NetworkClientError/Code-swift.struct/bodyTooLarge`` when more than `limit` bytes arrive (the transfer is
    ///   cancelled); what ended the body early.
    public func collect(upTo limit: Int = Self.defaultLimit) async throws -> Data {
        if let length, length > Int64(limit) { throw tooLarge(limit) }
        if let data { return data }
        return try await collectPieces(upTo: limit)
    }

    // A function of its own: most bodies have arrived whole, and their tasks then need no memory for this one.
    @inline(never)
    private func collectPieces(upTo limit: Int) async throws -> Data {
        var iterator = makeAsyncIterator()
        guard var collected = try await iterator.next() else { return Data() }
        guard collected.count <= limit else { throw tooLarge(limit) }
        guard let second = try await iterator.next() else { return collected }
        var piece = second
        // The announced length comes from the server, so memory for it is reserved only up to a bound.
        if let length { collected.reserveCapacity(Int(clamping: Swift.min(length, Int64(Self.defaultLimit)))) }
        while true {
            guard piece.count <= limit - collected.count else { throw tooLarge(limit) }
            collected.append(piece)
            guard let next = try await iterator.next() else { return collected }
            piece = next
        }
    }

    /// Reads to the end and keeps nothing.
    ///
    /// - Returns: how many bytes there were.
    /// - Throws: as ``collect(upTo:)``.
    @discardableResult
    package func drain(upTo limit: Int) async throws -> Int {
        var rest = limit
        for try await piece in self {
            guard piece.count <= rest else { throw tooLarge(limit) }
            rest -= piece.count
        }
        return limit - rest
    }

    private func tooLarge(_ limit: Int) -> any Error {
        defer { cancel() }
        let error = NetworkClientError.bodyTooLarge(limit)
        return exchange?.fail(error) ?? error
    }

    /// Gives up the rest, and a ``TransportResponse/channel`` too. A read under way throws `CancellationError`.
    public func cancel() {
        switch storage {
        case .data, .whole: break
        case .stream(let stream): stream.cancel()
        case .channel(let channel): channel.cancel()
        }
    }

    /// The same body with its source replaced by one that wraps it: to count, copy or decode what passes.
    ///
    /// A body that has arrived whole is handed to `transform` as a source too; that of a response which has switched protocols stays
    /// as it is.
    public func mapSource(length: Int64? = nil, _ transform: (any BodySource) -> any BodySource) -> ResponseBody {
        switch storage {
        case .data(let data): ResponseBody(length: length, source: transform(DataBodySource(data)))
        case .whole(let whole):
            ResponseBody(
                stream: ResponseBodyStream(
                    transform(DataBodySource(whole.data, trailers: whole.trailers)), length: length,
                    origin: .whole(whole.trailers)))
        case .channel: self
        case .stream(let stream): ResponseBody(stream: stream.mapSource(length: length, transform))
        }
    }
}

extension ResponseBody: DumpedAsDescription {
    /// `12 bytes`, or `a stream` when the length is not known.
    public var description: String { length.map { "\($0) bytes" } ?? "a stream" }
}
