// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StrataCore

/// The lines of one response's body, as they arrive, without their ends.
///
///     for try await line in try await client.lines(for: request) { print(line) }
///
/// A line ends with a line feed, a carriage return, or both; the last may have no end. Empty lines count. The charset is
/// that of the byte order mark, else of the media type, else UTF-8; what is broken is replaced by U+FFFD. One that cannot be
/// read (Shift_JIS, GBK …) is an error with code `decodingFailed`. Lines are pulled, and leaving the loop cancels the transfer.
public struct TextLines: AsyncSequence, Sendable {
    private let transportResponse: TransportResponse
    private let ending: LineSplitter.Ending
    private let maximumLength: Int

    /// - `maximumLength`: the most bytes that a line may have; more is an error with code `bodyTooLarge`.
    public init(_ response: TransportResponse, maximumLength: Int = 16 << 20) {
        self.init(response, at: .any, maximumLength: maximumLength)
    }

    /// The same, with another end of lines.
    package init(_ response: TransportResponse, at ending: LineSplitter.Ending, maximumLength: Int) {
        transportResponse = response
        self.ending = ending
        self.maximumLength = maximumLength
    }

    /// The head of the response.
    public var response: HTTPResponse { transportResponse.head }

    /// What happened in the call until now.
    public var exchange: ExchangeRecord { transportResponse.exchange }

    @_documentation(visibility: internal)
    public func makeAsyncIterator() -> AsyncIterator {
        let framing = LineFraming(transportResponse.head, at: ending, maximumLength: maximumLength)
        return AsyncIterator(reader: FrameReader(transportResponse, framing: framing))
    }

    /// Cancels the transfer when it is dropped.
    @_documentation(visibility: internal)
    public struct AsyncIterator: AsyncIteratorProtocol {
        var reader: FrameReader<LineFraming>

        /// - Throws: ``StrataCore/NetworkClientError``, with code `connectionLost` when the body was cut off,
        ///   `decodingFailed` when the charset is not known; `CancellationError`.
        public mutating func next() async throws -> String? {
            try await reader.next()
        }

        /// The same, in the caller's isolation.
        @_documentation(visibility: internal)
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> String? {
            try await reader.next()
        }
    }
}
