// SPDX-License-Identifier: Apache-2.0

import CStrataNGHTTP2
import HTTPTypes
import StrataCore
import StrataTransportSupport

/// The fields of a request as nghttp2 takes them, in memory that is used again (RFC 9113 §8.3.1).
///
/// What concerns the connection of HTTP/1.1 stays out (§8.2.2), and so do those that frame the body, which are the writer's.
struct HTTP2Fields: ~Copyable {
    private struct Entry {
        var name, nameCount, value, valueCount: Int
        var flags: UInt8
    }

    private var bytes = ByteBuffer(capacity: 2048)
    private var entries: [Entry] = []
    private var pairs: [nghttp2_nv] = []

    /// Takes a request's head.
    ///
    /// - Parameters:
    ///   - head: validated (`TransportRequest.validate`).
    ///   - length: of the body, when there is one and it is known.
    ///   - upgrade: the protocol in which the stream is to go on, which makes a CONNECT of the request (RFC 8441 §4).
    ///   - acceptEncoding: a value to add for that field.
    /// - Throws: `invalidRequest`.
    mutating func take(
        _ head: HTTPRequest, length: Int64?, upgrade: String? = nil, acceptEncoding: String?
    ) throws(NetworkClientError) {
        removeAll()
        let fields = head.headerFields
        add(":method", upgrade == nil ? head.method.rawValue : "CONNECT")
        if let upgrade { add(":protocol", upgrade) }
        add(":scheme", head.scheme ?? "https")
        if let host = try RequestWriter.host(of: fields) {
            add(":authority", host.value)
        } else {
            add(":authority", RequestWriter.authority(head))
        }
        add(":path", head.path ?? "/")
        let options = Self.connectionOptions(fields)
        for field in fields where Self.mayBeSent(field, options) {
            // What proves the change of protocols over HTTP/1.1 proves nothing here (RFC 8441 §5).
            if upgrade == nil || field.name != .secWebSocketKey { add(field) }
        }
        if let acceptEncoding { add("accept-encoding", acceptEncoding) }
        if let length { add("content-length", String(length)) }
    }

    /// Takes trailers.
    ///
    /// - Throws: `invalidRequest` for a field that must not be one (RFC 9110 §6.5.1).
    mutating func take(trailers: HTTPFields) throws(NetworkClientError) {
        removeAll()
        try RequestWriter.check(trailers: trailers)
        for field in trailers { add(field) }
    }

    /// Hands the fields to `body`.
    mutating func withPairs<Result>(_ body: (UnsafeMutablePointer<nghttp2_nv>?, Int) -> Result) -> Result {
        let start = UnsafeMutableRawPointer(mutating: bytes.bytes.baseAddress)?.assumingMemoryBound(to: UInt8.self)
        pairs.removeAll(keepingCapacity: true)
        for entry in entries {
            pairs.append(
                nghttp2_nv(
                    name: start.map { $0 + entry.name }, value: start.map { $0 + entry.value },
                    namelen: entry.nameCount,
                    valuelen: entry.valueCount, flags: entry.flags))
        }
        return pairs.withUnsafeMutableBufferPointer { body($0.baseAddress, $0.count) }
    }

    private mutating func removeAll() {
        bytes.removeAll(keeping: 16 * 1024)
        entries.removeAll(keepingCapacity: true)
    }

    private mutating func add(_ name: StaticString, _ value: String) {
        let start = bytes.count
        bytes.append(name)
        let middle = bytes.count
        bytes.append(value)
        entries.append(
            Entry(
                name: start, nameCount: middle - start, value: middle, valueCount: bytes.count - middle,
                flags: UInt8(NGHTTP2_NV_FLAG_NONE.rawValue)))
    }

    private mutating func add(_ field: HTTPField) {
        let start = bytes.count
        bytes.append(field.name.canonicalName)
        let middle = bytes.count
        field.withUnsafeBytesOfValue { bytes.append(UnsafeRawBufferPointer($0)) }
        let isSecret = field.indexingStrategy == .disallow
        let flags = isSecret ? NGHTTP2_NV_FLAG_NO_INDEX : NGHTTP2_NV_FLAG_NONE
        entries.append(
            Entry(
                name: start, nameCount: middle - start, value: middle, valueCount: bytes.count - middle,
                flags: UInt8(flags.rawValue)))
    }

    // MARK: - What is not sent

    /// The fields that `Connection` names (RFC 9110 §7.6.1), which mean nothing beyond a connection of HTTP/1.1.
    private static func connectionOptions(_ fields: HTTPFields) -> [String] {
        guard fields.contains(.connection) else { return [] }
        return fields[values: .connection].flatMap { value in
            value.asciiLowercased.split(separator: ",").map { String(decoding: $0.utf8.trimmingBlanks, as: UTF8.self) }
        }
    }

    private static func mayBeSent(_ field: HTTPField, _ options: [String]) -> Bool {
        let name = field.name.canonicalName
        // Most names are told apart by their lengths, which costs less than comparing them.
        switch name.utf8.count {
        case 2: if name == "te" { return field.value.asciiLowercased == "trailers" }
        case 4: if name == "host" { return false }
        case 7: if name == "upgrade" { return false }
        case 10: if name == "connection" || name == "keep-alive" { return false }
        case 14: if name == "content-length" || name == "http2-settings" { return false }
        case 16: if name == "proxy-connection" { return false }
        case 17: if name == "transfer-encoding" { return false }
        // That field is for a proxy (RFC 9110 §11.7.2).
        case 19: if name == "proxy-authorization" { return false }
        default: break
        }
        return options.isEmpty || !options.contains(name)
    }
}
