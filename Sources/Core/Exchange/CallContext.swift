// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Synchronization

/// What the layers of one call share: the clock, the deadline and the record that grows with each attempt.
///
/// ``NetworkClientProtocol/execute(_:)`` makes one for each call; middleware find it in ``TransportRequest/call``. One that
/// calls `next` again says why before it does:
///
///     request.call?.nextAttempt(.retry(cause: "503", waited: wait))
///     return try await next(request)
public final class CallContext: Sendable {
    /// The client's clock, by which middleware measure and wait.
    public let clock: any NetworkClock
    /// When the call began, by ``clock``.
    public let started: Duration
    /// The client's own server.
    private let home: HomeServer
    /// Whether ``home`` is the origin of the client's base URL, to which credentials can be bound.
    package let hasBaseURL: Bool
    /// The stack that the call goes through.
    @usableFromInline let stack: LayerStack
    /// Of the client; `nil` for a call that none has made.
    private let gate: CallGate?
    private let deadline: Duration?

    private struct State {
        /// Most calls have one attempt, and an array would be one more allocation.
        var first: ExchangeRecord.Attempt?
        var later: [ExchangeRecord.Attempt] = []
        var reason = ExchangeRecord.Reason.first
        var served = ExchangeRecord.Served.network
        var values: [ObjectIdentifier: any Sendable] = [:]
        /// Where redirects and links led, away from the origins at which they began.
        var foreignOrigins: Set<Origin> = []
        var options: CallOptions
        var acceptedStatus: Int?
        var noRetry: ExchangeRecord.NoRetry?
        var waits: [ExchangeRecord.Wait] = []
    }

    private let state: Mutex<State>
    /// How many attempts have begun, for those who ask without the lock.
    private let attempts = Atomic(0)

    /// - `deadline`: the time for the whole call, from now on.
    package convenience init(clock: any NetworkClock = SystemClock(), deadline: Duration? = nil) {
        self.init(clock: clock, deadline: deadline, home: .none)
    }

    package init(
        clock: any NetworkClock, deadline: Duration?, home: HomeServer, hasBaseURL: Bool = false,
        stack: LayerStack = LayerStack(), gate: CallGate? = nil, isAuthenticationExempt: Bool = false
    ) {
        self.clock = clock
        started = clock.now
        self.deadline = deadline
        self.stack = stack
        self.gate = gate
        state = Mutex(State(options: CallOptions(isAuthenticationExempt: isAuthenticationExempt)))
        self.home = home
        self.hasBaseURL = hasBaseURL
    }

    /// Time left until the deadline, negative when it has passed; `nil` when there is none.
    public var remaining: Duration? {
        deadline.map { $0 - (clock.now - started) }
    }

    /// - Throws: ``NetworkClientError/Code-swift.struct/timedOut`` when the deadline has passed.
    package func checkDeadline(of request: TransportRequest) throws(NetworkClientError) {
        if let remaining, remaining <= .zero { throw .timedOut(.deadline, after: request.options.timeouts.deadline) }
    }

    /// A value that lasts as long as the call, over all its attempts and hops: what a layer inside a loop has to remember.
    public subscript<Key: RequestAttributeKey>(_ key: Key.Type) -> Key.Value {
        get { state.withLock { $0.values.value(of: key) } ?? Key.defaultValue }
        // The old value ends outside of the lock.
        set { _ = state.withLock { $0.values.updateValue(newValue, forKey: ObjectIdentifier(key)) } }
    }

    /// The call's value for `key`, made by the first who asks for it. When several ask at the same time, each may make
    /// a value, but all of them get the same one.
    public func value<Key: RequestAttributeKey>(_ key: Key.Type, orMake make: () -> Key.Value) -> Key.Value {
        if let value = state.withLock({ $0.values.value(of: key) }) { return value }
        // Outside of the lock, because `make` may ask for other values of the call.
        let made = make()
        return state.withLock { state in
            if let earlier = state.values.value(of: key) { return earlier }
            state.values[ObjectIdentifier(key)] = made
            return made
        }
    }

    /// Says why the next attempt is made.
    public func nextAttempt(_ reason: ExchangeRecord.Reason) {
        state.withLock { state in
            state.reason = reason
            state.noRetry = nil
        }
    }

    /// Says why a layer that repeats requests does not repeat this one; `nil` when it need not.
    package func endAttempts(_ reason: ExchangeRecord.NoRetry?) {
        state.withLock { $0.noRetry = reason }
    }

    /// Says that the call has waited in a layer of its own client, from `started` (by ``clock``) until now.
    public func noteWait(_ cause: ExchangeRecord.Wait.Cause, since started: Duration) {
        let wait = ExchangeRecord.Wait(
            cause: cause, started: started - self.started, duration: clock.now - started)
        state.withLock { $0.waits.append(wait) }
    }

    /// Calls `action` when the client is drained and the time for that is over, at once if it is already, unless the returned value is
    /// gone before: for waits that no transport ends.
    ///
    /// - Parameter action: gets the error with which the wait is to end.
    package func onWaitsEnd(_ action: @escaping @Sendable (NetworkClientError) -> Void) -> Listening? {
        gate?.onWaitsEnd(action)
    }

    /// Waits before the next attempt.
    ///
    /// - Throws: `CancellationError`; `transportShutDown` when the client is drained, and the time for that is over.
    package func sleep(for duration: Duration) async throws {
        let end = SharedResult<Void>()
        let listening = onWaitsEnd { end.finish(.failure($0)) }
        defer { listening?.end() }
        try await withThrowingTaskGroup(of: Void.self) { [clock] group in
            defer { group.cancelAll() }
            group.addTask { try await clock.sleep(for: duration) }
            group.addTask { try await end.value() }
            try await group.next()
        }
    }

    /// Says that a layer answers without the server, or with its consent. The next attempt takes it back.
    public func noteServed(_ served: ExchangeRecord.Served) {
        state.withLock { $0.served = served }
    }

    /// Where the response came from that was handed up last.
    package var served: ExchangeRecord.Served { state.withLock(\.served) }

    /// A call of its own with the same layers and clock, without a deadline: for what goes on when this one has ended. It
    /// knows the marks of this one, and where redirects led.
    func successor() -> CallContext {
        let successor = CallContext(
            clock: clock, deadline: nil, home: home, hasBaseURL: hasBaseURL, stack: stack, gate: gate)
        let known = state.withLock { $0 }
        successor.state.withLock { state in
            state.foreignOrigins = known.foreignOrigins
            state.options = known.options
        }
        return successor
    }

    /// Why the next attempt will be made, as far as it is known.
    package var nextReason: ExchangeRecord.Reason { state.withLock(\.reason) }

    /// Remembers the options of a request that hold for the whole call.
    @usableFromInline
    func remember(_ options: RequestOptions) {
        state.withLock { $0.options.add(options) }
    }

    /// The options, and in them those that hold for the whole call.
    package func options(with options: RequestOptions) -> RequestOptions {
        state.withLock(\.options).merged(into: options)
    }

    /// The status that a layer has judged acceptable, so that the client's own policy does not matter any more.
    package var acceptedStatus: Int? {
        get { state.withLock(\.acceptedStatus) }
        set { state.withLock { $0.acceptedStatus = newValue } }
    }

    /// Whose server a request goes to. Whatever is meant for one server alone asks here.
    package enum Destination: Sendable {
        /// The client's own server; see ``NetworkConfiguration/homeServer(scheme:authority:options:)``.
        case home
        /// Another, which the caller or a layer has named.
        case other
        /// Another, where a redirect or a link led.
        case foreign
    }

    package func destination(of request: TransportRequest) -> Destination {
        if home.isServer(ofScheme: request.head.scheme, authority: request.head.authority) { return .home }
        let foreign = state.withLock(\.foreignOrigins)
        if foreign.isEmpty { return .other }
        return request.origin.map(foreign.contains) ?? true ? .foreign : .other
    }

    /// Notes that a redirect or a link leads to `origin`, away from the origin at which the request began.
    func markForeign(_ origin: Origin) {
        state.withLock { _ = $0.foreignOrigins.insert(origin) }
    }

    /// What has happened until now.
    public var record: ExchangeRecord {
        let total = clock.now - started
        var record = ExchangeRecord()
        record.total = total
        state.withLock { state in
            if let first = state.first { record.attempts = [first] + state.later }
            record.waits = state.waits
            record.noRetry = state.noRetry
            record.served = state.served
        }
        return record
    }

    /// How many attempts have begun.
    package var attemptCount: Int { attempts.load(ordering: .acquiring) }

    /// The head that was sent last.
    var sentHead: HTTPRequest? {
        state.withLock { ($0.later.last ?? $0.first)?.head }
    }

    // This function, and those for errors, are not inlined: each task that waits for a response would hold the memory
    // for their variables.

    /// Attaches the call to a response that a layer has built itself.
    ///
    /// - Parameter attempts: how many had begun before `request` was handed on.
    @inline(never)
    package func adopt(_ response: inout TransportResponse, for request: TransportRequest, after attempts: Int = 0) {
        guard response.call == nil else { return }
        response.call = self
        response.request = attemptCount > attempts ? sentHead : request.head
    }

    /// What the caller gets: the error with the call's record, unless it has one. An earlier attempt may have been processed though the
    /// last was not.
    @inline(never)
    func finished(_ error: any Error) -> any Error {
        guard var error = error as? NetworkClientError else { return error }
        if error.exchange == nil { error.exchange = record }
        if error.isUnprocessed, !record.attempts.allSatisfy(\.isCertainlyUnprocessed) {
            (error.isUnprocessed, error.wasUnprocessedAtLast) = (false, true)
        }
        return error
    }

    /// Begins an attempt; its number is what the other functions want.
    func beginAttempt(_ request: TransportRequest, transport: String) -> Int {
        let started = clock.now - started
        let head = request.head
        return state.withLock { state in
            let attempt = ExchangeRecord.Attempt(
                reason: state.reason, head: head, started: started, transport: transport)
            state.reason = .other("again")
            state.served = .network
            if state.first == nil { state.first = attempt } else { state.later.append(attempt) }
            attempts.add(1, ordering: .releasing)
            return state.later.count
        }
    }

    func update(_ attempt: Int, _ change: (inout ExchangeRecord.Attempt) -> Void) {
        state.withLock { state in
            if attempt > 0 { state.later[attempt - 1].apply(change) } else { state.first?.apply(change) }
        }
    }

    /// The head of the response to an attempt has arrived.
    func end(_ attempt: Int, with response: TransportResponse) {
        let elapsed = clock.now - started
        let status = response.head.status
        let metrics = response.metrics
        let received = response.body.data?.count ?? 0
        update(attempt) { attempt in
            attempt.status = status
            attempt.metrics = metrics
            attempt.duration = elapsed - attempt.started
            attempt.bytesReceived = Int64(received)
        }
    }

    /// How an attempt failed, on its head or in its body; the error with the record attached.
    @inline(never)
    func fail(_ attempt: Int, _ error: any Error) -> any Error {
        let elapsed = clock.now - started
        update(attempt) { attempt in
            if attempt.duration == nil { attempt.duration = elapsed - attempt.started }
            if let error = error as? NetworkClientError {
                attempt.error = error.code
                attempt.isUnprocessed = error.isUnprocessed
            } else if error is CancellationError {
                attempt.isCancelled = true
            } else {
                attempt.error = .internalFailure
            }
        }
        guard var error = error as? NetworkClientError else { return error }
        error.exchange = record
        return error
    }
}
