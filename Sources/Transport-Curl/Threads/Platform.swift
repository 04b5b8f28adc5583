// SPDX-License-Identifier: Apache-2.0

// Its module has some of the C library's types, since it includes their headers first.
import CStrataCurl

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The close that libcurl is given in place of its own.
func closeSocket(_ descriptor: Int32) -> Int32 { close(descriptor) }

/// Keeps a connection from the programs that this one starts.
func closeOnExecution(_ descriptor: Int32) { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }

/// The port that a connection comes from; 0 for one over a Unix domain socket.
func localPort(_ descriptor: Int32) -> UInt16? {
    var address = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutableBytes(of: &address) { bytes in
        guard let start = bytes.baseAddress,
            getsockname(descriptor, start.assumingMemoryBound(to: sockaddr.self), &size) == 0
        else { return nil }
        switch Int32(start.assumingMemoryBound(to: sockaddr.self).pointee.sa_family) {
        case AF_INET: return UInt16(bigEndian: start.assumingMemoryBound(to: sockaddr_in.self).pointee.sin_port)
        case AF_INET6: return UInt16(bigEndian: start.assumingMemoryBound(to: sockaddr_in6.self).pointee.sin6_port)
        case AF_UNIX: return 0
        default: return nil
        }
    }
}

/// Whether something has come on a socket that does not block, its end included.
func hasInput(_ descriptor: Int32) -> Bool {
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, Int32(MSG_PEEK)) >= 0 || errno != EAGAIN
}

/// Whether the peer of a connection has ended it, and all that it sent has been read.
func hasEnded(_ descriptor: Int32) -> Bool {
    var byte: UInt8 = 0
    let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK))
    return count == 0 || count < 0 && errno != EAGAIN && errno != EINTR
}

/// Closes a connection and puts one in its place that has ended: whoever has the descriptor finds the end, and nothing
/// of what came before or comes later. Where the system has no descriptors for it, the connection is shut down.
func endConnection(_ descriptor: Int32) {
    #if canImport(Glibc)
    let kind = Int32(SOCK_STREAM.rawValue)
    #else
    let kind = SOCK_STREAM
    #endif
    var pair: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, kind, 0, &pair) == 0 else {
        shutdown(descriptor, Int32(SHUT_RDWR))
        return
    }
    // Not only closed: a program that starts at this moment may have the other end.
    shutdown(pair[0], Int32(SHUT_RDWR))
    dup2(pair[0], descriptor)
    closeOnExecution(descriptor)
    for end in pair { close(end) }
}

/// How many descriptors the process may have.
var descriptorLimit: Int {
    let limit = sysconf(Int32(_SC_OPEN_MAX))
    return limit > 0 ? limit : .max
}
