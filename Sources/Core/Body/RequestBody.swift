// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a request sends: nothing, bytes, a file, or a stream.
///
/// A body whose length is not known is sent chunked. Retries, redirects and authentication send a body again only if it
/// can be produced again (``isReplayable``).
public struct RequestBody: Sendable {
    package enum Kind: Sendable {
        case empty
        case data(Data)
        case file(path: String, offset: Int64, length: Int64)
        case stream(length: Int64?, isReplayable: Bool, make: @Sendable () throws -> any BodySource)
    }

    package let kind: Kind
    /// Whether fields follow the body (RFC 9110 §6.5).
    public let hasTrailers: Bool

    package init(kind: Kind, hasTrailers: Bool = false) {
        self.kind = kind
        self.hasTrailers = hasTrailers
    }

    /// No body: neither `Content-Length` (except for the methods that expect one) nor `Content-Type` is sent.
    public static let empty = RequestBody(kind: .empty)

    /// Bytes in memory. Empty bytes are a body of length 0.
    public static func data(_ data: Data) -> RequestBody { RequestBody(kind: .data(data)) }

    /// A regular file, or the part of it from `offset`, streamed from disk. Its length is read when the body is made.
    ///
    /// - Throws: ``NetworkClientError/Code-swift.struct/uploadFailed`` when the file is not there or is shorter than asked, and
    ///   for a URL that is not a file's, or has an escaped slash or NUL in its path.
    public static func file(_ url: URL, offset: Int64 = 0, length: Int64? = nil) throws -> RequestBody {
        guard let path = url.filePath else {
            throw NetworkClientError(.uploadFailed, "the URL is not that of a file, or escapes a slash or a NUL")
        }
        guard let size = FileBodySource.size(ofFileAt: path) else {
            throw NetworkClientError(.uploadFailed, "there is no regular file to send at \(path)")
        }
        guard offset >= 0, offset <= size, length.map({ $0 >= 0 && $0 <= size - offset }) ?? true else {
            throw NetworkClientError(.uploadFailed, "the file at \(path) is shorter than the part that is to be sent")
        }
        return RequestBody(kind: .file(path: path, offset: offset, length: length ?? size - offset))
    }

    /// A stream that can be produced once: a request with it is never sent a second time.
    ///
    /// - `length`: the number of bytes, when known; the call fails with
    ///   ``NetworkClientError/Code-swift.struct/uploadFailed`` when it is negative, or the stream is shorter or longer.
    ///   The stream should end together with its last byte: libcurl holds that byte back until the stream ends, for a
    ///   second at most. `nil`: sent chunked.
    public static func stream<Source: AsyncSequence & Sendable>(length: Int64? = nil, from source: Source)
        -> RequestBody
    where Source.Element == Data {
        let flag = OnceFlag()
        return RequestBody(
            kind: .stream(length: length, isReplayable: false) {
                guard flag.take() else { throw NetworkClientError.usedUp }
                return SequenceBodySource(source)
            })
    }

    /// A stream that is produced anew by `make` for each attempt.
    public static func stream<Source: AsyncSequence & Sendable>(
        length: Int64? = nil, make: @escaping @Sendable () throws -> Source
    ) -> RequestBody where Source.Element == Data {
        RequestBody(kind: .stream(length: length, isReplayable: true) { SequenceBodySource(try make()) })
    }

    /// A stream from sources of your own.
    ///
    /// - `isReplayable`: whether every source that is made gives the same bytes. If not, a request with the body is never
    ///   sent a second time.
    /// - `makeSource`: called once for each attempt.
    public static func stream(
        length: Int64? = nil, isReplayable: Bool, makeSource: @escaping @Sendable () throws -> any BodySource
    ) -> RequestBody {
        RequestBody(kind: .stream(length: length, isReplayable: isReplayable, make: makeSource))
    }

    /// A stream that can be produced once, with fields behind it (RFC 9110 §6.5): a digest, a signature, a count.
    ///
    ///     .stream(from: pieces, trailers: { [.init("Content-Digest")!: digest.finish()] })
    ///
    /// It is sent chunked. Transports need the feature ``TransportCapabilities/Features/requestTrailers``; without it a request with the
    /// body fails with ``NetworkClientError/Code-swift.struct/unsupportedByTransport``. Announcing the names in the field `Trailer` is left
    /// to the caller.
    ///
    /// - `trailers`: called once, when the stream has ended. The call fails with
    ///   ``NetworkClientError/Code-swift.struct/uploadFailed`` when it throws, and for fields that may not stand behind a body
    ///   (RFC 9110 §6.5.1), such as `Content-Length`, `Host` or `Authorization`.
    public static func stream<Source: AsyncSequence & Sendable>(
        from source: Source, trailers: @escaping @Sendable () async throws -> HTTPFields
    ) -> RequestBody where Source.Element == Data {
        let flag = OnceFlag()
        return .stream(isReplayable: false, hasTrailers: true) {
            guard flag.take() else { throw NetworkClientError.usedUp }
            return TrailedSource(SequenceBodySource(source), trailers: trailers)
        }
    }

    /// The same with a stream that is produced anew for each attempt, and `trailers` called at the end of each.
    public static func stream<Source: AsyncSequence & Sendable>(
        make: @escaping @Sendable () throws -> Source, trailers: @escaping @Sendable () async throws -> HTTPFields
    ) -> RequestBody where Source.Element == Data {
        .stream(isReplayable: true, hasTrailers: true) {
            TrailedSource(SequenceBodySource(try make()), trailers: trailers)
        }
    }

    /// The same from sources of your own, each of which has its ``BodySource/trailers``.
    public static func stream(
        isReplayable: Bool, hasTrailers: Bool, makeSource: @escaping @Sendable () throws -> any BodySource
    ) -> RequestBody {
        RequestBody(
            kind: .stream(length: nil, isReplayable: isReplayable, make: makeSource), hasTrailers: hasTrailers)
    }

    /// The same body as a stream whose sources `transform` has changed, with the trailers that it had.
    ///
    /// - `length`: `nil` where the change makes it unknown.
    package func mapSource(
        length: Int64?, _ transform: @escaping @Sendable (any BodySource) throws -> any BodySource
    ) -> RequestBody {
        let body = self
        return RequestBody(
            kind: .stream(length: length, isReplayable: isReplayable) {
                let source = try body.makeSource()
                let changed = try transform(source)
                return body.hasTrailers ? ChangedSource(changed, of: source) : changed
            }, hasTrailers: hasTrailers)
    }

    /// Whether there is no body at all; a body of no bytes is one.
    public var isEmpty: Bool {
        if case .empty = kind { true } else { false }
    }

    /// The number of bytes, when it is known before sending.
    public var length: Int64? {
        switch kind {
        case .empty: 0
        case .data(let data): Int64(data.count)
        case .file(_, _, let length): length
        case .stream(let length, _, _): length
        }
    }

    /// Whether the same bytes can be sent again.
    public var isReplayable: Bool {
        if case .stream(_, let isReplayable, _) = kind { isReplayable } else { true }
    }

    /// The bytes, when they are in memory already; empty for no body.
    public var data: Data? {
        switch kind {
        case .empty: Data()
        case .data(let data): data
        case .file, .stream: nil
        }
    }

    /// Begins to read the body: the transport calls it once an attempt.
    ///
    /// The source throws ``NetworkClientError`` or `CancellationError` and nothing else. A stream that is shorter or
    /// longer than announced, or fails with an error of its own (the cause), throws
    /// ``NetworkClientError/Code-swift.struct/uploadFailed``. A stream made of a sequence ends its `next` when the task
    /// that waits in it is cancelled; `cancel()` alone is noticed with the next piece.
    ///
    /// - Throws: ``NetworkClientError/Code-swift.struct/bodyNotReplayable`` the second time for a one-shot stream;
    ///   ``NetworkClientError/Code-swift.struct/uploadFailed`` when a file cannot be opened, or a stream not be made.
    public func makeSource() throws -> any BodySource {
        switch kind {
        case .empty: DataBodySource(Data())
        case .data(let data): DataBodySource(data)
        case .file(let path, let offset, let length): try FileBodySource(path: path, offset: offset, length: length)
        case .stream(let length, _, let make):
            try UploadBodySource(length: length, hasTrailers: hasTrailers, from: make)
        }
    }
}

extension RequestBody {
    /// Reads the whole body into memory, as a layer needs that signs requests.
    ///
    /// There is no limit: look at ``length`` first. A stream that can be produced only once is used up by this; send
    /// the bytes in its place (``data(_:)``). Trailers are left out.
    ///
    /// - Throws: what ``makeSource()`` and its source throw; `CancellationError` also between two pieces.
    public func collect() async throws -> Data {
        let source = try makeSource()
        defer { source.cancel() }
        var data = Data()
        while let piece = try await source.next() {
            try Task.checkCancellation()
            data.append(piece)
        }
        return data
    }
}

extension NetworkClientError {
    fileprivate static var usedUp: NetworkClientError {
        NetworkClientError(.bodyNotReplayable, "the request's body was a stream and is used up")
    }
}

/// Lets one caller through.
private final class OnceFlag: Sendable {
    private let isTaken = Atomic(false)

    func take() -> Bool {
        !isTaken.exchange(true, ordering: .acquiringAndReleasing)
    }
}

extension RequestBody: WholeBody {
    @_documentation(visibility: internal)
    public func encodedBody() -> EncodedBody { EncodedBody(self, contentType: nil) }
}

extension RequestBody: DumpedAsDescription {
    /// `12 bytes`, or `a stream` when the length is not known.
    public var description: String { length.map { "\($0) bytes" } ?? "a stream" }
}
