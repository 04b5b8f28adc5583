// SPDX-License-Identifier: Apache-2.0

#if os(Linux)

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

#endif
