// SPDX-License-Identifier: Apache-2.0

/// When a connection over HTTP/2 is asked for a sign of life (RFC 9113 §6.7), in nanoseconds.
package struct HTTP2Pings: Sendable {
    /// After how long in silence it gives one before it carries an exchange.
    package var silence: UInt64 = 10_000_000_000
    /// After how long in silence while exchanges wait.
    package var after: UInt64 = 15_000_000_000
    /// The same, when two have brought nothing else: servers take more for a flood.
    package var laterAfter: UInt64 = 310_000_000_000
    /// How long the answer may take.
    package var patience: UInt64 = 10_000_000_000
}
