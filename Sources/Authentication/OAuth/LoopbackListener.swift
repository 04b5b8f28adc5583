// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// A port of 127.0.0.1 to which a browser comes back. Nothing of it waits: it is asked in turns.
///
/// Browsers open connections that they do not use, so that all are read and none is waited for.
final class LoopbackListener: Sendable {
    let port: Int
    private let listener: Int32
    /// What has come on each connection.
    private let connections = Mutex<[Int32: [UInt8]]>([:])

    private static let maximumHead = 16 * 1024
    private static let maximumConnections = 32

    /// - Throws: a `POSIXError`.
    init() throws {
        #if canImport(Glibc)
        let kind = Int32(SOCK_STREAM.rawValue)
        #else
        let kind = SOCK_STREAM
        #endif
        let listener = socket(AF_INET, kind, 0)
        guard listener >= 0 else { throw Self.failure }
        do {
            var address = sockaddr_in()
            #if canImport(Darwin)
            address.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
            #endif
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isBound = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    bind(listener, pointer, size) == 0 && listen(listener, 16) == 0
                        && getsockname(listener, pointer, &size) == 0
                }
            }
            guard isBound, Self.prepare(listener) else { throw Self.failure }
            port = Int(UInt16(bigEndian: address.sin_port))
            self.listener = listener
        } catch {
            closeSocket(listener)
            throw error
        }
    }

    func close() {
        closeSocket(listener)
        let open = connections.withLock { connections in
            defer { connections = [:] }
            return connections.keys
        }
        for connection in open { closeSocket(connection) }
    }

    /// Takes what has come, and answers each request whose head is there.
    ///
    /// - Parameter read: reads a head.
    /// - Returns: the first answer that is one.
    func turn(_ read: (String) -> AuthorizationAnswer) -> AuthorizationAnswer? {
        connections.withLock { connections in
            while connections.count < Self.maximumConnections {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { break }
                if Self.prepare(connection) { connections[connection] = [] } else { closeSocket(connection) }
            }
            for connection in connections.keys {
                let isOpen = Self.receive(connection, &connections[connection, default: []])
                let head = connections[connection, default: []]
                if let answer = Self.isWhole(head) ? read(String(decoding: head, as: UTF8.self)) : nil {
                    Self.send(answer.page, connection)
                    closeSocket(connection)
                    connections[connection] = nil
                    if case .ignored = answer.outcome { continue }
                    return answer
                }
                if !isOpen || head.count > Self.maximumHead {
                    closeSocket(connection)
                    connections[connection] = nil
                }
            }
            return nil
        }
    }

    private static func isWhole(_ head: [UInt8]) -> Bool {
        head.count <= maximumHead && String(decoding: head, as: UTF8.self).contains("\r\n\r\n")
    }

    /// - Returns: whether more may come.
    private static func receive(_ connection: Int32, _ head: inout [UInt8]) -> Bool {
        var piece = [UInt8](repeating: 0, count: 4096)
        while head.count <= maximumHead {
            let count = piece.withUnsafeMutableBytes { recv(connection, $0.baseAddress, $0.count, 0) }
            if count > 0 { head += piece[..<count] } else { return count < 0 && (errno == EAGAIN || errno == EINTR) }
        }
        return false
    }

    #if !canImport(Darwin)
    /// Without a signal when the browser is gone.
    private static let quietly = Int32(MSG_NOSIGNAL)
    #endif

    /// The page is small enough for any socket's buffer.
    private static func send(_ text: String, _ connection: Int32) {
        var text = text
        text.withUTF8 { bytes in
            #if canImport(Darwin)
            _ = Darwin.send(connection, bytes.baseAddress, bytes.count, 0)
            #elseif canImport(Glibc)
            _ = Glibc.send(connection, bytes.baseAddress, bytes.count, quietly)
            #elseif canImport(Musl)
            _ = Musl.send(connection, bytes.baseAddress, bytes.count, quietly)
            #elseif canImport(Android)
            _ = Android.send(connection, bytes.baseAddress, bytes.count, quietly)
            #endif
        }
        shutdown(connection, Int32(SHUT_WR))
    }

    /// Neither waits nor is inherited by programs that this one starts, nor ends the process when the browser is gone.
    private static func prepare(_ descriptor: Int32) -> Bool {
        #if canImport(Darwin)
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
        #endif
        return fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 && fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
    }

    private static var failure: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}

// By this name because `close` is a function of the type.
private func closeSocket(_ descriptor: Int32) { close(descriptor) }
