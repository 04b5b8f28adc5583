// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@testable import StrataTesting

/// Answers `/number/N` with `N`, and `/number/N/SIZE` with SIZE bytes after a field `X-Number: N`; `/cut/N` ends in the
/// middle of the body. Fast, so that many requests can be told apart from each other. A thread for each connection.
///
/// Requests for `/pair/N` are answered two at a time. `/stray/N` sends an answer that nobody has asked for on the other
/// connections, and has its own when it is released. `/drop/N` has none. After `/last/N` the other connections are ended.
final class NumberServer: @unchecked Sendable {
    // Unchecked: the state is reached under an NSCondition, which ThreadSanitizer knows, alone.

    private struct State {
        var descriptors: Set<Int32> = []
        var isStopped = false
        var pairRequests = 0
        var drops = 0
        var (hasStrayed, isReleased) = (false, false)
    }

    let port: Int
    private let listener: Int32
    private let path: String?
    private let lock = NSCondition()
    private var state = State()

    init() throws {
        (listener, port) = try Socket.bound()
        path = nil
        try accept()
    }

    init(unixSocketPath path: String) throws {
        listener = try Socket.make(AF_UNIX)
        self.path = path
        port = 0
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8.prefix($0.count - 1))) }
        let listener = listener
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try Socket.check("bind", bound)
        try accept()
    }

    var url: String { "http://127.0.0.1:\(port)" }

    /// How many requests had no answer.
    var drops: Int { lock.withLock { state.drops } }
    var hasStrayed: Bool { lock.withLock { state.hasStrayed } }

    func release() { change { $0.isReleased = true } }

    func stop() {
        // Under the lock: the thread that accepts closes the socket when it sees the end.
        change {
            $0.isStopped = true
            Socket.stopAccepting(listener)
        }
        endConnections()
        if let path { unlink(path) }
    }

    func endConnections(but spared: Int32? = nil) {
        for descriptor in lock.withLock({ state.descriptors }) where descriptor != spared {
            shutdown(descriptor, Socket.shutdownBoth)
        }
    }

    private func change(_ body: (inout State) -> Void) {
        lock.withLock {
            body(&state)
            lock.broadcast()
        }
    }

    private func wait(until isReady: (State) -> Bool) {
        lock.withLock {
            while !state.isStopped, !isReady(state) { lock.wait() }
        }
    }

    private func accept() throws {
        try Socket.listen(listener, backlog: 512)
        Thread.detachNewThread { [self] in
            while let connection = Socket.accept(listener) {
                let isTaken = lock.withLock {
                    if !state.isStopped { state.descriptors.insert(connection) }
                    return !state.isStopped
                }
                guard isTaken else {
                    Socket.close(connection)
                    break
                }
                Socket.prepare(connection)
                Thread.detachNewThread { self.serve(connection) }
            }
            Socket.close(listener)
        }
    }

    private func serve(_ connection: Int32) {
        var buffer: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        reading: while true {
            while let end = Self.endOfHead(buffer) {
                let head = String(decoding: buffer[..<end], as: UTF8.self)
                buffer.removeFirst(end)
                guard answer(head, on: connection) else { break reading }
            }
            let count = recv(connection, &piece, piece.count, 0)
            guard count > 0 else { break }
            buffer += piece[..<count]
        }
        lock.withLock { _ = state.descriptors.remove(connection) }
        Socket.close(connection)
    }

    private static func endOfHead(_ bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        return (0...(bytes.count - 4)).first { Array(bytes[$0..<($0 + 4)]) == [13, 10, 13, 10] }.map { $0 + 4 }
    }

    /// - Returns: whether the connection goes on.
    private func answer(_ head: String, on connection: Int32) -> Bool {
        let parts = (head.split(separator: " ").dropFirst().first ?? "").split(separator: "/").map(String.init)
        let number = parts.count > 1 ? parts[1] : ""
        let size = parts.count > 2 ? Int(parts[2]) : nil
        let isCut = parts.first == "cut"
        switch parts.first {
        case "pair":
            change { $0.pairRequests += 1 }
            wait { $0.pairRequests.isMultiple(of: 2) }
        case "stray":
            for other in lock.withLock({ state.descriptors }) where other != connection {
                _ = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nstray".utf8CString.withUnsafeBytes {
                    Socket.send(other, UnsafeRawBufferPointer(rebasing: $0.dropLast()))
                }
            }
            change { $0.hasStrayed = true }
            wait { $0.isReleased }
        case "drop":
            change { $0.drops += 1 }
            return false
        default: break
        }
        let body = size.map { [UInt8](repeating: UInt8(ascii: "."), count: $0) } ?? Array(number.utf8)
        let length = isCut ? body.count + 10 : body.count
        let response = Array("HTTP/1.1 200 OK\r\nX-Number: \(number)\r\nContent-Length: \(length)\r\n\r\n".utf8) + body
        var rest = response[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Socket.send(connection, $0) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        if parts.first == "last" { endConnections(but: connection) }
        return !isCut
    }
}
