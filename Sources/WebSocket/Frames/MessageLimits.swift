// SPDX-License-Identifier: Apache-2.0

/// How much a peer may send.
package struct MessageLimits: Hashable, Sendable {
    /// Of a message, decoded.
    package var bytes = 16 << 20
    /// The frames of a message, with the control frames between them.
    package var fragments = 1 << 17
    /// How many times as large as it came a message may become by decompression; counted from ``expansionFloor`` on.
    package var expansion = 200

    /// Messages up to this many bytes may have been compressed to any size: 1 MiB.
    static let expansionFloor = 1 << 20

    package init() {}

    /// For what is trusted.
    package static let unlimited: MessageLimits = {
        var limits = MessageLimits()
        (limits.bytes, limits.fragments, limits.expansion) = (.max, .max, .max)
        return limits
    }()
}
