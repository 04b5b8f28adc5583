// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import Synchronization

/// The routes of one transport, and what came of them.
final class RouteTable: Sendable {
    private let routes: [Route]
    private let problem: String?
    private let unmatched: RoutedTransport.Unmatched
    private let strays = Mutex<[RecordedRequest]>([])

    init(_ routes: Routes, _ unmatched: RoutedTransport.Unmatched) {
        // Those that come first are tried first; a sort that keeps the order among equals.
        self.routes = routes.all.enumerated().sorted { one, two in
            if one.element.pattern.isMoreSpecific(than: two.element.pattern) { return true }
            if two.element.pattern.isMoreSpecific(than: one.element.pattern) { return false }
            return one.offset < two.offset
        }.map(\.element)
        problem = routes.problem
        self.unmatched = unmatched
    }

    func answer(_ request: RecordedRequest) async throws -> ScriptedReply {
        if let problem { throw NetworkClientError(.internalFailure, problem, cause: RouteError(description: problem)) }
        guard let (route, parameters) = route(for: request) else { return try await answerUnmatched(request) }
        route.calls.increment()
        return try await route.handler(RoutedRequest(request: request, parameters: parameters))
    }

    private func route(for request: RecordedRequest) -> (Route, [String: String])? {
        let fitting = routes.lazy.compactMap { route in
            route.pattern.parameters(in: request.head).map { (route, $0) }
        }
        let methods: [HTTPMethod?] = request.method == .head ? [.head, .get, nil] : [request.method, nil]
        for method in methods {
            if let found = fitting.first(where: { $0.0.method == method }) { return found }
        }
        return nil
    }

    private func answerUnmatched(_ request: RecordedRequest) async throws -> ScriptedReply {
        strays.withLock { $0.append(request) }
        let allowed = Set(
            routes.filter { $0.pattern.parameters(in: request.head) != nil }.compactMap { $0.method?.rawValue }
        ).sorted()
        switch unmatched.kind {
        case .reply(let answer): return try await answer(request)
        case .notFound where allowed.isEmpty: return .status(404)
        case .notFound: return .status(405, fields: [.allow: allowed.joined(separator: ", ")])
        case .fail:
            let message = message(for: request, allowed)
            throw NetworkClientError(.unsupportedByTransport, message, cause: RouteError(description: message))
        }
    }

    private func message(for request: RecordedRequest, _ allowed: [String]) -> String {
        let name = "\(request.method.rawValue) \(request.head.urlWithoutQuery)"
        guard allowed.isEmpty else {
            return "no route for \(name): the path has routes for \(allowed.joined(separator: ", ")) alone"
        }
        if routes.isEmpty { return "no route for \(name): there are no routes" }
        return "no route for \(name); there are \(routes.map(\.name).joined(separator: ", "))"
    }

    func count(_ method: HTTPMethod, _ template: String) -> Int {
        let exact = routes.filter { $0.method == method && $0.template == template }
        let found = exact.isEmpty ? routes.filter { $0.method == nil && $0.template == template } : exact
        return found.reduce(0) { $0 + $1.calls.count }
    }

    var unused: [String] { routes.filter { $0.calls.count == 0 }.map(\.name) }

    var unmatchedRequests: [RecordedRequest] { strays.withLock { $0 } }

    func verify() throws {
        if let problem { throw RouteError(description: problem) }
        if case .fail = unmatched.kind, let stray = unmatchedRequests.first {
            throw RouteError(description: message(for: stray, []))
        }
        guard unused.isEmpty else {
            throw RouteError(description: "no request came to \(unused.joined(separator: ", "))")
        }
    }
}
