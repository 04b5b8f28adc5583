// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The calls for stream sockets on the loopback interface, and where platforms differ in them.
enum Socket {
    struct Failure: Error, CustomStringConvertible {
        let call: String
        let code: Int32
        var description: String { "\(call) failed: \(String(cString: strerror(code)))" }
    }

    static let shutdownWrite = Int32(SHUT_WR)
    static let shutdownBoth = Int32(SHUT_RDWR)

    /// A socket bound to a free port of 127.0.0.1 that does not listen yet.
    static func bound() throws -> (descriptor: Int32, port: Int) {
        let descriptor = try make()
        do {
            var yes: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
            var address = loopback(port: 0)
            try check("bind", withGeneric(&address) { bind(descriptor, $0, $1) })
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let named = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
            }
            try check("getsockname", named)
            return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
        } catch {
            close(descriptor)
            throw error
        }
    }

    static func listen(_ descriptor: Int32, backlog: Int32) throws {
        try check("listen", startListening(descriptor, backlog))
    }

    /// The next connection, `nil` after ``stopAccepting(_:)``.
    static func accept(_ descriptor: Int32) -> Int32? {
        while true {
            let accepted = acceptConnection(descriptor)
            if accepted >= 0 { return accepted }
            switch errno {
            case EINVAL, EBADF, ENOTSOCK: return nil
            // A connection that was reset in the queue is no reason to end.
            case EINTR, ECONNABORTED: continue
            // Above all, the process has no descriptor left: later it may have one.
            default: usleep(10_000)
            }
        }
    }

    /// Whether ``stopAccepting(_:)`` leaves the socket open for new connections until it is closed.
    static var listensUntilClosed: Bool {
        #if canImport(Darwin)
        true
        #else
        false
        #endif
    }

    /// Ends ``accept(_:)`` in another thread, which then closes the socket. Only that thread may close it: otherwise it
    /// would go on with a descriptor that may belong to something else by then.
    ///
    /// The thread may be given one more connection. By then it has to know that it is to stop.
    static func stopAccepting(_ descriptor: Int32) {
        #if canImport(Darwin)
        // `shutdown` is refused on a listening socket there.
        knock(on: descriptor)
        #else
        shutdown(descriptor, shutdownBoth)
        #endif
    }

    /// Connects to a listening socket of this process, of any address family, and closes the connection.
    static func knock(on listener: Int32) {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                guard getsockname(listener, pointer, &length) == 0,
                    let descriptor = try? make(Int32(pointer.pointee.sa_family))
                else { return }
                _ = connect(descriptor, pointer, length)
                close(descriptor)
            }
        }
    }

    /// Connects, and waits for the outcome.
    static func connected(toPort port: Int) throws -> Int32 {
        let descriptor = try make()
        var address = loopback(port: port)
        do {
            try check("connect", withGeneric(&address) { connect(descriptor, $0, $1) })
            return descriptor
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// Begins to connect and does not wait for the outcome.
    static func startConnecting(toPort port: Int) throws -> Int32 {
        let descriptor = try make()
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        var address = loopback(port: port)
        _ = withGeneric(&address) { connect(descriptor, $0, $1) }
        return descriptor
    }

    /// Whether the other side has answered.
    static func isConnected(_ descriptor: Int32) -> Bool {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) }
        } == 0
    }

    /// A write to a connection that is gone must fail and not end the process; small writes go out at once.
    static func prepare(_ descriptor: Int32) {
        var yes: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        #if canImport(Darwin)
        setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        sendBytes(descriptor, bytes)
    }

    /// Whether there is input, or its end, within a time. Does not wait when `duration` is not positive.
    static func isReadable(_ descriptor: Int32, within duration: Duration) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, Int32(max(0, duration / .milliseconds(1)).rounded(.up))) > 0
    }

    static func close(_ descriptor: Int32) {
        closeDescriptor(descriptor)
    }

    static func make(_ family: Int32 = AF_INET) throws -> Int32 {
        #if canImport(Glibc)
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        #else
        let kind = SOCK_STREAM
        #endif
        let descriptor = socket(family, kind, 0)
        try check("socket", descriptor)
        return descriptor
    }

    private static func loopback(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        #if canImport(Darwin)
        address.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
        #endif
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    private static func withGeneric(
        _ address: inout sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    static func check(_ call: String, _ result: Int32) throws {
        if result < 0 { throw Failure(call: call, code: errno) }
    }
}

// Functions of the system whose names the enum has for its own.
private func startListening(_ descriptor: Int32, _ backlog: Int32) -> Int32 { listen(descriptor, backlog) }
private func acceptConnection(_ descriptor: Int32) -> Int32 { accept(descriptor, nil, nil) }
private func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }
private func sendBytes(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Darwin)
    let flags: Int32 = 0
    #else
    let flags = Int32(MSG_NOSIGNAL)
    #endif
    return send(descriptor, bytes.baseAddress, bytes.count, flags)
}
