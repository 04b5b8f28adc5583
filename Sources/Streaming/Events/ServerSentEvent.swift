// SPDX-License-Identifier: Apache-2.0

/// One event of a `text/event-stream` body (HTML standard §9.2.6).
public struct ServerSentEvent: Sendable, Hashable {
    /// What the `event` field said; `message` where it was absent or empty.
    public var type: String

    /// The `data` lines, joined by line feeds. Broken UTF-8 reads as U+FFFD.
    public var data: String

    /// What the `id` field of this event said; `nil` when it had none. ``lastEventID`` is the identifier in force.
    public var id: String?

    /// The reconnection time that this event asks for. The server sends whole milliseconds.
    public var retry: Duration?

    /// The identifier in force when the event was dispatched: its own, or the latest one before it; else empty.
    ///
    /// This is what goes into `Last-Event-ID` when the stream is opened again after this event.
    public var lastEventID: String

    public init(
        type: String = "message", data: String, id: String? = nil, retry: Duration? = nil, lastEventID: String? = nil
    ) {
        self.type = type
        self.data = data
        self.id = id
        self.retry = retry
        self.lastEventID = lastEventID ?? id ?? ""
    }
}
