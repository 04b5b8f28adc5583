// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import Synchronization

/// Which entries of a cassette are still to be used, and which requests none fitted.
final class CassettePlayer: Sendable {
    private struct State {
        /// By method and path: the entries that are unused, in order.
        var unused: [Key: [Int]] = [:]
        var used: Set<Int> = []
        var unmatched: [String] = []
        var sockets: [(entry: Int, socket: ReplaySocket)] = []
    }

    /// Matchers may ignore the origin, and all compare the path or nothing of the URL.
    private struct Key: Hashable {
        let method: String
        let path: String

        init(_ method: String, url: String) {
            self.method = method
            let rest = url[(url.startOfAuthority ?? url.startIndex)...]
            let target = rest.firstIndex { "/?#".contains($0) }.map { rest[$0...] } ?? "/"
            path = String(target.prefix { $0 != "?" && $0 != "#" })
        }
    }

    private let cassette: Cassette
    private let matching: [RequestMatcher]
    /// The places of the entries that this player may use.
    private let own: [Int]
    /// Whether an entry of another path can fit.
    private let comparesAll: Bool
    private let state: Mutex<State>

    /// - Parameter test: only its entries are used, where the cassette has entries of several tests.
    init(_ cassette: Cassette, matching: [RequestMatcher], test: String?) {
        self.cassette = cassette
        self.matching = matching
        comparesAll = !matching.contains { $0.comparesPath } || !matching.contains { $0.comparesMethod }
        let isShared = test != nil && cassette.isShared
        own = cassette.entries.indices.filter { index in
            let entry = cassette.entries[index]
            return entry.isReplayable && (!isShared || entry.test == nil || entry.test == test)
        }
        var unused: [Key: [Int]] = [:]
        if !comparesAll {
            for index in own {
                let entry = cassette.entries[index]
                unused[Key(entry.method.rawValue, url: entry.url), default: []].append(index)
            }
        }
        state = Mutex(State(unused: unused))
    }

    var unused: [Cassette.Entry] {
        let used = state.withLock(\.used)
        return own.filter { !used.contains($0) }.map { cassette.entries[$0] }
    }

    /// The numbers of the entries that were used.
    var used: Set<Int> { Set(state.withLock(\.used).map { cassette.entries[$0].number }) }

    /// The entry that answers.
    ///
    /// - Throws: `unsupportedByTransport` when there is none.
    func take(_ asked: AskedRequest) throws -> Cassette.Entry {
        let keys = [asked.recorded.url, asked.originalURL].map { Key(asked.recorded.method.rawValue, url: $0) }
        return try state.withLock { state in
            if let index = candidates(keys, state).first(where: { differences(asked, $0).isEmpty }) {
                state.used.insert(index)
                for key in keys { state.unused[key]?.removeAll { $0 == index } }
                return cassette.entries[index]
            }
            let message = unmatched(asked, state.used)
            state.unmatched.append(message)
            throw NetworkClientError(
                .unsupportedByTransport, message, cause: CassetteError(.unmatched, cassette.name, message))
        }
    }

    /// What the client of a WebSocket has done that was not recorded.
    func unmatched(_ what: String, in entry: Cassette.Entry) -> NetworkClientError {
        let message = "the socket of entry \(entry.number) of \(cassette.name), \(FieldMasks.url(entry.url)): \(what)"
        state.withLock { $0.unmatched.append(message) }
        return NetworkClientError(
            .unsupportedByTransport, message,
            cause: CassetteError(.unmatched, cassette.name, entry: entry.number, message))
    }

    func add(_ socket: ReplaySocket, of entry: Cassette.Entry) {
        state.withLock { $0.sockets.append((entry.number, socket)) }
    }

    private func candidates(_ keys: [Key], _ state: State) -> [Int] {
        if comparesAll { return own.filter { !state.used.contains($0) } }
        let first = state.unused[keys[0]] ?? []
        if keys[0] == keys[1] { return first }
        return (first + (state.unused[keys[1]] ?? [])).sorted()
    }

    private func differences(_ asked: AskedRequest, _ index: Int) -> [String] {
        let recorded = asked.masked(cassette.entries[index])
        return matching.compactMap { $0.difference(recorded, asked) }
    }

    /// How many entries an error names.
    private static let named = 3

    private func unmatched(_ asked: AskedRequest, _ used: Set<Int>) -> String {
        let request = "\(asked.recorded.method.rawValue) \(asked.recorded.url)"
        let intro = "no unused entry of \(cassette.name) fits \(request)"
        let cut = cassette.isCutOff ? ". The file ends within an entry: it was recorded up to there" : ""
        guard !own.isEmpty else { return "\(intro): it has no entries\(cut)" }
        let best = nearest(asked).map { (index: $0, differences: differences(asked, $0)) }
            .sorted { $0.differences.count < $1.differences.count }
        let lines = best.prefix(Self.named).map { candidate in
            let entry = cassette.entries[candidate.index]
            let differences =
                candidate.differences + (used.contains(candidate.index) ? ["it has been used already"] : [])
            return "entry \(entry.number), \(entry.method.rawValue) \(asked.masked(entry).recorded.url): "
                + differences.joined(separator: ", ")
        }
        return "\(intro). Nearest: \(lines.joined(separator: "; "))\(cut)"
    }

    /// The entries whose URLs are like that of the request, the nearest first.
    private func nearest(_ asked: AskedRequest) -> [Int] {
        let (url, path) = (asked.recorded.url, asked.recorded.path)
        let likeness = own.map { index in
            let entry = cassette.entries[index]
            return (index: index, value: Self.common(entry.url, url) + (entry.url.contains(path) ? 1 << 20 : 0))
        }
        let sorted = likeness.sorted { one, two in
            one.value == two.value ? one.index < two.index : one.value > two.value
        }
        return sorted.prefix(50).map(\.index)
    }

    /// How many bytes two texts begin with alike.
    private static func common(_ one: String, _ other: String) -> Int {
        zip(one.utf8, other.utf8).prefix { $0 == $1 }.count
    }

    /// - Throws: ``CassetteError``.
    func verify(allowsUnused: Bool) throws {
        let unmatched = state.withLock(\.unmatched)
        if let first = unmatched.first {
            let more = unmatched.count > 1 ? " (and \(unmatched.count - 1) more such)" : ""
            throw CassetteError(.unmatched, cassette.name, first + more)
        }
        try verifySent(allowsUnsent: allowsUnused)
        try verifyUnused(allowsUnused: allowsUnused, besides: [])
    }

    /// - Throws: ``CassetteError`` when a client of a WebSocket has sent less than was recorded.
    func verifySent(allowsUnsent: Bool) throws {
        let unsent = state.withLock(\.sockets).map { (entry: $0.entry, count: $0.socket.unsent) }
        guard !allowsUnsent, let first = unsent.first(where: { $0.count > 0 }) else { return }
        throw CassetteError(
            .unused, cassette.name, entry: first.entry,
            "the client of entry \(first.entry) has not sent \(first.count) of its recorded messages")
    }

    /// - Parameter usedElsewhere: the numbers of entries that others have used.
    /// - Throws: ``CassetteError``.
    func verifyUnused(allowsUnused: Bool, besides usedElsewhere: Set<Int>) throws {
        let unused = unused.filter { !usedElsewhere.contains($0.number) }
        guard !allowsUnused, let first = unused.first else { return }
        let named = unused.prefix(5).map { "entry \($0.number), \($0.method.rawValue) \(FieldMasks.url($0.url))" }
        let more = unused.count > named.count ? ", and \(unused.count - named.count) more" : ""
        throw CassetteError(
            .unused, cassette.name, entry: first.number, "no request asked for \(named.joined(separator: "; "))\(more)")
    }
}

extension Cassette {
    /// Whether several tests have recorded to it.
    fileprivate var isShared: Bool { Set(entries.map(\.test)).count > 1 }
}

extension Cassette.Entry {
    /// Whether a request can ask for it. Browsers list URLs of other schemes too.
    fileprivate var isReplayable: Bool {
        let scheme = urlOverHTTP.prefix { $0 != ":" }.lowercased()
        return (scheme == "http" || scheme == "https") && url.startOfAuthority != nil
    }
}

extension String {
    /// Where the authority of an absolute URL begins.
    fileprivate var startOfAuthority: Index? {
        guard let colon = firstIndex(of: ":"), self[colon...].hasPrefix("://") else { return nil }
        return index(colon, offsetBy: 3)
    }
}
