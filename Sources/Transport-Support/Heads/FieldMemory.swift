// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

extension HTTPField.Name {
    fileprivate static let keepAlive = known("Keep-Alive")
}

/// What the parsers of a loop remember of the lines that have come.
///
/// Servers repeat themselves. A field line that comes for the third time, byte for byte, is neither checked nor built
/// again; nor is a status line that equals the last one. The most common field names are found without making a string.
/// One whole head is kept, to compare others with. Used under the loop's lock alone.
package final class FieldMemory {
    /// What a field means to the transport.
    enum Role {
        case contentLength, transferEncoding, contentEncoding, connection, keepAlive
        /// A field whose value may be a secret or is always another one, and so is not remembered.
        case passing
        case other

        init(_ name: HTTPField.Name) {
            self =
                switch name {
                case .contentLength: .contentLength
                case .transferEncoding: .transferEncoding
                case .contentEncoding: .contentEncoding
                case .connection: .connection
                case .keepAlive: .keepAlive
                case .setCookie, .location, .wwwAuthenticate, .proxyAuthenticate, .authenticationInfo: .passing
                default: .other
                }
        }
    }

    struct Name {
        let name: HTTPField.Name
        let role: Role
        fileprivate let spelling: [UInt8]
    }

    private struct Slot {
        /// Of the line that was here last.
        var hash: UInt64 = 0
        /// Kept from the second time on.
        var line: [UInt8] = []
        var field: HTTPField?
    }

    private let slots: UnsafeMutableBufferPointer<Slot>
    private var lastStatusLine: [UInt8] = []
    private var lastStatus: (HTTPResponse, code: Int)?
    private(set) var knownHead: KnownHead?
    /// How many heads in a row were not the known one.
    private var otherHeads = 0
    /// By length and first letter.
    private let names: [[Name]]

    /// A power of two.
    private static let capacity = 256
    /// Longer lines are not kept.
    private static let maximumSize = 256

    private static let usualNames: [HTTPField.Name] = [
        .date, .server, .contentType, .contentLength, .connection, .keepAlive, .eTag, .lastModified, .acceptRanges,
        .cacheControl,
        .vary, .contentEncoding, .transferEncoding, .location, .setCookie, .expires, .age, .strictTransportSecurity,
        .accessControlAllowOrigin, .retryAfter, .wwwAuthenticate, .contentDisposition, .contentLanguage, .contentRange,
        .allow,
    ]

    package init() {
        slots = .allocate(capacity: Self.capacity)
        slots.initialize(repeating: Slot())
        var names = [[Name]](repeating: [], count: 1024)
        for usual in Self.usualNames {
            // As servers write it, and all in lower case, as HTTP/2 has it: the spelling received is kept.
            for text in Set([usual.rawName, usual.canonicalName]) {
                let spelling = Array(text.utf8)
                guard let name = HTTPField.Name(text), let place = Self.place(spelling.count, spelling[0]) else {
                    continue
                }
                names[place].append(Name(name: name, role: Role(name), spelling: spelling))
            }
        }
        self.names = names
    }

    deinit {
        slots.deinitialize()
        slots.deallocate()
    }

    // MARK: - Names

    private static func place(_ count: Int, _ first: UInt8) -> Int? {
        count < 32 ? count << 5 | Int(first & 31) : nil
    }

    /// - Returns: `nil` when it is no field name (RFC 9110 §5.6.2).
    func name(_ spelling: UnsafeRawBufferPointer) -> (HTTPField.Name, Role)? {
        if let first = spelling.first, let place = Self.place(spelling.count, first) {
            for known in names[place] where known.spelling.elementsEqual(spelling) { return (known.name, known.role) }
        }
        return HTTPField.Name(String(decoding: spelling, as: UTF8.self)).map { ($0, Role($0)) }
    }

    // MARK: - The status line

    /// A response without fields and its status code, when the last one began with the same line.
    func response(toStatusLine line: UnsafeRawBufferPointer) -> (HTTPResponse, code: Int)? {
        lastStatusLine.withUnsafeBytes { $0.hasSameBytes(as: line) } ? lastStatus : nil
    }

    func rememberStatusLine(_ line: UnsafeRawBufferPointer, _ response: HTTPResponse, _ code: Int) {
        guard line.count <= Self.maximumSize else { return }
        (lastStatusLine, lastStatus) = (Array(line), (response, code))
    }

    // MARK: - Whole heads

    /// After so many other heads in a row, the next one takes the place of the known head.
    private static let patience = 8

    /// Whether the head that begins is to be recorded.
    var wantsHead: Bool { knownHead == nil || otherHeads >= Self.patience }

    /// A head has come.
    ///
    /// - Parameter head: the same, if it was recorded.
    func headEnded(_ head: KnownHead?, isKnown: Bool) {
        otherHeads = isKnown || head != nil ? 0 : otherHeads + 1
        if let head { knownHead = head }
    }

    // MARK: - Lines

    /// The field of a line that was kept.
    func field(_ line: UnsafeRawBufferPointer, _ hash: UInt64) -> HTTPField? {
        let slot = index(hash)
        guard slots[slot].hash == hash, slots[slot].line.withUnsafeBytes({ $0.hasSameBytes(as: line) }) else {
            return nil
        }
        return slots[slot].field
    }

    /// Keeps what the line means when it has come before.
    func remember(_ line: UnsafeRawBufferPointer, _ hash: UInt64, _ field: HTTPField) {
        guard line.count <= Self.maximumSize else { return }
        let slot = index(hash)
        if slots[slot].hash == hash {
            slots[slot].line = Array(line)
            slots[slot].field = field
        } else {
            slots[slot] = Slot(hash: hash)
        }
    }

    private func index(_ hash: UInt64) -> Int { Int(hash >> 32) & (Self.capacity - 1) }

    /// Hashes eight bytes at a time. Lines with the same hash need not be equal.
    static func hash(_ line: UnsafeRawBufferPointer) -> UInt64 {
        var hash = UInt64(line.count)
        var offset = 0
        while offset + 8 <= line.count {
            hash = (hash ^ line.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) &* 0x9E37_79B9_7F4A_7C15
            hash ^= hash >> 29
            offset += 8
        }
        while offset < line.count {
            hash = (hash ^ UInt64(line[offset])) &* 0x9E37_79B9_7F4A_7C15
            offset += 1
        }
        return hash ^ hash >> 32
    }
}
