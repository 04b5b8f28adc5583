// SPDX-License-Identifier: Apache-2.0

import Foundation
import Strata
import Synchronization

/// What a visitor sees: one stop for each thing that a client is used for. Copy from here.
struct Tour: Sendable {
    let server: String
    let transport: any NetworkTransport
    let transportName: String

    /// A stop's name, and what it does; the text it returns is what it shows.
    struct Stop: Sendable {
        let name: String
        let visit: @Sendable (Tour) async throws -> String
    }

    static let stops = [
        Stop(name: "GET by a request value", visit: { try await $0.requestValue() }),
        Stop(name: "GET by @API and @GET", visit: { try await $0.macroAPI() }),
        Stop(name: "GET by a request builder", visit: { try await $0.builtRequest() }),
        Stop(name: "GET by a @Rest property", visit: { try await $0.restProperty() }),
        Stop(name: "typed POST", visit: { try await $0.typedPost() }),
        Stop(name: "form", visit: { try await $0.form() }),
        Stop(name: "streamed download", visit: { try await $0.download() }),
        Stop(name: "streamed upload", visit: { try await $0.upload() }),
        Stop(name: "server-sent events", visit: { try await $0.events() }),
        Stop(name: "redirect", visit: { try await $0.redirect() }),
        Stop(name: "retry", visit: { try await $0.retry() }),
        Stop(name: "error with its record", visit: { try await $0.failure() }),
        Stop(name: "cancelled call", visit: { try await $0.cancel() }),
    ]

    func run() async -> [Table.Row] {
        var rows: [Table.Row] = []
        for stop in Self.stops {
            print("\n-- \(stop.name)")
            do {
                print(try await stop.visit(self))
                rows.append(Table.Row(stop: stop.name, transport: transportName, hasPassed: true))
            } catch {
                print("FAILED: \(error)")
                rows.append(Table.Row(stop: stop.name, transport: transportName, hasPassed: false))
            }
        }
        return rows
    }

    /// The client of the tour: a transport, a stack of middleware, and JSON.
    func makeClient() -> NetworkClient {
        NetworkClient(
            configuration: NetworkConfiguration(
                baseURL: URL(string: server), transport: transport,
                middleware: [RetryMiddleware(), UserAgentMiddleware("strata-tour/1.0")]))
    }

    /// What a stop throws when the server saw something else than it should have.
    struct Surprise: Error, CustomStringConvertible {
        let description: String
    }

    private func expect(_ condition: Bool, _ message: String) throws {
        if !condition { throw Surprise(description: message) }
    }

    // MARK: The stops

    struct Echo: Codable {
        var url: String
        var args: [String: String]
        var headers: [String: String]
    }

    /// What each of the four styles shows of the same call.
    func report(_ echo: Echo) throws -> String {
        try expect(echo.args == ["q": "1 + 1"], "the query arrived as \(echo.args)")
        return "GET \(echo.url), sent by \(echo.headers["User-Agent"] ?? "nobody")"
    }

    struct Fruit: Codable, Equatable {
        var name: String
        var size: Int
    }

    private func typedPost() async throws -> String {
        struct Answer: Decodable { var json: Fruit }
        let strawberry = Fruit(name: "strawberry", size: 3)
        let response = try await makeClient().run(
            NetworkRequest<Fruit, Answer>(path: "/post", method: .post, body: strawberry))
        try expect(response.value.json == strawberry, "the server saw \(response.value.json)")
        return "The server understood \(response.value.json) and answered \(response.response.status.code)."
    }

    private func form() async throws -> String {
        struct Answer: Decodable { var form: [String: String] }
        let items = [URLFormItem(name: "user", value: "ada+lovelace"), URLFormItem(name: "motto", value: "a & b = c")]
        let answer = try await makeClient().run(
            NetworkRequest<VoidRequest, Answer>(path: "/post", method: .post, formItems: items)
        ).value
        try expect(answer.form == ["user": "ada+lovelace", "motto": "a & b = c"], "the form arrived as \(answer.form)")
        return "The form arrived as \(answer.form.sorted { $0.key < $1.key }.map { "\($0)=\($1)" })."
    }

    private func download() async throws -> String {
        let size = 8 * 1024 * 1024
        let response = try await makeClient().open(
            NetworkRequest<VoidRequest, Data>(path: "/download/\(size)", method: .get))
        var bar = ProgressBar(label: "down", total: size)
        for try await piece in response.body { bar.advance(by: piece.count) }
        bar.finish()
        try expect(bar.count == size, "only \(bar.count) of \(size) bytes arrived")
        return "\(bar.count / 1024) KiB came in pieces; none of them was kept."
    }

    private func upload() async throws -> String {
        struct Receipt: Decodable { var bytes: Int }
        let (pieces, size) = (128, 64 * 1024)
        let bar = SharedProgressBar(label: "up", total: pieces * size)
        let body = RequestBody.stream(length: Int64(pieces * size)) {
            let count = Mutex(0)
            return AsyncStream<Data>(unfolding: {
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                guard number <= pieces else { return nil }
                bar.advance(by: size)
                return Data(repeating: 0x2e, count: size)
            })
        }
        let receipt = try await makeClient().run(
            NetworkRequest<RequestBody, Receipt>(path: "/upload", method: .post, body: body)
        ).value
        bar.finish()
        try expect(receipt.bytes == pieces * size, "the server counted \(receipt.bytes)")
        return "The server counted \(receipt.bytes / 1024) KiB."
    }

    private func events() async throws -> String {
        let request = NetworkRequest<VoidRequest, VoidResponse>(
            path: "/sse", method: .get,
            queryItems: [URLQueryItem(name: "count", value: "3"), URLQueryItem(name: "interval", value: "10")])
        var seen: [String] = []
        for try await event in try await makeClient().events(for: request) { seen.append(event.data) }
        try expect(seen.count == 3, "\(seen.count) events came")
        return "Three events: \(seen.joined(separator: " "))"
    }

    private func redirect() async throws -> String {
        let response = try await makeClient().run(
            NetworkRequest<VoidRequest, Echo>(path: "/redirect/2", method: .get))
        try expect(response.exchange.attempts.count == 3, "\(response.exchange.attempts.count) exchanges were made")
        return response.exchange.description
    }

    private func retry() async throws -> String {
        var configuration = makeClient().configuration
        configuration.middleware = [RetryMiddleware(maxAttempts: 3, backoff: .constant(.milliseconds(20)))]
        do {
            _ = try await NetworkClient(configuration: configuration).run(
                NetworkRequest<VoidRequest, VoidResponse>(path: "/status/503", method: .get))
        } catch let error as NetworkClientError where error.code == .unacceptableStatus {
            let attempts = error.exchange?.attempts.count ?? 0
            try expect(attempts == 3, "\(attempts) attempts were made")
            return error.exchange?.description ?? ""
        }
        throw Surprise(description: "a 503 passed for success")
    }

    private func failure() async throws -> String {
        do {
            _ = try await makeClient().run(NetworkRequest<VoidRequest, VoidResponse>(path: "/status/418", method: .get))
        } catch let error as NetworkClientError {
            try expect(error.code == .unacceptableStatus, "the code is \(error.code)")
            return "\(error)\n\(error.exchange?.description ?? "")"
        }
        throw Surprise(description: "a 418 passed for success")
    }

    private func cancel() async throws -> String {
        let client = makeClient()
        let call = Task { try await client.run(NetworkRequest<VoidRequest, VoidResponse>(path: "/hang", method: .get)) }
        try await Task.sleep(for: .milliseconds(50))
        let clock = ContinuousClock()
        let cancelled = clock.now
        call.cancel()
        let result = await call.result
        guard case .failure(is CancellationError) = result else {
            throw Surprise(description: "the cancelled call ended as \(result)")
        }
        return
            "The call ended \(cancelled.duration(to: clock.now).formatted(.units(allowed: [.milliseconds]))) after its cancellation."
    }
}
