// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import StrataTransportSupport

/// A response's head, and what it says about the message and the connection.
///
/// An object, because one that is the same as the last is handed on without a copy of its many parts.
final class ResponseHead: Sendable {
    let response: HTTPResponse
    /// The status code. `HTTPResponse` would have to parse it from text each time.
    let code: Int
    let contentLength: Int64?
    let isChunked: Bool
    let isContentEncoded: Bool
    /// Whether the connection stays open, as far as the fields say (RFC 9112 §9.3).
    let isPersistent: Bool
    /// How long the server keeps the connection open without a further request, if it says so: in nanoseconds.
    let keepAlive: UInt64?
    let isHTTP10: Bool
    /// How many bytes it has.
    let size: Int

    /// That there is none yet.
    static let none = ResponseHead(HeadParser(limit: 0))

    init(_ parser: borrowing HeadParser) {
        response = parser.response
        code = parser.code
        contentLength = parser.contentLength
        isChunked = parser.isChunked
        isContentEncoded = parser.isContentEncoded
        // What is framed in two ways may end elsewhere for somebody on the way (RFC 9112 §6.1).
        isPersistent = !parser.closes && !parser.isDoubtful && (!parser.isHTTP10 || parser.persists)
        keepAlive = parser.keepAlive
        isHTTP10 = parser.isHTTP10
        size = parser.size
    }

    /// Whether the response's `Upgrade` has a protocol among others (RFC 9110 §7.8).
    func offers(_ token: String) -> Bool {
        let token = token.asciiLowercased
        return response.headerFields[values: .upgrade].contains { value in
            value.asciiLowercased.split(separator: ",").contains { $0.utf8.trimmingBlanks.elementsEqual(token.utf8) }
        }
    }
}

/// The last head of a connection. Servers repeat themselves: one that is the same, byte for byte, is not parsed again, and
/// shares its fields.
struct LastHead {
    private var bytes: [UInt8] = []
    private var head: ResponseHead?

    /// Larger ones are not kept.
    private static let maximumSize = 2048

    var isFull: Bool { head != nil }

    /// The head, when what has come begins with it.
    func head(startingWith received: UnsafeRawBufferPointer) -> ResponseHead? {
        guard let head, received.count >= bytes.count else { return nil }
        let start = UnsafeRawBufferPointer(rebasing: received[..<bytes.count])
        return bytes.withUnsafeBytes { $0.hasSameBytes(as: start) } ? head : nil
    }

    /// - Parameter received: all of the head, empty line included.
    mutating func keep(_ head: ResponseHead, _ received: UnsafeRawBufferPointer) {
        guard received.count <= Self.maximumSize else { return }
        self.head = head
        bytes.removeAll(keepingCapacity: true)
        bytes.append(contentsOf: received)
    }
}
