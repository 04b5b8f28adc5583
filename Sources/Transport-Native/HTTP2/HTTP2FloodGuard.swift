// SPDX-License-Identifier: Apache-2.0

/// Counts frames that carry nothing to any request, and tells when there are too many of them (RFC 9113 §10.5).
///
/// Each takes from an allowance, which what is useful and the passing of time give back. So a peer that asks for signs of life,
/// or opens windows while much is sent, is no flood.
struct HTTP2FloodGuard {
    enum Kind: Int, CaseIterable {
        case emptyData, headers, priority, reset, settings, push, ping, goAway, windowUpdate, continuation, unknown

        /// As an error names it.
        var name: String {
            switch self {
            case .emptyData: "empty DATA"
            case .headers: "HEADERS"
            case .priority: "PRIORITY"
            case .reset: "RST_STREAM"
            case .settings: "SETTINGS"
            case .push: "PUSH_PROMISE"
            case .ping: "PING"
            case .goAway: "GOAWAY"
            case .windowUpdate: "WINDOW_UPDATE"
            case .continuation: "CONTINUATION"
            case .unknown: "unknown"
            }
        }

        /// - Parameter type: of a frame (RFC 9113 §6).
        init(type: UInt8) { self = Kind(rawValue: Int(type)) ?? .unknown }
    }

    /// How many may come at once, and how many come to be allowed in a second.
    static let burst = 2000
    static let perSecond: UInt64 = 200

    private var total = 0
    private var counts = [Int](repeating: 0, count: Kind.allCases.count)
    private var seen: UInt64 = 0

    /// A frame has come that carries nothing.
    ///
    /// - Returns: what the flood consists of, when it is one.
    mutating func note(_ kind: Kind, now: UInt64) -> Kind? {
        if total == 0 { seen = now }
        let back = (now - min(now, seen)) / (1_000_000_000 / Self.perSecond)
        if back > 0 {
            earn(Int(clamping: back))
            seen = now
        }
        total += 1
        counts[kind.rawValue] += 1
        guard total > Self.burst else { return nil }
        return Kind.allCases.max { counts[$0.rawValue] < counts[$1.rawValue] }
    }

    /// Something useful has come, or has been sent.
    mutating func earn(_ count: Int) {
        guard total > 0 else { return }
        total = max(0, total - count)
        if total == 0 { for index in counts.indices { counts[index] = 0 } }
    }
}
