// SPDX-License-Identifier: Apache-2.0

public import StrataCore
import Synchronization

/// A server that plays bytes, pauses and faults on its connections, and records what it receives. It is for everything
/// that a well-behaved server does not do. It listens on a free port of 127.0.0.1.
///
///     let server = try RawServer.start(script: [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .reset])
///     defer { server.stop() }
///     await #expect(throws: NetworkClientError.self) {
///         try await client.execute(TransportRequest(url: server.url)).body.collect()
///     }
///     #expect(server.log.requests.first?.method == "GET")
///
/// Each connection has a thread of its own that makes blocking calls, so that order and timing are exactly those of the
/// script. A server stops when it is released.
public final class RawServer: Sendable {
    /// What happens on connections beyond the scripts given.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Afterwards: Sendable {
        case repeatLast
        /// Accepted and closed at once.
        case close
    }

    /// The time of ``wait(within:until:)`` has passed.
    public struct WaitedTooLong: Error, DumpedAsDescription {
        public let log: RawLog

        /// Without queries, fields and bodies, as the log has it.
        public var description: String { "waited too long; so far: \(log)" }
    }

    public let port: Int
    private let listener: RawListener

    public var url: String { "http://127.0.0.1:\(port)" }

    /// What has happened so far.
    public var log: RawLog { listener.log }

    /// Bound to its port, and not listening.
    private init() throws {
        let (descriptor, port) = try Socket.bound()
        listener = RawListener(descriptor)
        self.port = port
    }

    deinit { listener.stop() }

    /// Plays one script on every connection.
    public static func start(script: RawScript) throws -> RawServer {
        try start { _ in [script] }
    }

    /// Plays the first script on the first connection, and so on.
    public static func start(scripts: [RawScript], then afterwards: Afterwards = .repeatLast) throws -> RawServer {
        try start(then: afterwards) { _ in scripts }
    }

    /// - `scripts`: Is given the server's URL, for a `Location` that leads back to it.
    public static func start(
        then afterwards: Afterwards = .repeatLast, scripts: (_ url: String) -> [RawScript]
    ) throws -> RawServer {
        let server = try RawServer()
        let scripts = scripts(server.url)
        try server.listener.accept { number in
            if number <= scripts.count { return scripts[number - 1] }
            return afterwards == .repeatLast ? scripts.last ?? [] : []
        }
        return server
    }

    /// Plays a script for each request of a connection, until one closes it. It keeps no log.
    ///
    /// - Parameter answer: is given the request when its head has been read; `nil`: it wants to have its body too, and is asked once more.
    package static func start(
        answering answer: @escaping @Sendable (RawLog.Request) -> RawScript?
    ) throws -> RawServer {
        let server = try RawServer()
        try server.listener.accept(serving: { connection, number in
            let log = Mutex(RawLog())
            var player = ScriptPlayer(connection: connection, number: number) { change in log.withLock { change(&$0) } }
            player.play(answering: answer)
        })
        return server
    }

    /// Speaks HTTP/2 with prior knowledge (RFC 9113 §3.3), and plays the first script on the first stream, whatever
    /// connection it is on, and so on; the last repeats.
    ///
    /// - Parameter settings: what it says of itself first, by the numbers of RFC 9113 §6.5.2.
    static func start(streams scripts: [HTTP2Script], settings: KeyValuePairs<UInt16, UInt32> = [:]) throws -> RawServer
    {
        let server = try RawServer()
        try server.listener.accept(serving: { [listener = server.listener] connection, number in
            let player = HTTP2Player(
                connection: connection, number: number, listener: listener, settings: .settings(settings)
            ) { stream, _ in
                stream <= scripts.count ? scripts[stream - 1] : scripts.last ?? []
            }
            player.serve()
        })
        return server
    }

    /// The same with the script that `answer` gives for a request.
    ///
    /// - Parameter answer: is given the number of the connection, and the frame of the head as it came.
    static func start(
        streamsAnswering answer: @escaping @Sendable (Int, HTTP2Frame) -> HTTP2Script
    ) throws -> RawServer {
        let server = try RawServer()
        try server.listener.accept(serving: { [listener = server.listener] connection, number in
            let player = HTTP2Player(connection: connection, number: number, listener: listener) { _, head in
                answer(number, head)
            }
            player.serve()
        })
        return server
    }

    /// A port where every connection is refused: bound, so that nobody else takes it, and not listening.
    public static func refusing() throws -> RawServer { try RawServer() }

    /// A port that answers no SYN, because the queue of connections is full: connecting goes on until it times out.
    public static func unresponsive() throws -> RawServer {
        let server = try RawServer()
        try server.listener.fillQueue(port: server.port)
        return server
    }

    /// Accepts all clients that are still trying to connect to an ``unresponsive()`` port, and plays `script` on each
    /// connection. The kernel of a client tries again after one second, then after two. Throws when the server answers
    /// already or has stopped.
    package func beginAnswering(script: RawScript) throws {
        try listener.accept { _ in script }
    }

    /// Runs `body` with a server and stops it, whether `body` returns or throws.
    @discardableResult
    public static func withServer<Result>(
        script: RawScript, _ body: (RawServer) async throws -> Result
    ) async throws -> Result {
        let server = try start(script: script)
        defer { server.stop() }
        return try await body(server)
    }

    /// Closes the port and every connection, and ends all scripts. A second call does nothing.
    public func stop() {
        listener.stop()
    }

    /// Waits until the log meets a condition, and returns it.
    ///
    /// - Throws: ``WaitedTooLong`` when it does not in time; `CancellationError` when the waiting task is cancelled.
    @discardableResult
    public func wait(
        within limit: Duration = .seconds(60), until condition: @escaping @Sendable (RawLog) -> Bool
    ) async throws -> RawLog {
        let changes = listener.changes()
        return try await withThrowingTaskGroup(of: RawLog?.self) { group in
            defer { group.cancelAll() }
            group.addTask { [listener] in
                for await _ in changes {
                    let log = listener.log
                    if condition(log) { return log }
                }
                // The changes end by a cancel alone.
                throw CancellationError()
            }
            group.addTask {
                try await Task.sleep(for: limit)
                return nil
            }
            guard let log = try await group.next() ?? nil else { throw WaitedTooLong(log: listener.log) }
            return log
        }
    }
}
