// SPDX-License-Identifier: Apache-2.0

import StrataTransportSupport

/// What the loop is asked to do.
enum Command: Sendable {
    case start(Exchange)
    case cancel(Exchange)
    /// The reader has made room.
    case resumeReceiving(Exchange)
    /// The producer has something to send.
    case resumeSending(Exchange)
    /// A name that the exchange needs has been looked up.
    case named(Exchange, String, Result<[String], NameResolver.LookupFailure>)
}
