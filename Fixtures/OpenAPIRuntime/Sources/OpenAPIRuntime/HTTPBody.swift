// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Synchronization

public final class HTTPBody: AsyncSequence, Sendable {
    public typealias ByteChunk = ArraySlice<UInt8>
    public typealias Element = ByteChunk

    public enum Length: Sendable, Equatable {
        case unknown
        case known(Int64)
    }

    public let iterationBehavior: IterationBehavior
    public let length: Length
    private let makeNext: @Sendable () -> () async throws -> ByteChunk?
    private let isIterated = Mutex(false)

    private init(
        length: Length, _ behavior: IterationBehavior,
        _ makeNext: @escaping @Sendable () -> () async throws -> ByteChunk?
    ) {
        self.length = length
        iterationBehavior = behavior
        self.makeNext = makeNext
    }

    public convenience init() { self.init(ByteChunk()) }

    public convenience init(_ bytes: ByteChunk) { self.init(bytes, length: .known(Int64(bytes.count))) }

    public convenience init(_ bytes: ByteChunk, length: Length) {
        self.init(length: length, .multiple) {
            var rest: ByteChunk? = bytes.isEmpty ? nil : bytes
            return {
                defer { rest = nil }
                return rest
            }
        }
    }

    public convenience init(_ data: Data) { self.init(ByteChunk(data)) }

    public convenience init(_ text: some StringProtocol & Sendable) { self.init(ByteChunk(text.utf8)) }

    public convenience init<Bytes: AsyncSequence>(
        _ sequence: Bytes, length: Length, iterationBehavior: IterationBehavior
    ) where Bytes: Sendable, Bytes.Element: Sequence & Sendable, Bytes.Element.Element == UInt8 {
        self.init(length: length, iterationBehavior) {
            var iterator = sequence.makeAsyncIterator()
            return { try await iterator.next().map { ByteChunk($0) } }
        }
    }

    public struct Iterator: AsyncIteratorProtocol {
        let produceNext: () async throws -> ByteChunk?

        public mutating func next() async throws -> ByteChunk? { try await produceNext() }
    }

    struct TooManyIterationsError: Error {}
    struct TooManyBytesError: Error {}

    public func makeAsyncIterator() -> Iterator {
        let isSecond = isIterated.withLock { isIterated in
            defer { isIterated = true }
            return isIterated
        }
        if isSecond, iterationBehavior == .single { return Iterator { throw TooManyIterationsError() } }
        return Iterator(produceNext: makeNext())
    }
}

extension Data {
    public init(collecting body: HTTPBody, upTo maxBytes: Int) async throws {
        self.init()
        for try await chunk in body {
            guard count + chunk.count <= maxBytes else { throw HTTPBody.TooManyBytesError() }
            append(contentsOf: chunk)
        }
    }
}
