// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One request on its way through the cache.
struct CacheExchange: Sendable {
    let cache: CacheMiddleware
    let request: TransportRequest
    let key: CacheKey
    let directives: CacheDirectives
    let clock: any NetworkClock
    let identity: String?
    /// Whether a task in the background makes it, when the call has its answer already.
    var isInBackground = false

    var options: CacheOptions { cache.options }
    var isHead: Bool { request.head.method == .head }

    /// `nil` for what goes past the cache.
    init?(_ request: TransportRequest, cache: CacheMiddleware) {
        // Whoever asks for a connection has no use for a stored response.
        if request.options.upgrade != nil { return nil }
        var parts: [String] = []
        switch request.head.method {
        case .get, .head: guard request.body.isEmpty else { return nil }
        default:
            guard let own = cache.options.key?(request) else { return nil }
            parts.append("\(request.head.method.rawValue) \(Identity.digest(own))")
        }
        var isPlain = true
        var acceptEncoding: String?
        for field in request.head.headerFields {
            switch field.name {
            case .cacheControl: isPlain = false
            case .range, .ifRange, .ifMatch, .ifUnmodifiedSince, .ifNoneMatch, .ifModifiedSince: return nil
            case .acceptEncoding:
                acceptEncoding = [acceptEncoding, field.value].compactMap { $0 }.joined(separator: ",")
            default: break
            }
        }
        directives = isPlain ? .none : CacheDirectives(request.head.headerFields)
        if directives.has("no-store") { return nil }
        identity = Identity.of(request.head, options: request.options)
        if let identity { parts.append("by \(identity)") }
        // A transport decodes a body, or not, by what the request says that it accepts.
        if let acceptEncoding { parts.append("as \(acceptEncoding.filter { $0 != " " }.asciiLowercased)") }
        self.cache = cache
        self.request = request
        clock = request.call?.clock ?? SystemClock()
        key = CacheKey(url: request.url, partition: parts.isEmpty ? "" : parts.joined(separator: "; "))
    }

    func answer(next: Next) async throws -> TransportResponse {
        let entries = await cache.store.entries(for: key)
        guard let entry = Self.latest(of: entries, matching: request.head.headerFields) else {
            await makeRoom(besides: entries)
            return try await ask(.uriMiss, about: nil, next: next)
        }
        let now = clock.date
        switch use(of: entry, at: now) {
        case .fresh:
            return try await serve(entry, as: .hit, at: now, next: next)
        case .stale(let revalidates):
            if revalidates, !isForStoredAlone { revalidateInBackground(entry, next: next) }
            return try await serve(entry, as: .stale, at: now, next: next)
        case .confirmed(let reason):
            return try await ask(reason, about: entry, next: next)
        }
    }

    static func latest(of entries: [CacheEntry], matching request: HTTPFields) -> CacheEntry? {
        var latest: CacheEntry?
        for entry in entries where entry.variation.matches(request) {
            if let known = latest, known.responseTime > entry.responseTime { continue }
            latest = entry
        }
        return latest
    }

    /// Removes the oldest variants when there are many: each is looked at whenever one is wanted, and a server that lets its
    /// responses vary with a field that each request has anew would never be done.
    private func makeRoom(besides entries: [CacheEntry]) async {
        let excess = entries.count - CacheOptions.maximumVariants + 1
        guard excess > 0 else { return }
        for entry in entries.sorted(by: { $0.responseTime < $1.responseTime }).prefix(excess) {
            await cache.store.remove(entry, for: key)
        }
    }

    // MARK: What may be used (RFC 9111 §4)

    enum Use {
        case fresh
        case stale(revalidates: Bool)
        /// Not before the server has confirmed it.
        case confirmed(CacheStatus.Forward)
    }

    func use(of entry: CacheEntry, at now: Date) -> Use {
        let policy = entry.policy
        if let limit = request.options.maximumResponseBytes, entry.body.length > Int64(limit) {
            return .confirmed(.bypass)
        }
        if directives.has("no-cache") { return .confirmed(.request) }
        if policy.isNoCache { return .confirmed(.stale) }
        let (age, lifetime) = (entry.age(at: now), lifetime(of: entry))
        let isFresh = age < lifetime
        if let maximum = directives.seconds("max-age"), age > maximum || maximum == 0 {
            // RFC 8246 §2: reloading does not ask for what does not change.
            if !(maximum == 0 && policy.isImmutable && isFresh) { return .confirmed(.request) }
        }
        if let least = directives.seconds("min-fresh"), lifetime - age < least { return .confirmed(.request) }
        if isFresh { return .fresh }
        if policy.mustRevalidate { return .confirmed(.stale) }
        if directives.has("max-stale") {
            let most = directives.value(of: "max-stale").map { CacheDirectives.seconds($0) ?? 0 } ?? .infinity
            if age - lifetime <= most { return .stale(revalidates: false) }
        }
        return age - lifetime <= policy.staleWhileRevalidate && policy.staleWhileRevalidate > 0
            ? .stale(revalidates: true) : .confirmed(.stale)
    }

    func lifetime(of entry: CacheEntry) -> Double {
        entry.policy.lifetime(withHeuristics: options.usesHeuristics)
    }

    /// Whether an entry may stand in for an answer that the server cannot give (RFC 5861 §4).
    func mayReplaceError(_ entry: CacheEntry, at now: Date) -> Bool {
        let policy = entry.policy
        guard !policy.mustRevalidate, !policy.isNoCache, !directives.has("no-cache") else { return false }
        let allowed = max(
            policy.staleIfError, directives.seconds("stale-if-error") ?? 0, options.staleIfError / .seconds(1))
        return allowed > 0 && entry.age(at: now) - lifetime(of: entry) <= allowed
    }

    // MARK: Answering

    func serve(
        _ entry: CacheEntry, as answer: ExchangeRecord.CacheAnswer, at now: Date, next: Next
    ) async throws -> TransportResponse {
        let body: ResponseBody
        do {
            body = isHead ? ResponseBody() : try entry.body.response()
        } catch {
            // The store has lost it meanwhile.
            await cache.store.remove(entry, for: key)
            return try await ask(.uriMiss, about: nil, next: next)
        }
        var head = entry.head
        let age = entry.age(at: now)
        head.headerFields[.age] = String(Int(min(age, 2_147_483_648)))
        if options.cacheStatusName != nil {
            let ttl = lifetime(of: entry) - age
            CacheStatus(served: answer, ttl: Int(max(min(ttl, 2_147_483_648), -2_147_483_648))).write(
                into: &head, options)
        }
        if !isInBackground { request.call?.noteServed(.cache(answer)) }
        return TransportResponse(head: head, body: body)
    }

    /// Asks the server, unless the request forbids it.
    func ask(_ reason: CacheStatus.Forward, about entry: CacheEntry?, next: Next) async throws -> TransportResponse {
        if isForStoredAlone { return Self.unsatisfied(request, options) }
        if options.collapsesRequests, !isHead, !isInBackground {
            return try await share(reason, about: entry, next: next)
        }
        return try await fetch(reason, about: entry, next: next)
    }

    /// Whether nothing may be asked of the network (§5.2.1.7).
    private var isForStoredAlone: Bool { directives.has("only-if-cached") }

    /// The answer when nothing is stored that may be used.
    static func unsatisfied(_ request: TransportRequest, _ options: CacheOptions) -> TransportResponse {
        request.call?.noteServed(.cache(.unsatisfied))
        var head = HTTPResponse(status: .gatewayTimeout, headerFields: [.contentLength: "0"])
        CacheStatus(served: .unsatisfied).write(into: &head, options)
        return TransportResponse(head: head)
    }

    private func revalidateInBackground(_ entry: CacheEntry, next: Next) {
        guard cache.flights.beginRevalidation(of: key) else { return }
        var exchange = self
        exchange.isInBackground = true
        let next = next.inCallOfItsOwn()
        Task { [exchange] in
            defer { exchange.cache.flights.endRevalidation(of: exchange.key) }
            let response = try await exchange.fetch(.stale, about: entry, next: next)
            // It is stored when it has been read to its end; what is too large is given up.
            try await response.body.drain(upTo: exchange.options.maximumBodyBytes)
        }
    }
}

extension CacheEntry {
    /// How old the response is (§4.2.3), in seconds. Infinitely old when the clock has gone back behind its arrival, for then
    /// nobody knows.
    func age(at now: Date) -> Double {
        let resident = now.timeIntervalSince(responseTime)
        // Clocks are set right by less than that all the time.
        return resident < -60 ? .infinity : policy.initialAge + max(resident, 0)
    }
}

extension CacheDirectives {
    static let none = CacheDirectives([:])
}
