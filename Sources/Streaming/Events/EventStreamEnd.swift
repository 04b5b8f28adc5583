// SPDX-License-Identifier: Apache-2.0

/// How a server says that a stream of events is over, before it ends the body.
///
///     client.events(for: request, decoding: Chunk.self, until: "[DONE]")
public struct EventStreamEnd: Hashable, Sendable, ExpressibleByStringLiteral {
    private enum Mark: Hashable {
        case none
        case data(String)
        case event(String)
    }

    private let mark: Mark
    /// Whether the body may not end without the mark.
    package let isRequired: Bool

    /// The end of the body.
    public static let body = EventStreamEnd(mark: .none, isRequired: false)

    /// An event whose data is this text: `[DONE]`. Blanks behind it do not matter.
    ///
    /// - `isRequired`: whether the stream throws when its body ends without the mark. Default: no.
    public static func data(_ text: String, isRequired: Bool = false) -> EventStreamEnd {
        EventStreamEnd(mark: .data(text), isRequired: isRequired)
    }

    /// An event of this name: `message_stop`. It ends the stream and is not decoded.
    ///
    /// - `isRequired`: whether the stream throws when its body ends without the mark. Default: no.
    public static func event(_ name: String, isRequired: Bool = false) -> EventStreamEnd {
        EventStreamEnd(mark: .event(name), isRequired: isRequired)
    }

    @_documentation(visibility: internal)
    public init(stringLiteral text: String) {
        self = .data(text)
    }

    private init(mark: Mark, isRequired: Bool) {
        self.mark = mark
        self.isRequired = isRequired
    }

    package func matches(_ event: ServerSentEvent) -> Bool {
        switch mark {
        case .none: false
        case .data(let text): event.data == text || event.data.isPadded(text)
        case .event(let name): event.type == name
        }
    }
}

extension String {
    /// Whether this is `text` with spaces or tabs behind it.
    fileprivate func isPadded(_ text: String) -> Bool {
        hasPrefix(text) && utf8.dropFirst(text.utf8.count).allSatisfy { $0 == .space || $0 == UInt8(ascii: "\t") }
    }
}
