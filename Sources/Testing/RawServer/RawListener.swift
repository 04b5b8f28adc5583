// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Synchronization

/// The socket of a ``RawServer``, its threads and its log.
final class RawListener: Sendable {
    private struct State {
        var log = RawLog()
        var connections: [Int: SocketConnection] = [:]
        var observers: [Int: AsyncStream<Void>.Continuation] = [:]
        var lastObserver = 0
        /// Whether a thread accepts. It closes the listening socket when it ends.
        var isAccepting = false
        var isStopped = false
        /// Sockets whose only purpose is to take places in the queue.
        var fillers: [Int32] = []
    }

    private let descriptor: Int32
    private let state = Mutex(State())
    /// Signalled when the thread that accepts has closed the listening socket.
    private let closed = DispatchSemaphore(value: 0)

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    var log: RawLog { state.withLock { $0.log } }

    /// Reads the log in its place: a copy would have what comes meanwhile be copied too.
    func look(_ body: (RawLog) -> Void) { state.withLock { body($0.log) } }

    /// Begins to listen, and plays the script that `script` gives for the number of each connection.
    func accept(playing script: @escaping @Sendable (Int) -> RawScript) throws {
        try accept(serving: { [self] connection, number in
            var player = ScriptPlayer(connection: connection, number: number, record: record)
            player.play(script(number))
        })
    }

    /// Begins to listen, and gives each connection and its number to `serve`, on a thread of its own.
    func accept(serving serve: @escaping @Sendable (SocketConnection, Int) -> Void) throws {
        try state.withLock { state in
            // Once stopped, the number may be another's; two threads that accept would close it twice.
            if state.isStopped || state.isAccepting { throw Socket.Failure(call: "listen", code: EINVAL) }
            try Socket.listen(descriptor, backlog: 128)
            state.isAccepting = true
        }
        Thread.detachNewThread { [self] in
            var number = 0
            while let accepted = Socket.accept(descriptor) {
                number += 1
                guard let connection = open(accepted, number: number) else { break }
                Thread.detachNewThread { [self, number] in
                    serve(connection, number)
                    state.withLock { $0.connections[number] = nil }
                }
            }
            Socket.close(descriptor)
            closed.signal()
        }
    }

    /// Listens with the shortest queue there is, and fills it.
    func fillQueue(port: Int) throws {
        // Linux lets two in, Darwin one; 0 would be the longest queue there.
        try Socket.listen(descriptor, backlog: 1)
        // More than it takes: the rest stay in SYN-SENT, and so does everyone after them.
        for _ in 0..<4 {
            let filler = try Socket.startConnecting(toPort: port)
            state.withLock { $0.fillers.append(filler) }
        }
    }

    func stop() {
        let previous = state.withLock { state in
            let previous = state
            state.isStopped = true
            state.fillers = []
            // Under the lock: the thread that accepts closes the socket when it sees the end, and then the number may be
            // another's.
            if !previous.isStopped {
                if state.isAccepting { Socket.stopAccepting(descriptor) } else { Socket.close(descriptor) }
            }
            return previous
        }
        guard !previous.isStopped else { return }
        for connection in previous.connections.values { connection.interrupt() }
        for filler in previous.fillers { Socket.close(filler) }
        // From now on the port refuses. The thread has been woken, unless the process has no descriptor left.
        if previous.isAccepting, Socket.listensUntilClosed { _ = closed.wait(timeout: .now() + 1) }
    }

    /// Gives an element at once, and after every change of the log.
    func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = state.withLock { state in
            state.lastObserver += 1
            state.observers[state.lastObserver] = continuation
            return state.lastObserver
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.observers.removeValue(forKey: id) }
        }
        continuation.yield()
        return stream
    }

    func record(_ change: (inout RawLog) -> Void) {
        let observers = state.withLock { state in
            change(&state.log)
            return Array(state.observers.values)
        }
        for observer in observers { observer.yield() }
    }

    /// `nil` when the server has stopped meanwhile.
    private func open(_ accepted: Int32, number: Int) -> SocketConnection? {
        let connection = SocketConnection(accepted)
        let isStopped = state.withLock { state in
            if !state.isStopped { state.connections[number] = connection }
            return state.isStopped
        }
        guard !isStopped else {
            connection.close()
            return nil
        }
        record { $0.events.append(.init(connection: number, kind: .accepted)) }
        return connection
    }
}
