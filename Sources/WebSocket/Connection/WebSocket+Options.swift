// SPDX-License-Identifier: Apache-2.0

extension WebSocket {
    /// How a socket is kept, and what a peer may send.
    public struct Options: Sendable {
        /// Default: a ping every 20 seconds.
        public var ping: Ping
        /// The most bytes that a message may have, decoded; a longer one ends the socket with `bodyTooLarge`, and the peer is told 1009.
        /// Default: 16 MiB.
        public var maximumMessageBytes: Int
        /// The most frames that a message may come in, control frames between them counted; more end the socket. Default: 131,072.
        public var maximumFragments = 1 << 17
        /// How many times as large as it came a message may become by decompression, from 1 MiB on. Default: 200.
        public var maximumExpansion = 200
        /// What is offered to the server; `nil` (default): no compression.
        public var compression: Compression?
        /// How long ``WebSocket/close(_:reason:)`` waits for the peer's close. Default: 5 seconds.
        public var closeTimeout: Duration

        public init(
            ping: Ping = .every(.seconds(20)), maximumMessageBytes: Int = 16 << 20, compression: Compression? = nil,
            closeTimeout: Duration = .seconds(5)
        ) {
            self.ping = ping
            self.maximumMessageBytes = maximumMessageBytes
            self.compression = compression
            self.closeTimeout = closeTimeout
        }

        var limits: MessageLimits {
            var limits = MessageLimits()
            limits.bytes = max(0, maximumMessageBytes)
            limits.fragments = max(1, maximumFragments)
            limits.expansion = max(1, maximumExpansion)
            return limits
        }
    }

    /// Whether, and how often, a socket asks whether its peer is there.
    public struct Ping: Hashable, Sendable {
        let interval: Duration?
        let limit: Duration

        /// - `limit`: how long nothing at all may come behind a ping before the peer is taken for dead: the socket ends with `timedOut`. Time
        ///   in which a slow reader holds the peer back does not count. Default: as long as the interval.
        public static func every(_ interval: Duration, within limit: Duration? = nil) -> Ping {
            Ping(interval: interval, limit: limit ?? interval)
        }

        /// The request's `idle` timeout is then the longest silence of the peer.
        public static let never = Ping(interval: nil, limit: .zero)
    }

    /// An offer of compression (permessage-deflate, RFC 7692).
    ///
    /// Each socket then has memory for it, from its first compressed message on: about 2^(bits + 3) bytes to send and 2^bits to
    /// receive. Do not compress secrets together with what an attacker can choose (CRIME, BREACH).
    public struct Compression: Hashable, Sendable {
        /// Of the window by which messages are sent, 8 to 15; the server may ask for less. Default: 12.
        public var clientWindowBits: Int { didSet { clientWindowBits = Self.clamped(clientWindowBits) } }
        /// The most that the server may use, 8 to 15. A server that knows no such limit then uses no compression, or is refused. Default: 15.
        public var serverWindowBits: Int { didSet { serverWindowBits = Self.clamped(serverWindowBits) } }
        /// Whether each message is compressed by itself. Default: no.
        public var resetsClientContext = false
        /// Whether the server is asked to compress each message by itself. Default: no.
        public var resetsServerContext = false
        /// Shorter messages are sent as they are. Default: 64 bytes.
        public var minimumBytes = 64
        /// From 1, the quickest, to 9, the smallest. Default: 6.
        public var level = 6

        public init(clientWindowBits: Int = 12, serverWindowBits: Int = 15) {
            self.clientWindowBits = Self.clamped(clientWindowBits)
            self.serverWindowBits = Self.clamped(serverWindowBits)
        }

        private static func clamped(_ bits: Int) -> Int { min(max(bits, 8), 15) }
    }
}
