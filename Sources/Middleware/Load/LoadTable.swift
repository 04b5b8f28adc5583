// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

/// What is remembered of the members of a ``LoadScope``, in places whose numbers stay the same while they are in use.
struct LoadTable<Value: LoadEntry> {
    private enum Key: Hashable {
        case all
        case origin(Origin)
        case name(String)
    }

    private let scope: LoadScope
    private let new: Value
    private let capacity: Int
    /// Above it, some are forgotten. Higher than the capacity while many are in use: so the search does not come with each new key.
    private var mostPlaces: Int
    private var values: [Value] = []
    /// `nil` for a place that is free.
    private var keys: [Key?] = []
    private var lastUses: [UInt64] = []
    private var places: [Key: Int] = [:]
    private var free: [Int] = []
    private var uses: UInt64 = 0
    /// The place that was asked for last, and for which request.
    private var recent = 0
    private var recentScheme: String?
    private var recentAuthority: String?
    private var recentKey: String?

    init(_ scope: LoadScope, new: Value, capacity: Int = 1024) {
        self.scope = scope
        self.new = new
        self.capacity = capacity
        mostPlaces = capacity
    }

    var all: some Sequence<Value> { places.values.lazy.map { values[$0] } }

    /// Those of origins with the same host and port.
    func all(ofServer server: Origin) -> some Sequence<Value> {
        places.lazy.compactMap { key, place in
            guard case .origin(let origin) = key, origin.host == server.host, origin.port == server.port else {
                return nil
            }
            return values[place]
        }
    }

    mutating func changeAll(_ change: (inout Value) -> Void) {
        for place in places.values { change(&values[place]) }
    }

    subscript(place: Int) -> Value {
        _read { yield values[place] }
        _modify { yield &values[place] }
    }

    /// - Parameter key: by ``LoadScope/key(of:)``.
    mutating func place(of request: TransportRequest, key: String?) -> Int {
        uses += 1
        // Most often it is the place of the request before, and no origin need be parsed.
        let isRecent =
            switch scope.kind {
            case .client: true
            case .origin: request.head.authority == recentAuthority && request.head.scheme == recentScheme
            case .key: key == recentKey
            }
        if values.isEmpty || !isRecent {
            recent = find(self.key(of: request, key))
            (recentScheme, recentAuthority, recentKey) = (request.head.scheme, request.head.authority, key)
        }
        lastUses[recent] = uses
        return recent
    }

    /// Requests without an origin fail before they are sent.
    private func key(of request: TransportRequest, _ key: String?) -> Key {
        switch scope.kind {
        case .client: .all
        case .origin: request.origin.map { .origin($0) } ?? .all
        case .key: .name(key ?? "")
        }
    }

    private mutating func find(_ key: Key) -> Int {
        if let place = places[key] { return place }
        if places.count >= mostPlaces { forgetIdle() }
        if let place = free.popLast() {
            (values[place], keys[place]) = (new, key)
            places[key] = place
            return place
        }
        values.append(new)
        keys.append(key)
        lastUses.append(uses)
        places[key] = values.count - 1
        return values.count - 1
    }

    /// Forgets half of what is idle, the longest unused first, and last what is worth keeping.
    private mutating func forgetIdle() {
        let idle = places.values.filter { values[$0].isIdle }.sorted { left, right in
            let (isWorthLeft, isWorthRight) = (values[left].isWorthKeeping, values[right].isWorthKeeping)
            return isWorthLeft == isWorthRight ? lastUses[left] < lastUses[right] : isWorthRight
        }
        mostPlaces = max(capacity, 2 * (places.count - idle.count))
        for place in idle.prefix((idle.count + 1) / 2) {
            if let key = keys[place] { places[key] = nil }
            (values[place], keys[place]) = (new, nil)
            free.append(place)
        }
    }
}

/// What a ``LoadTable`` keeps for each key.
protocol LoadEntry {
    /// Whether nothing is under way, so that it may be forgotten.
    var isIdle: Bool { get }
    /// Whether it is forgotten only after all that are not.
    var isWorthKeeping: Bool { get }
}

extension LoadEntry {
    var isWorthKeeping: Bool { false }
}
