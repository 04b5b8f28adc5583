// SPDX-License-Identifier: Apache-2.0

public import StrataCore

/// What a ``RawServer`` has seen so far.
public struct RawLog: Sendable, Equatable {
    /// Something that happened on a connection. Connections are counted from 1, in the order in which they were
    /// accepted.
    public struct Event: Sendable, Equatable {
        #if hasAttribute(nonexhaustive)
        @nonexhaustive
        #endif
        public enum Kind: String, Sendable {
            case accepted
            /// The client sent FIN while the script was reading.
            case closedByPeer
            /// The client sent RST, or sending failed because the client had gone.
            case resetByPeer
            /// The script is done and the connection closed from here.
            case finished
        }

        public let connection: Int
        public let kind: Kind
    }

    /// One request that a script read, whole or in part.
    public struct Request: Sendable, Equatable {
        public let connection: Int
        /// From the first byte to the empty line, that included.
        public let rawHead: [UInt8]
        /// As sent: with chunk sizes when it was chunked.
        public internal(set) var rawBody: [UInt8] = []
        /// Without the chunked coding.
        public internal(set) var body: [UInt8] = []
        /// The fields behind a chunked body, as ``fields``.
        public internal(set) var trailers: [(name: String, value: String)] = []

        public let method: String
        public let target: String
        public let version: String
        /// In order, spelled as sent, values without the white space around them.
        public let fields: [(name: String, value: String)]

        init(connection: Int, rawHead: [UInt8]) {
            self.connection = connection
            self.rawHead = rawHead
            let lines = String(decoding: rawHead, as: UTF8.self).split(separator: "\r\n")
            let start = (lines.first ?? "").split(separator: " ", omittingEmptySubsequences: false).map(String.init)
            method = start.first ?? ""
            target = start.dropFirst().dropLast().joined(separator: " ")
            version = start.count > 2 ? start[start.count - 1] : ""
            fields = lines.dropFirst().map(Self.field)
        }

        static func field(_ line: some StringProtocol) -> (name: String, value: String) {
            let halves = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let value = halves.dropFirst().first.map { String($0) } ?? ""
            return (halves.first.map { String($0) } ?? "", String(decoding: value.utf8.trimmingBlanks, as: UTF8.self))
        }

        /// The values of a field, whatever its spelling.
        public func values(of name: String) -> [String] {
            fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
        }

        @_documentation(visibility: internal)
        public static func == (one: Self, other: Self) -> Bool {
            (one.connection, one.rawHead, one.rawBody) == (other.connection, other.rawHead, other.rawBody)
        }
    }

    public internal(set) var requests: [Request] = []
    public internal(set) var events: [Event] = []
    /// Every byte that was read, by connection.
    public internal(set) var received: [Int: [UInt8]] = [:]

    /// The requests that came over HTTP/2, in the order of their arrival.
    var streams: [HTTP2Stream] = []

    /// How many connections were accepted.
    public var connectionCount: Int { events.count { $0.kind == .accepted } }

    /// Whether the event happened, on that connection or on any.
    public func has(_ kind: Event.Kind, on connection: Int? = nil) -> Bool {
        events.contains { $0.kind == kind && (connection == nil || $0.connection == connection) }
    }

    /// Whether a client has ended its connection, in order or by a reset.
    package var isClosedByPeer: Bool { has(.closedByPeer) || has(.resetByPeer) }
}

extension RawLog: DumpedAsDescription {
    private static let mostInWords = 20

    /// `1 connection, 94 bytes; requests: POST /users (12 bytes); events: 1 accepted`: without queries, fields and bodies,
    /// and of many requests and events the last.
    public var description: String {
        let byteCount = received.values.reduce(0) { $0 + $1.count }
        var parts = ["\(connectionCount) connection\(connectionCount == 1 ? "" : "s"), \(byteCount) bytes"]
        if !requests.isEmpty { parts.append("requests: \(Self.lastOnes(requests))") }
        if !streams.isEmpty { parts.append("\(streams.count) over HTTP/2") }
        if !events.isEmpty { parts.append("events: \(Self.lastOnes(events))") }
        return parts.joined(separator: "; ")
    }

    private static func lastOnes(_ all: [some CustomStringConvertible]) -> String {
        let words = all.suffix(mostInWords).map(\.description)
        return ((all.count > words.count ? ["…"] : []) + words).joined(separator: ", ")
    }
}

extension RawLog.Event: CustomStringConvertible {
    /// The number of the connection, and what happened: `1 accepted`.
    public var description: String { "\(connection) \(kind.rawValue)" }
}

extension RawLog.Request: DumpedAsDescription {
    private static let longestWord = 100

    /// `POST /users (12 bytes)`: without query, fields and body; a long target is cut.
    public var description: String {
        let words = [method, String(target.prefix { $0 != "?" })].map { word in
            word.count > Self.longestWord ? "\(word.prefix(Self.longestWord))…" : word
        }
        return "\(words.joined(separator: " ")) (\(body.count) bytes)"
    }
}
