// SPDX-License-Identifier: Apache-2.0

import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// How the events of a stream become models, by their names.
///
///     enum Update { case started(Message), text(Delta) }
///
///     let updates = EventDecoding<Update>()
///         .on("message_start", decoding: Message.self) { .started($0) }
///         .on("content_block_delta", decoding: Delta.self) { .text($0) }
///         .until(.event("message_stop"))
///     for try await update in try await client.events(for: request, decoding: updates) { … }
///
/// Events with a name that is not in the table are skipped, as a browser skips those without a listener. One named
/// `error` is not: it ends the stream with an error of code `errorEvent`, which has the data, unless ``on(_:decoding:_:)``
/// takes it or ``ignoring(_:)`` drops it.
public struct EventDecoding<Element> {
    typealias Decode = (ServerSentEvent, ElementOrigin, ElementDecoding) throws -> Element?

    private var named: [String: Decode] = [:]
    private var other: Decode?
    private(set) var end = EventStreamEnd.body

    /// An empty table.
    public init() {}

    /// Decodes the data of events of this name. `Data` and `String` are taken as they are, and for `VoidResponse` the data do
    /// not matter.
    ///
    /// - `name`: `message` for events without one.
    public func on<Model: Decodable>(
        _ name: String, decoding type: Model.Type = Model.self, _ element: @escaping (Model) throws -> Element?
    ) -> EventDecoding {
        var copy = self
        copy.named[name] = { event, origin, decoding in
            try element(decoding.decode(type, from: event.data, of: origin))
        }
        return copy
    }

    /// Decodes the data of all events that the table does not name, except for those named `error`.
    public func onOthers<Model: Decodable>(
        decoding type: Model.Type = Model.self, _ element: @escaping (Model) throws -> Element?
    ) -> EventDecoding {
        var copy = self
        copy.other = { event, origin, decoding in
            try element(decoding.decode(type, from: event.data, of: origin))
        }
        return copy
    }

    /// Skips events of these names, also where ``onOthers(decoding:_:)`` takes the rest.
    public func ignoring(_ names: String...) -> EventDecoding {
        var copy = self
        for name in names { copy.named[name] = { _, _, _ in nil } }
        return copy
    }

    /// How the server says that the stream is over.
    public func until(_ end: EventStreamEnd) -> EventDecoding {
        var copy = self
        copy.end = end
        return copy
    }

    /// `nil`: the event is skipped.
    func decode(_ event: ServerSentEvent, of origin: ElementOrigin, with decoding: ElementDecoding) throws -> Element? {
        if let decode = named[event.type] { return try decode(event, origin, decoding) }
        if event.type == "error" { throw decoding.errorEvent(Data(event.data.utf8), of: origin) }
        return try other?(event, origin, decoding)
    }
}

extension EventDecoding where Element: Decodable {
    /// Decodes the data of every event, whatever its name, except for `error`, which ends the stream with an error.
    public static func every(_ type: Element.Type = Element.self, until end: EventStreamEnd = .body) -> EventDecoding {
        EventDecoding().onOthers(decoding: type) { $0 }.until(end)
    }

    /// Decodes the data of the events of these names. Others are skipped, except for `error`.
    public static func named(
        _ names: [String], _ type: Element.Type = Element.self, until end: EventStreamEnd = .body
    ) -> EventDecoding {
        names.reduce(EventDecoding()) { $0.on($1, decoding: type) { $0 } }.until(end)
    }
}

extension EventDecoding where Element == ServerSentEvent {
    /// The events themselves; of these names, if some are given.
    package static func asTheyCome(_ names: [String]?) -> EventDecoding {
        var table = EventDecoding()
        let take: Decode = { event, _, _ in event }
        if names == nil { table.other = take }
        for name in names ?? ["error"] { table.named[name] = take }
        return table
    }
}
