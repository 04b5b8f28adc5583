// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StrataCore
import Synchronization

/// The routes of a ``RoutedTransport``, while it is made.
public struct Routes: Sendable {
    public typealias Handler = @Sendable (RoutedRequest) async throws -> ScriptedReply

    var all: [Route] = []
    /// What is wrong with a template; every request fails with it.
    var problem: String?

    /// The route of several methods.
    ///
    /// - `methods`: Empty: every method.
    public mutating func on(_ methods: [HTTPMethod], _ template: String, _ handler: @escaping Handler) {
        do {
            let pattern = try RoutePattern(template)
            let keys: [HTTPMethod?] = methods.isEmpty ? [nil] : methods
            for method in keys {
                all.removeAll { $0.method == method && $0.pattern.shape == pattern.shape }
                all.append(Route(method: method, template: template, pattern: pattern, handler: handler))
            }
        } catch {
            problem = problem ?? error.description
        }
    }

    /// The same with replies in order, of which the last repeats.
    public mutating func on(_ methods: [HTTPMethod], _ template: String, _ replies: ScriptedReply...) {
        on(methods, template, Self.inOrder(replies))
    }

    private static func inOrder(_ replies: [ScriptedReply]) -> Handler {
        let next = Counter()
        return { _ in replies.isEmpty ? .status(200) : replies[min(next.increment(), replies.count - 1)] }
    }

    public mutating func get(_ template: String, _ handler: @escaping Handler) { on([.get], template, handler) }
    public mutating func get(_ template: String, _ replies: ScriptedReply...) {
        on([.get], template, Self.inOrder(replies))
    }
    public mutating func post(_ template: String, _ handler: @escaping Handler) { on([.post], template, handler) }
    public mutating func post(_ template: String, _ replies: ScriptedReply...) {
        on([.post], template, Self.inOrder(replies))
    }
    public mutating func put(_ template: String, _ handler: @escaping Handler) { on([.put], template, handler) }
    public mutating func put(_ template: String, _ replies: ScriptedReply...) {
        on([.put], template, Self.inOrder(replies))
    }
    public mutating func patch(_ template: String, _ handler: @escaping Handler) { on([.patch], template, handler) }
    public mutating func patch(_ template: String, _ replies: ScriptedReply...) {
        on([.patch], template, Self.inOrder(replies))
    }
    public mutating func delete(_ template: String, _ handler: @escaping Handler) { on([.delete], template, handler) }
    public mutating func delete(_ template: String, _ replies: ScriptedReply...) {
        on([.delete], template, Self.inOrder(replies))
    }
    public mutating func head(_ template: String, _ handler: @escaping Handler) { on([.head], template, handler) }
    public mutating func options(_ template: String, _ handler: @escaping Handler) { on([.options], template, handler) }
    /// The route of every method that has none of its own.
    public mutating func any(_ template: String, _ handler: @escaping Handler) { on([], template, handler) }
}

/// A method and a template, with what answers.
struct Route: Sendable {
    /// `nil`: every method.
    let method: HTTPMethod?
    let template: String
    let pattern: RoutePattern
    let handler: Routes.Handler
    let calls = Counter()

    var name: String { "\(method?.rawValue ?? "any method") \(template)" }
}

/// Counts from 0.
final class Counter: Sendable {
    private let value = Mutex(0)

    var count: Int { value.withLock { $0 } }

    /// - Returns: what it was before.
    @discardableResult
    func increment() -> Int {
        value.withLock { value in
            defer { value += 1 }
            return value
        }
    }
}
