// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataTransportSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A stream socket that does not block.
struct Socket: Sendable {
    let descriptor: Int32

    /// - Throws: ``SystemError``.
    init(family: Int32) throws(SystemError) {
        #if canImport(Darwin)
        descriptor = socket(family, SOCK_STREAM, 0)
        guard descriptor >= 0 else { throw SystemError(errno) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        set(SOL_SOCKET, SO_NOSIGPIPE, 1)
        #else
        #if canImport(Glibc)
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        #else
        let kind = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC
        #endif
        descriptor = socket(family, kind, 0)
        guard descriptor >= 0 else { throw SystemError(errno) }
        #endif
    }

    func close() { _ = systemClose(descriptor) }

    /// How many descriptors the process may have.
    static var descriptorLimit: Int {
        let limit = sysconf(Int32(_SC_OPEN_MAX))
        return limit > 0 ? limit : .max
    }

    private func set(_ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Options of TCP: small requests go out at once, and a peer that is gone is noticed.
    func prepareTCP(_ settings: TCPSettings) {
        let tcp = Int32(IPPROTO_TCP)
        set(tcp, TCP_NODELAY, 1)
        if settings.keepAlive > 0 {
            set(SOL_SOCKET, SO_KEEPALIVE, 1)
            #if canImport(Darwin)
            set(tcp, TCP_KEEPALIVE, settings.keepAlive)
            #else
            set(tcp, TCP_KEEPIDLE, settings.keepAlive)
            #endif
            set(tcp, TCP_KEEPINTVL, settings.keepAlive)
            set(tcp, TCP_KEEPCNT, 9)
        }
        #if os(Linux)
        if settings.userTimeout > 0 { set(tcp, TCP_USER_TIMEOUT, settings.userTimeout) }
        #endif
    }

    /// Tells the peer of a TCP connection at once what has come from it, and not with the next bytes that go there.
    func acknowledge() {
        #if os(Linux)
        set(Int32(IPPROTO_TCP), TCP_QUICKACK, 1)
        #endif
    }

    /// - Returns: `nil`, or why not.
    func bind(to address: SocketAddress) -> SystemError? {
        address.withPointer { systemBind(descriptor, $0, $1) } == 0 ? nil : SystemError(errno)
    }

    /// Begins to connect.
    ///
    /// - Returns: whether it is done already.
    func connect(to address: SocketAddress) throws(SystemError) -> Bool {
        if address.withPointer({ systemConnect(descriptor, $0, $1) }) == 0 { return true }
        let code = errno
        // EINTR: it goes on by itself. EAGAIN comes for a Unix domain socket with a full queue, which cannot be waited for.
        guard code == EINPROGRESS || code == EINTR else { throw SystemError(code) }
        return false
    }

    /// What became of the connecting, or of the connection; `nil` when nothing is wrong.
    var pendingError: SystemError? {
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 else { return SystemError(errno) }
        return code == 0 ? nil : SystemError(code)
    }

    func receive(into buffer: UnsafeMutableRawBufferPointer) -> IOResult {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .end }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .wantsRead
            case let code: return .cutOff(.lost(SystemError(code)))
            }
        }
    }

    func send(_ bytes: UnsafeRawBufferPointer) -> IOResult {
        #if canImport(Darwin)
        let flags: Int32 = 0
        #else
        let flags = Int32(MSG_NOSIGNAL)
        #endif
        while true {
            let count = systemSend(descriptor, bytes.baseAddress, bytes.count, flags)
            if count >= 0 { return .bytes(count) }
            switch errno {
            case EINTR: continue
            case EAGAIN, ENOBUFS: return .wantsWrite
            case let code: return .failed(.lost(SystemError(code)))
            }
        }
    }

    /// Tells the peer that nothing more comes.
    func closeOutput() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// How many bytes the system has taken and the peer has not acknowledged; 0 when that is not known.
    var backlog: Int {
        var count: Int32 = 0
        #if canImport(Darwin)
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_NWRITE, &count, &size) == 0 ? Int(count) : 0
        #else
        return ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 ? Int(count) : 0
        #endif
    }

    /// Whether something has come that has not been read, the end included.
    var hasInput: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK)) >= 0 || errno != EAGAIN
    }
}

/// What is set on each TCP connection.
struct TCPSettings: Sendable {
    /// In seconds; 0 for none.
    let keepAlive: Int32
    /// In milliseconds; 0 for that of the system.
    let userTimeout: Int32

    init(_ configuration: NativeTransport.Configuration) {
        keepAlive = configuration.tcpKeepAlive.map { Int32(clamping: max(1, $0.milliseconds / 1000)) } ?? 0
        userTimeout = configuration.tcpUserTimeout.map { Int32(clamping: max(1, $0.milliseconds)) } ?? 0
    }
}

extension NetworkClientError {
    /// A connection that the system has given up.
    static func lost(_ error: SystemError) -> NetworkClientError {
        NetworkClientError(.connectionLost, "the connection was lost: \(error.text)", cause: error)
    }
}

// Functions of the C library whose names are taken by methods.
private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
private func systemBind(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
    bind(descriptor, address, length)
}
private func systemConnect(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
    connect(descriptor, address, length)
}
private func systemSend(_ descriptor: Int32, _ start: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
    send(descriptor, start, count, flags)
}
