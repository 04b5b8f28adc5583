// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataAuthentication
import StrataCache
import StrataCore
import StrataEncoding
import StrataMiddleware
import StrataStreaming
import StrataTesting
import Synchronization

extension WireCase {
    /// Carries out the requests with one client, whose options are those of the first.
    func run(over kind: WireTransport, at layer: WireLayer, heuristics: Bool) async -> [WireResult] {
        guard let first = requests.first else { return [] }
        let transport = kind.make(first.options)
        let client =
            layer == .client
            ? first.makeClient(transport, heuristics: heuristics) : first.makeBareClient(transport)
        var results: [WireResult] = []
        for request in requests {
            if let wait = request.wait_ms_before { try? await Task.sleep(for: .milliseconds(wait)) }
            if request.sse == true {
                results.append(await request.readEvents(client))
            } else if request.paginate == "link", layer == .client {
                results += await request.sendPages(client)
            } else {
                results += await request.send(client, at: layer)
            }
        }
        await transport.shutdown()
        return results
    }
}

extension WireRequest {
    private var timeout: Duration { .milliseconds(options?.timeout_ms ?? 3000) }

    private func configuration(_ transport: any NetworkTransport) -> NetworkConfiguration {
        NetworkConfiguration(baseURL: URL(string: url), transport: transport)
    }

    func makeBareClient(_ transport: any NetworkTransport) -> NetworkClient {
        NetworkClient(configuration: configuration(transport))
    }

    /// The stack that the options ask for.
    func makeClient(_ transport: any NetworkTransport, heuristics: Bool) -> NetworkClient {
        var configuration = configuration(transport)
        if let retry = options?.retry {
            var middleware = RetryMiddleware(
                maxAttempts: retry.max_attempts,
                backoff: Backoff(
                    base: .milliseconds(retry.base_ms), factor: retry.factor ?? 2, maximum: .milliseconds(retry.max_ms),
                    jitter: .none),
                budget: nil)
            if let limit = retry.max_retry_after_ms { middleware.retryAfter = .upTo(.milliseconds(limit)) }
            configuration.middleware.append(middleware)
        }
        if let bearer = options?.bearer, let tokenURL = URL(string: bearer.token_url) {
            var endpoint = OAuthTokenEndpoint(url: tokenURL, clientID: "wire", client: makeBareClient(transport))
            endpoint.timeouts = Timeouts(connect: timeout, idle: timeout)
            let credential = Credential(token: bearer.access_token, refreshToken: bearer.refresh_token)
            let store = CredentialStore(credential, source: endpoint.refreshToken())
            configuration.middleware.append(BearerAuthMiddleware(store))
        }
        if let user = options?.user, let password = options?.password {
            configuration.middleware.append(
                options?.auth == "digest"
                    ? DigestAuthMiddleware(username: user, password: password)
                    : BasicAuthMiddleware(username: user, password: password))
        }
        if options?.cache == true {
            var options = CacheOptions()
            options.usesHeuristics = heuristics
            configuration.middleware.append(CacheMiddleware(options: options))
        }
        return NetworkClient(configuration: configuration)
    }

    /// - Throws: what is wrong with the request, before anything is sent.
    private func makeTransportRequest(at layer: WireLayer) throws -> TransportRequest {
        guard let method = HTTPMethod(method) else {
            throw NetworkClientError(.invalidRequest, "the method is not a token")
        }
        var fields = HTTPFields()
        for pair in headers { try fields.addValue(pair[1], forName: pair[0]) }
        // Fetch §4.6, step 8.16.
        if options?.fetch_cache == "no-cache", fields[.cacheControl] == nil { fields[.cacheControl] = "max-age=0" }
        var values = RequestOptions()
        values.timeouts = Timeouts(
            connect: timeout, idle: timeout, deadline: options?.total_timeout_ms.map { .milliseconds($0) })
        values.maximumResponseBytes = 32 * 1024 * 1024
        let follows = layer == .client && options?.follow_redirects != false
        values.redirects.limit = follows ? options?.max_redirects ?? 20 : 0
        return try TransportRequest(method: method, url: url, headerFields: fields, body: body, options: values)
    }

    private var body: RequestBody {
        if let chunks = body_chunks {
            return .stream(length: body_length, isReplayable: true) { PiecesSource(chunks.map { Data($0.utf8) }) }
        }
        if let repeated = body_repeat {
            return .data(Data(String(repeating: repeated.text, count: repeated.count).utf8))
        }
        return body_b64.flatMap { Data(base64Encoded: $0) }.map { .data($0) } ?? .empty
    }

    func send(_ client: NetworkClient, at layer: WireLayer) async -> [WireResult] {
        await withTaskGroup(of: WireResult.self) { group in
            for _ in 0..<max(options?.parallel ?? 1, 1) { group.addTask { await sendOnce(client, at: layer) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// Sends the request, and those for the pages after it.
    func sendPages(_ client: NetworkClient) async -> [WireResult] {
        var results: [WireResult] = []
        var page: WireRequest? = self
        while let request = page {
            var next: String?
            results.append(await request.sendOnce(client, at: .client) { next = $0 })
            page = next.map { url in
                var request = request
                request.url = url
                return request
            }
            // A circle has no end.
            if results.count == 100 { break }
        }
        return results
    }

    /// - Parameter next: gets the URL of the next page, when the answer names one at the same origin: what the request carries
    ///   is not for others.
    private func sendOnce(
        _ client: NetworkClient, at layer: WireLayer, next: (String) -> Void = { _ in }
    ) async -> WireResult {
        do {
            let interim = InterimLog()
            var request = try makeTransportRequest(at: layer)
            if client.configuration.transport.capabilities.features.contains(.interimResponses) {
                request.options.onInterim = { interim.add($0) }
            }
            let response = try await client.execute(request)
            if let link = LinkField(of: response.head)["next"]?.target, let here = URL(string: response.url ?? url),
                let page = URL(string: link, relativeTo: here)?.absoluteURL, Origin(page) == Origin(here)
            {
                next(page.absoluteString)
            }
            let body = try await response.body.collect()
            let redirects = response.exchange.attempts.filter {
                if case .redirect = $0.reason { true } else { false }
            }
            return .success(
                WireResult.Success(
                    status: response.head.status.code, headers: response.head.headerFields.pairs, body: body,
                    url: response.url ?? url, redirects: redirects.count, interim: interim.statuses,
                    trailers: try await response.trailers.pairs))
        } catch {
            let failure = WireFailure(error)
            return .failure(kind: failure.kind, message: failure.message)
        }
    }

    /// Reads events until there are enough, or the time is up.
    func readEvents(_ client: NetworkClient) async -> WireResult {
        let log = EventLog()
        do {
            let built = try makeTransportRequest(at: .client)
            let idle = Duration.milliseconds(options?.idle_timeout_ms ?? 60_000)
            let request = NetworkRequest<RequestBody, VoidResponse>(
                path: url, method: built.head.method, body: built.body.isEmpty ? nil : built.body,
                headerFields: built.head.headerFields
            ) {
                $0 = built.options
                $0.timeouts.idle = idle
            }
            var policy = ReconnectionPolicy()
            policy.initialDelay = .milliseconds(options?.initial_retry_ms ?? 3000)
            policy.jitter = 0
            if options?.reconnect == false { policy.scope = .never }
            policy.onReconnect = { reconnection in
                if let cause = reconnection.cause { log.add(cause) }
            }
            let source = try client.eventSource(for: request, lastEventID: last_event_id, reconnection: policy)
            let stop = Task {
                try await Task.sleep(for: .milliseconds(options?.stop_after_ms ?? 2000))
                source.close()
            }
            defer { stop.cancel() }
            for try await event in source where log.add(event) >= options?.max_events ?? .max { break }
            source.close()
        } catch {
            log.add(error)
        }
        return .events(log.events, errors: log.errors)
    }
}

/// What came before a response.
private final class InterimLog: Sendable {
    private let codes = Mutex<[Int]>([])

    var statuses: [Int] { codes.withLock { $0 } }
    func add(_ head: HTTPResponse) { codes.withLock { $0.append(head.status.code) } }
}

extension HTTPFields {
    /// Names, and the values' bytes, one character each, as the vectors write them.
    fileprivate var pairs: [[String]] {
        map { field in
            let value = field.withUnsafeBytesOfValue { bytes in
                String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
            }
            return [field.name.rawName, value]
        }
    }
}
