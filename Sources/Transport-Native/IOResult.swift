// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// What came of an attempt to read or write, which never waits.
enum IOResult {
    case bytes(Int)
    case wantsRead
    case wantsWrite
    /// The peer sends nothing more, and has said so.
    case end
    /// The connection is over, and nobody has said that it was to end here: with TLS, no `close_notify` has come.
    case cutOff(NetworkClientError)
    case failed(NetworkClientError)

    /// How many bytes were read or written.
    var count: Int { if case .bytes(let count) = self { count } else { 0 } }
}
