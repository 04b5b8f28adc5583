// SPDX-License-Identifier: Apache-2.0

import CStrataCurl
import HTTPTypes
import StrataCore
import StrataTransportSupport

/// The C strings and the list of lines from which libcurl reads a request. Their memory is used again for the next
/// request.
///
/// libcurl copies the URL, but neither the lines nor the method's body: they live as long as the transfer.
final class RequestStrings {
    private var memory: UnsafeMutableRawPointer
    private var capacity: Int
    private var used = 0

    /// Bytes of the request line and the fields.
    private(set) var headSize = 0
    private(set) var url: UnsafePointer<CChar>
    private var originLength = 0
    private(set) var method: UnsafePointer<CChar>
    private(set) var lines: UnsafeMutablePointer<curl_slist>?
    /// A small body.
    private(set) var payload: UnsafePointer<CChar>
    private var lastLine: UnsafeMutablePointer<curl_slist>?

    // Lines that are the same for all requests. Many handles need but one or two of them.
    private lazy var acceptEncoding = ConstantLine("Accept-Encoding: \(ContentCoding.acceptable)")
    private lazy var noAccept = ConstantLine("Accept:")
    private lazy var noContentType = ConstantLine("Content-Type:")
    private lazy var noExpect = ConstantLine("Expect:")
    private lazy var expectContinue = ConstantLine("Expect: 100-continue")
    private lazy var noProxyConnection = ConstantLine("Proxy-Connection:")

    init() {
        // Enough for a small request; thousands of streams have one each.
        capacity = 512
        memory = .allocate(byteCount: capacity, alignment: 16)
        let empty = UnsafePointer(memory.bindMemory(to: CChar.self, capacity: 1))
        (url, method, payload) = (empty, empty, empty)
    }

    deinit { memory.deallocate() }

    /// - Parameters:
    ///   - payload: a body to keep beside the lines.
    ///   - passesProxyAuthorization: whether that field is among them.
    func fill(
        _ head: HTTPRequest, _ extra: RequestPlan.ExtraLines, payload: UnsafeRawBufferPointer?,
        passesProxyAuthorization: @autoclosure () -> Bool = false
    ) {
        reserve(head, payload?.count ?? 0)
        (used, lines, lastLine) = (0, nil, nil)
        url = string { put in
            put(head.scheme ?? "http")
            put("://")
            put(head.authority ?? "")
            originLength = used
            put(head.path ?? "/")
        }
        method = string { $0(head.method.rawValue) }
        var hasCookies = false
        for field in head.headerFields where !field.name.isFraming {
            guard field.name == .cookie else {
                if field.name != .proxyAuthorization || passesProxyAuthorization() { line(field) }
                continue
            }
            if !hasCookies { cookieLine(field, of: head.headerFields) }
            hasCookies = true
        }
        if extra.contains(.acceptEncoding) { append(acceptEncoding.node) }
        if extra.contains(.noAccept) { append(noAccept.node) }
        if extra.contains(.noContentType) { append(noContentType.node) }
        if extra.contains(.noExpect) { append(noExpect.node) }
        if extra.contains(.expectContinue) { append(expectContinue.node) }
        if let payload {
            let start = memory + used
            if let source = payload.baseAddress { start.copyMemory(from: source, byteCount: payload.count) }
            used += payload.count
            self.payload = UnsafePointer(start.bindMemory(to: CChar.self, capacity: max(payload.count, 1)))
        }
    }

    /// The fields for a proxy alone. There are none, except for the one that keeps libcurl from adding
    /// `Proxy-Connection: Keep-Alive` (RFC 9112 App. C.2.2).
    var proxyLines: UnsafeMutablePointer<curl_slist> { noProxyConnection.node }

    /// Scheme and authority of the URL.
    var origin: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: url, count: originLength) }

    /// What follows the origin: the path with its query.
    var target: UnsafePointer<CChar> { url + originLength }

    // MARK: - Memory

    /// Room for everything at once, so that nothing moves while pointers are handed out.
    private func reserve(_ head: HTTPRequest, _ payload: Int) {
        var text = (head.scheme ?? "").utf8.count + (head.authority ?? "").utf8.count + (head.path ?? "").utf8.count
        text += head.method.rawValue.utf8.count
        for field in head.headerFields {
            text += field.name.rawName.utf8.count + 4 + field.withUnsafeBytesOfValue { $0.count }
        }
        headSize = text
        let size = 64 + text + head.headerFields.count * (MemoryLayout<curl_slist>.stride + 16) + payload + 1
        guard size > capacity else { return }
        memory.deallocate()
        capacity = size * 2
        memory = .allocate(byteCount: capacity, alignment: 16)
    }

    private func put(_ text: String) {
        var text = text
        text.withUTF8 { bytes in put(UnsafeRawBufferPointer(bytes)) }
    }

    private func put(_ bytes: UnsafeRawBufferPointer) {
        if let source = bytes.baseAddress { (memory + used).copyMemory(from: source, byteCount: bytes.count) }
        used += bytes.count
    }

    private func string(_ write: ((String) -> Void) -> Void) -> UnsafePointer<CChar> {
        let start = memory + used
        write { put($0) }
        terminate()
        return UnsafePointer(start.bindMemory(to: CChar.self, capacity: 1))
    }

    // MARK: - Lines

    /// libcurl sends `Name: value`; a field without a value has to be written `Name;`.
    private func line(_ field: HTTPField) {
        beginLine()
        put(field.name.rawName)
        field.withUnsafeBytesOfValue { value in
            put(value.isEmpty ? ";" : ": ")
            put(UnsafeRawBufferPointer(value))
        }
        terminate()
    }

    /// All cookies in one line (RFC 6265 §5.4): HTTPTypes makes a field of each.
    private func cookieLine(_ first: HTTPField, of fields: HTTPFields) {
        let cookies = fields[fields: .cookie]
        guard cookies.count > 1 else { return line(first) }
        beginLine()
        put(first.name.rawName)
        for (offset, cookie) in cookies.enumerated() {
            put(offset == 0 ? ": " : "; ")
            cookie.withUnsafeBytesOfValue { value in put(UnsafeRawBufferPointer(value)) }
        }
        terminate()
    }

    private func beginLine() {
        used = (used + 15) & ~15
        let node = (memory + used).bindMemory(to: curl_slist.self, capacity: 1)
        used += MemoryLayout<curl_slist>.stride
        node.initialize(to: curl_slist(data: (memory + used).bindMemory(to: CChar.self, capacity: 1), next: nil))
        append(node)
    }

    private func append(_ node: UnsafeMutablePointer<curl_slist>) {
        node.pointee.next = nil
        if let lastLine { lastLine.pointee.next = node } else { lines = node }
        lastLine = node
    }

    private func terminate() {
        memory.storeBytes(of: 0, toByteOffset: used, as: UInt8.self)
        used += 1
    }
}

/// A line that is written once, and goes into the list of every request that wants it.
private final class ConstantLine {
    let node: UnsafeMutablePointer<curl_slist>

    init(_ text: String) {
        let bytes = text.utf8CString
        let data = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
        for (offset, byte) in bytes.enumerated() { (data + offset).initialize(to: byte) }
        node = .allocate(capacity: 1)
        node.initialize(to: curl_slist(data: data, next: nil))
    }

    deinit {
        node.pointee.data.deallocate()
        node.deallocate()
    }
}
