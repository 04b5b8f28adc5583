// SPDX-License-Identifier: Apache-2.0

/// What is known of the end of a body beyond what libcurl tells.
struct BodyEnd {
    /// Whether the peer has ended TLS, and not just closed; `nil` where that cannot be known.
    var hasCloseNotify: Bool?
    /// Whether the connection was reset, of which libcurl says nothing when it has met the reset in sending.
    var isReset = false
    /// Whether the rest of the answer was read after a failure to send, to its end.
    var isSalvagedInFull = false
}
