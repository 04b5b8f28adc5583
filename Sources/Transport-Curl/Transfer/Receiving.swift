// SPDX-License-Identifier: Apache-2.0

/// How the body of the response comes in. An exchange that is begun again has a new one.
struct Receiving {
    /// Bytes of the body so far, before they are decoded.
    var count: Int64 = 0
    /// Whether the reader has enough for now.
    var isPaused = false
    var share = BatchShare()
    /// What is known of the end of a body that the server did not announce, and of what came before a failure to send.
    var end = BodyEnd()

    /// Whether libcurl is to hand nothing out: for the reader's sake, or for that of other transfers.
    var isHeldBack: Bool { isPaused || share.isYielding }

    /// Nothing is held back any more.
    mutating func release() { (isPaused, share.isYielding) = (false, false) }
}
