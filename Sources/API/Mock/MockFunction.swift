// SPDX-License-Identifier: Apache-2.0

import Logging
public import StrataCore
import Synchronization

/// A function of a generated mock: answers from a script, and remembers what it was called with.
///
///     let api = UsersAPIMock()
///     api.onGetUser.reply(User(id: "johne"))
///     …
///     #expect(api.onGetUser.calls == ["johne"])
///
/// Answers are used in the order in which they were given; the last one repeats until another is given. A call without
/// any answer throws ``MockError``. Several parameters arrive as a tuple with their names.
///
/// The mock calls it by the function's name, `onGetUser`, and beside others of that name by its labels too,
/// `onGetUserId`; where that name is taken, by another or by a requirement without parameters, it is numbered:
/// `onGetUserId2`. What only backticks allow in a name is left out. Types that only the function knows, `T` and `some`,
/// are `Any`. So is a type of a deprecated or unavailable function that has an app's own name in it: that may be
/// deprecated, too.
public final class MockFunction<Arguments, Reply>: Sendable {
    private enum Answer {
        case reply(Reply)
        case failure(any Error)
        case handler((Arguments) async throws -> Reply)
    }

    private struct State {
        var calls: [Arguments] = []
        var answers: [Answer] = []
        /// Whether the only answer left has been given: until there is another.
        var repeats = false

        mutating func add(_ answer: Answer) {
            if repeats { answers.removeAll() }
            repeats = false
            answers.append(answer)
        }
    }

    /// `getUser(id:)`.
    public let name: String
    private let log: MockLog
    private let state = Mutex(Guarded(State()))

    @_documentation(visibility: internal)
    public init(_ name: String, log: MockLog) {
        self.name = name
        self.log = log
    }

    /// What it was called with, in order.
    public var calls: [Arguments] { withState { $0.calls } }

    /// Answers with a value.
    public func reply(_ value: Reply) { withState { $0.add(.reply(value)) } }

    /// Throws an error.
    public func fail(_ error: any Error) { withState { $0.add(.failure(error)) } }

    /// Answers with what a closure makes of the arguments.
    public func perform(_ handler: @escaping (Arguments) async throws -> Reply) {
        withState { $0.add(.handler(handler)) }
    }

    /// Answers as the script says.
    @_documentation(visibility: internal)
    public func callAsFunction(_ arguments: Arguments) async throws -> Reply {
        switch try take(arguments) {
        case .reply(let reply): return reply
        case .failure(let error): throw error
        case .handler(let handler): return try await handler(arguments)
        }
    }

    /// The same for a function whose reply is generic.
    ///
    /// - Throws: ``MockError`` when the scripted reply is of another type.
    @_documentation(visibility: internal)
    public func callAsFunction<Value>(_ arguments: Arguments, as type: Value.Type) async throws -> Value {
        try cast(await self(arguments), as: type)
    }

    /// The same for a function that returns a publisher: a failure is delivered by it.
    @_documentation(visibility: internal)
    public func now(_ arguments: Arguments) -> Reply where Reply: DeferredCall { now(arguments, as: Reply.self) }

    /// The same for a function that returns a generic publisher. A scripted reply of another type is a ``MockError``.
    @_documentation(visibility: internal)
    public func now<Value: DeferredCall>(_ arguments: Arguments, as type: Value.Type) -> Value {
        do {
            switch try take(arguments) {
            case .reply(let reply): return try cast(reply, as: type)
            case .failure(let error): throw error
            case .handler: throw MockError(description: "\(name) returns at once: script it with reply or fail")
            }
        } catch {
            return .deferring { () async throws -> Value.Output in throw error }
        }
    }

    private func cast<Value>(_ reply: Reply, as type: Value.Type) throws -> Value {
        guard let value = reply as? Value else {
            throw MockError(
                description: "the reply to \(name) is a \(Swift.type(of: reply as Any)), and \(type) was asked for")
        }
        return value
    }

    private func take(_ arguments: Arguments) throws -> Answer {
        log.record(name)
        return try withState { state in
            state.calls.append(arguments)
            guard let answer = state.answers.first else {
                throw MockError(description: "\(name) was called, and there is no answer to it")
            }
            if state.answers.count > 1 { state.answers.removeFirst() } else { state.repeats = true }
            return answer
        }
    }

    private func withState<Result>(_ work: (inout State) throws -> Result) rethrows -> Result {
        try state.withLock { state in Guarded(try work(&state.value)) }.value
    }

    /// Arguments and replies need not be `Sendable`: they are a test's own.
    private struct Guarded<Value>: @unchecked Sendable {  // the function only hands them from one side to the other
        var value: Value

        init(_ value: Value) { self.value = value }
    }
}

extension MockFunction where Reply == Void {
    /// Answers at once.
    public func reply() { reply(()) }
}

extension MockFunction {
    /// Answers with a stream of these elements.
    public func stream<Element>(_ elements: Element...) where Reply == AsyncStream<Element> { stream(elements) }

    /// Answers with a stream of these elements.
    public func stream<Element>(_ elements: [Element]) where Reply == AsyncStream<Element> {
        perform { _ in
            var rest = elements[...]
            return StreamPump { rest.popFirst() }.stream(logger: Logger(label: "strata.api.mock"))
        }
    }

    /// Answers with a stream of these elements, which then ends or fails.
    public func stream<Element>(
        _ elements: Element..., failure: (any Error)? = nil
    ) where Reply == APIStream<Element> { stream(elements, failure: failure) }

    /// Answers with a stream of these elements, which then ends or fails.
    public func stream<Element>(
        _ elements: [Element], failure: (any Error)? = nil
    ) where Reply == APIStream<Element> { perform { _ in APIStream(StreamPump(elements, failure: failure)) } }

    /// Answers with a stream of these elements, which then ends or fails.
    public func stream<Element>(
        _ elements: Element..., failure: (any Error)? = nil
    ) where Reply == AsyncThrowingStream<Element, any Error> { stream(elements, failure: failure) }

    /// Answers with a stream of these elements, which then ends or fails.
    public func stream<Element>(
        _ elements: [Element], failure: (any Error)? = nil
    ) where Reply == AsyncThrowingStream<Element, any Error> {
        perform { _ in StreamPump(elements, failure: failure).throwingStream() }
    }
}

extension StreamPump {
    fileprivate convenience init(_ elements: [Element], failure: (any Error)?) {
        var rest = elements[...]
        self.init {
            if let element = rest.popFirst() { return element }
            if let failure { throw failure }
            return nil
        }
    }
}
