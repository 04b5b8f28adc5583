// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Just enough of a server for the example: GET alone, and one request a connection. Yours is that of your framework.
struct SmallServer {
    struct Reply: Sendable { var status = 200; var text: String }

    let port: UInt16
    private let listener: Int32

    /// Listens on a free port of this machine.
    init() throws {
        #if canImport(Darwin)
        listener = socket(AF_INET, SOCK_STREAM, 0)
        #else
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = listener
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(descriptor, pointer, size) == 0 && listen(descriptor, 128) == 0
                    && getsockname(descriptor, pointer, &size) == 0
            }
        }
        guard isBound else { throw CocoaError(.featureUnsupported) }
        port = UInt16(bigEndian: address.sin_port)
    }

    /// Answers by `handler` until ``stop()``.
    func run(_ handler: @escaping @Sendable (String) async -> Reply) async {
        let descriptor = listener
        let connections = AsyncStream<Int32> { continuation in
            Thread.detachNewThread {
                while true {
                    let connection = accept(descriptor, nil, nil)
                    if connection < 0 { break }
                    continuation.yield(connection)
                }
                continuation.finish()
            }
        }
        await withDiscardingTaskGroup { group in
            for await connection in connections {
                group.addTask {
                    let reply = await handler(Self.path(of: connection))
                    let body = Data(reply.text.utf8)
                    let head =
                        "HTTP/1.1 \(reply.status) -\r\nContent-Length: \(body.count)\r\nConnection: close\r\n\r\n"
                    (Data(head.utf8) + body).withUnsafeBytes { _ = send(connection, $0.baseAddress, $0.count, 0) }
                    close(connection)
                }
            }
        }
    }

    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    private static func path(of connection: Int32) -> String {
        var head = Data()
        var buffer = [UInt8](repeating: 0, count: 4096)
        while head.count < 65_536, head.range(of: Data("\r\n\r\n".utf8)) == nil {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            head += buffer[..<count]
        }
        let words = String(decoding: head.prefix { $0 != 13 }, as: UTF8.self).split(separator: " ")
        return words.count > 1 ? String(words[1]) : "/"
    }
}
