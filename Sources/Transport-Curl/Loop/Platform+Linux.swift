// SPDX-License-Identifier: Apache-2.0

#if os(Linux) && !STRATA_PORTABLE_LOOP

// Its module has some of the C library's types, since it includes their headers first.
import CStrataCurl

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Whether the peer has closed its side of a connection, whatever is left to be read.
func isClosedByPeer(_ descriptor: Int32) -> Bool {
    let closedByPeer: Int16 = 0x2000  // POLLRDHUP, a GNU name that Swift does not see
    var entry = pollfd(fd: descriptor, events: closedByPeer, revents: 0)
    return poll(&entry, 1, 0) > 0
}

/// Closes a connection and puts one in its place that has ended: whoever has the descriptor finds the end, and nothing
/// of what came before or comes later.
///
/// - Returns: whether the system had the descriptors for it.
func endConnection(_ descriptor: Int32) -> Bool {
    #if canImport(Glibc)
    let kind = Int32(SOCK_STREAM.rawValue)
    #else
    let kind = SOCK_STREAM
    #endif
    var pair: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, kind, 0, &pair) == 0 else { return false }
    // Not only closed: a program that starts at this moment may have the other end.
    shutdown(pair[0], Int32(SHUT_RDWR))
    dup2(pair[0], descriptor)
    closeOnExecution(descriptor)
    for end in pair { close(end) }
    return true
}

#endif
