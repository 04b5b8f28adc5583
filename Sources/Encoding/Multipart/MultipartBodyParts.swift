// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// The parts of a multipart body, while it arrives. Single pass.
///
/// Asking for the next part skips what is left of the one before. Memory holds one piece of the body at a time.
public struct MultipartBodyParts: AsyncSequence, Sendable {
    private let reader: MultipartReader

    init(of body: ResponseBody, parser: MultipartParser) {
        reader = MultipartReader(body, parser: parser)
    }

    @_documentation(visibility: internal)
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reader: reader) }

    @_documentation(visibility: internal)
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let reader: MultipartReader

        /// - Throws: ``MultipartError``, or what ended the body early; again each time that one asks.
        public mutating func next() async throws -> MultipartBodyPart? { try await reader.nextPart() }

        @_documentation(visibility: internal)
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> MultipartBodyPart? {
            try await reader.nextPart()
        }
    }
}
