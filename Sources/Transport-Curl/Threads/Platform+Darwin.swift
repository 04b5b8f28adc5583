// SPDX-License-Identifier: Apache-2.0

#if !os(Linux)

/// Whether the peer has closed its side of a connection.
func isClosedByPeer(_ descriptor: Int32) -> Bool { hasEnded(descriptor) }

#endif
