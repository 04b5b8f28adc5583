// SPDX-License-Identifier: Apache-2.0

public import StrataCore

/// What ``RecordingMiddleware`` writes down.
public struct RecordingOptions: Sendable {
    /// Whether bodies are written, and not their sizes alone. Default: yes. Without its body a response cannot be replayed.
    public var recordsBodies = true
    /// Which secrets are masked. Default: `Redaction.standard`, and the names that requests mark. Replay needs the same.
    public var redaction = Redaction.standard
    /// Bodies of more bytes are files of their own in a folder beside the cassette. Default: 1 MiB. No more than 16 MiB of a body are
    /// in memory.
    public var largestInlineBody = 1 << 20

    public init() {}
}
