// SPDX-License-Identifier: Apache-2.0

/// Which end of the connection reads and writes: a client masks its frames, a server must not (RFC 6455 §5.1).
package enum FrameRole: Sendable {
    case client
    case server
}
