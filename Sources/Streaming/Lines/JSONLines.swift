// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StrataCore

/// The models of one response's body, decoded as they arrive: JSON Lines, or a JSON text sequence.
///
///     for try await entry in try await client.jsonLines(for: request, decoding: Entry.self) { … }
///
/// In JSON Lines (`application/jsonl`, `application/x-ndjson`) every line is a model; empty lines are skipped,
/// and the last may lack its end. A response of type `application/json-seq` is read as RFC 7464 says, where a model
/// may span lines. Models are pulled, and leaving the loop cancels the transfer.
public struct JSONLines<Element: Decodable>: AsyncSequence {
    private let transportResponse: TransportResponse
    private let decoder: any ResponseBodyDecoder
    private let skipsMalformed: Bool
    private let maximumLength: Int
    private let onFailure: (@Sendable (NetworkClientError) -> Void)?

    /// - `skipsMalformed`: whether a text that cannot be decoded is skipped, as RFC 7464 §2.3 advises for logs
    ///   that a crash may have cut. Default: the sequence throws.
    /// - `maximumLength`: the most bytes that a text may have; more is an error with code `bodyTooLarge`.
    public init(
        _ response: TransportResponse, decoding type: Element.Type = Element.self,
        using decoder: any ResponseBodyDecoder, skipsMalformed: Bool = false, maximumLength: Int = 16 << 20
    ) {
        self.init(
            response, decoding: type, using: decoder, skipsMalformed: skipsMalformed, maximumLength: maximumLength,
            onFailure: nil)
    }

    /// The same, with a hook that is called for texts which cannot be decoded.
    package init(
        _ response: TransportResponse, decoding type: Element.Type = Element.self,
        using decoder: any ResponseBodyDecoder, skipsMalformed: Bool = false, maximumLength: Int = 16 << 20,
        onFailure: (@Sendable (NetworkClientError) -> Void)?
    ) {
        transportResponse = response
        self.decoder = decoder
        self.skipsMalformed = skipsMalformed
        self.maximumLength = maximumLength
        self.onFailure = onFailure
    }

    /// The head of the response.
    public var response: HTTPResponse { transportResponse.head }

    /// What happened in the call until now.
    public var exchange: ExchangeRecord { transportResponse.exchange }

    @_documentation(visibility: internal)
    public func makeAsyncIterator() -> AsyncIterator {
        let framing = JSONFraming(transportResponse.head, maximumLength: maximumLength)
        return AsyncIterator(
            reader: FrameReader(transportResponse, framing: framing), skipsMalformed: skipsMalformed,
            decoding: ElementDecoding(decoder: decoder, onFailure: onFailure))
    }

    /// Cancels the transfer when it is dropped.
    @_documentation(visibility: internal)
    public struct AsyncIterator: AsyncIteratorProtocol {
        var reader: FrameReader<JSONFraming>
        let skipsMalformed: Bool
        let decoding: ElementDecoding

        /// - Throws: ``StrataCore/NetworkClientError``, with code `decodingFailed` when a text is no `Element` (its
        ///   bytes are the error's body), `connectionLost` when the body was cut off; `CancellationError`.
        public mutating func next() async throws -> Element? {
            while let text = try await reader.next() {
                do {
                    switch text {
                    case .whole(let data): return try decoding.decode(Element.self, from: data, of: reader.origin)
                    case .truncated(let data): throw decoding.truncated(data, of: reader.origin)
                    }
                } catch  where skipsMalformed {
                    continue
                } catch {
                    reader.stop()
                    throw error
                }
            }
            return nil
        }

        /// The same, in the caller's isolation.
        @_documentation(visibility: internal)
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
            try await next()
        }
    }
}

extension JSONLines: Sendable where Element: Sendable {}
