// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension CacheExchange {
    /// Sends the request, conditionally when there is an entry to confirm (RFC 9111 §4.3), and keeps the response.
    ///
    /// - Parameter share: gets the entry that came of it, for others that wait; its body is then read before the response is
    ///   handed out.
    func fetch(
        _ reason: CacheStatus.Forward, about entry: CacheEntry?, next: Next, share: ((CacheEntry) -> Void)? = nil
    ) async throws -> TransportResponse {
        var sent = request
        if let entry, !isHead { sent.head.headerFields.setConditions(of: entry) }
        let pending = PendingEntry(url: key.url, in: cache.flights)
        let requestTime = clock.date
        var response: TransportResponse
        do {
            response = try await next(sent)
        } catch {
            guard let entry, error.meansNoAnswer, mayReplaceError(entry, at: clock.date) else { throw error }
            return try await serve(entry, as: .stale, at: clock.date, next: next)
        }
        let times = (requestTime, clock.date)
        let status = response.head.status.code
        if let entry, !isHead {
            if status == 304, entry.policy.hasValidator {
                guard entry.isMeant(by: response.head.headerFields) else {
                    await response.body.discard()
                    await cache.store.remove(entry, for: key)
                    return try await fetch(reason, about: nil, next: next, share: share)
                }
                return try await freshen(entry, with: response, times: times, pending, share: share, next: next)
            }
            if [500, 502, 503, 504].contains(status), mayReplaceError(entry, at: clock.date) {
                await response.body.discard()
                return try await serve(entry, as: .stale, at: clock.date, next: next)
            }
        }
        var report = CacheStatus(forwarded: reason, status: status)
        if isHead {
            await update(by: response, times: times, pending)
        } else if let plan = plan(for: response, times: times) {
            report.isStored = true
            try await keep(&response, by: plan, pending, share: share)
        } else {
            // What there was is not what the server says now.
            if let entry, status < 500 { await cache.store.remove(entry, for: key) }
            if isInBackground { await response.body.discard() }
        }
        report.write(into: &response.head, options)
        return response
    }

    /// - Returns: whether the entry is stored: not when what it is from has been changed since it was asked for.
    @discardableResult
    private func store(_ entry: CacheEntry, _ pending: PendingEntry) async -> Bool {
        if pending.isOutdated { return false }
        await cache.store.store(entry, for: key)
        // A change that came meanwhile has removed what was not there yet.
        if pending.isOutdated { await cache.store.remove(entry, for: key) }
        return !pending.isOutdated
    }

    // MARK: Confirmed entries

    /// §4.3.4.
    private func freshen(
        _ entry: CacheEntry, with response: TransportResponse, times: (request: Date, response: Date),
        _ pending: PendingEntry, share: ((CacheEntry) -> Void)?, next: Next
    ) async throws -> TransportResponse {
        await response.body.discard()
        var updated = entry.freshened(by: response.head.headerFields, times: times)
        let variation = updated.variation(for: request.head.headerFields, since: entry)
        if variation != entry.variation || updated.policy.isNoStore {
            await cache.store.remove(entry, for: key)
        }
        if let variation, !updated.policy.isNoStore {
            updated = updated.with(variation)
            if await store(updated, pending) { share?(updated) }
        }
        var served = try await serve(updated, as: .revalidated, at: times.response, next: next)
        // Cookies that were set when the response was stored may have been replaced since.
        if !response.head.headerFields.contains(.setCookie) { served.head.headerFields[.setCookie] = nil }
        served.metrics = response.metrics
        return served
    }

    /// A response to HEAD says whether the stored response to GET is still the server's (§4.3.5).
    private func update(
        by response: TransportResponse, times: (request: Date, response: Date), _ pending: PendingEntry
    ) async {
        guard response.head.status.code == 200 else { return }
        let fields = response.head.headerFields
        for entry in await cache.store.entries(for: key) where entry.variation.matches(request.head.headerFields) {
            if entry.isDescribed(by: fields) {
                await store(entry.freshened(by: fields, times: times), pending)
            } else {
                await cache.store.remove(entry, for: key)
            }
        }
    }

    // MARK: New entries

    /// What is stored when the body has arrived.
    struct Plan: Sendable {
        let head: HTTPResponse
        let variation: Variation
        let isPersonal: Bool
        let times: (request: Date, response: Date)

        func entry(_ body: Data) -> CacheEntry {
            CacheEntry(
                head: head, body: CacheBody(body), requestTime: times.request, responseTime: times.response,
                variation: variation, isPersonal: isPersonal)
        }
    }

    /// `nil` for a response that may not be stored (§3), or is not worth it.
    private func plan(for response: TransportResponse, times: (request: Date, response: Date)) -> Plan? {
        var head = response.head
        let status = head.status.code
        guard status >= 200, status != 206, status != 304, isAsSent(response),
            let variation = Variation(of: head.headerFields, request: request.head.headerFields),
            response.body.length.map({ $0 <= Int64(options.maximumBodyBytes) }) ?? true,
            HTTPFields.essence(of: head.headerFields[.contentType]) != "text/event-stream"
        else { return nil }
        let policy = ResponsePolicy(head, requestTime: times.request, responseTime: times.response)
        guard !policy.isNoStore,
            policy.isWorthStoring(
                withHeuristics: options.usesHeuristics, staleIfError: options.staleIfError / .seconds(1))
        else { return nil }
        head.headerFields = head.headerFields.storable.dated(times.response)
        return Plan(
            head: head, variation: variation,
            isPersonal: Identity.isPersonal(request.head, options: request.options), times: times)
    }

    /// Whether the layers further in have sent what the cache has seen: the same credentials, and the same values of the
    /// fields that the response varies with.
    private func isAsSent(_ response: TransportResponse) -> Bool {
        guard let sent = response.request else { return true }
        let options = request.call?.options(with: request.options) ?? request.options
        let fields = response.head.headerFields
        return Identity.of(sent, options: options) == identity
            && sent.absoluteURL == request.url
            && Variation(of: fields, request: sent.headerFields)
                == Variation(of: fields, request: request.head.headerFields)
    }

    private func keep(
        _ response: inout TransportResponse, by plan: Plan, _ pending: PendingEntry, share: ((CacheEntry) -> Void)?
    ) async throws {
        if let data = response.body.data {
            guard data.count <= options.maximumBodyBytes else { return }
            let entry = plan.entry(data)
            if await store(entry, pending) { share?(entry) }
            return
        }
        var recording: RecordingSource?
        response.body = response.body.mapSource(length: response.body.length) { source in
            let source = RecordingSource(source, limit: options.maximumBodyBytes, budget: cache.flights) { body in
                await store(plan.entry(body), pending)
            }
            recording = source
            return source
        }
        if let share, let body = try await recording?.readAhead(), !pending.isOutdated { share(plan.entry(body)) }
    }
}

extension CacheEntry {
    fileprivate func freshened(by fields: HTTPFields, times: (request: Date, response: Date)) -> CacheEntry {
        var stored = head.headerFields
        // These tell of the exchange that the response came from.
        stored[.age] = nil
        stored[.date] = nil
        return updated(
            stored.updated(with: fields).dated(times.response), requestTime: times.request,
            responseTime: times.response)
    }

    /// Whether a 304 is about this entry: when both have an ETag, it is the same one (§4.3.4). Servers that compress make a
    /// strong one weak.
    fileprivate func isMeant(by fields: HTTPFields) -> Bool {
        guard let tag = fields[.eTag], let known = head.headerFields[.eTag] else { return true }
        func opaque(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }
        return opaque(tag) == opaque(known)
    }

    /// What a confirmed entry depends on: what it did, unless the server says other fields now. `nil` for `*`.
    fileprivate func variation(for request: HTTPFields, since entry: CacheEntry) -> Variation? {
        head.headerFields[.vary] == entry.head.headerFields[.vary]
            ? entry.variation : Variation(of: head.headerFields, request: request)
    }

    /// Whether validators and length of a response to HEAD, as far as it has them, are those of the entry.
    fileprivate func isDescribed(by fields: HTTPFields) -> Bool {
        [HTTPField.Name.eTag, .lastModified, .contentLength].allSatisfy { name in
            guard let value = fields[name], let known = head.headerFields[name] else { return true }
            return value == known
        }
    }
}

extension HTTPFields {
    /// RFC 9110 §6.6.1: a response without a date gets that of its arrival.
    fileprivate func dated(_ date: Date) -> HTTPFields {
        guard !contains(.date), let text = HTTPDate.text(of: date) else { return self }
        var fields = self
        fields[.date] = text
        return fields
    }

    fileprivate mutating func setConditions(of entry: CacheEntry) {
        let stored = entry.head.headerFields
        if let tag = stored[fields: .eTag].first { self[fields: .ifNoneMatch] = [tag.renamed(.ifNoneMatch)] }
        if let date = stored[fields: .lastModified].first {
            self[fields: .ifModifiedSince] = [date.renamed(.ifModifiedSince)]
        }
    }
}

extension HTTPField {
    fileprivate func renamed(_ name: HTTPField.Name) -> HTTPField {
        HTTPField(name: name, value: withUnsafeBytesOfValue { Array($0) })
    }
}

extension Error {
    /// Whether no answer could be had: the server, or the way there, is to blame, or a layer that spares the server.
    fileprivate var meansNoAnswer: Bool {
        guard let error = self as? NetworkClientError else { return false }
        let codes: Set<NetworkClientError.Code> = [
            .dnsFailed, .cannotConnect, .tlsFailed, .proxyFailed, .connectionLost, .protocolViolation, .timedOut,
            .circuitOpen, .rateLimited, .concurrencyLimited,
        ]
        return codes.contains(error.code)
    }
}
