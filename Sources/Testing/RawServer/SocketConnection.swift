// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// An accepted socket that a script is played on, by one thread. ``interrupt()`` may come from any.
final class SocketConnection: ScriptConnection, Sendable {
    /// `nil` once it is closed, so that a number which the system has given away again is never touched.
    private let descriptor: Mutex<Int32?>
    private let stopped = DispatchSemaphore(value: 0)

    init(_ descriptor: Int32) {
        self.descriptor = Mutex(descriptor)
        Socket.prepare(descriptor)
    }

    func receive() throws(ConnectionLost) -> [UInt8] {
        guard let descriptor = descriptor.withLock({ $0 }) else { throw .serverStopped }
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count >= 0 { return Array(buffer.prefix(count)) }
            guard errno == EINTR else { throw .resetByPeer }
        }
    }

    func send(_ bytes: [UInt8]) throws(ConnectionLost) {
        guard let descriptor = descriptor.withLock({ $0 }) else { throw .serverStopped }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Socket.send(descriptor, $0) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw .resetByPeer
            }
        }
    }

    func wait(_ duration: Duration?) throws(ConnectionLost) {
        guard let duration else {
            stopped.wait()
            stopped.signal()
            throw .serverStopped
        }
        let (seconds, attoseconds) = min(max(.zero, duration), .seconds(86_400)).components
        let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
        if stopped.wait(timeout: .now() + .nanoseconds(nanoseconds)) == .success {
            stopped.signal()
            throw .serverStopped
        }
    }

    func closeOutput() {
        descriptor.withLock { _ = $0.map { shutdown($0, Socket.shutdownWrite) } }
    }

    func close(beforeInputEnds: Bool) {
        closeOutput()
        let descriptor = descriptor.withLock { $0 }
        guard let descriptor else { return }
        // Unread input would turn the close into a reset.
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        Self.drain(waiting: beforeInputEnds ? .milliseconds(500) : .zero, atMost: .seconds(1)) { time in
            Socket.isReadable(descriptor, within: time) && recv(descriptor, &buffer, buffer.count, 0) > 0
        }
        self.descriptor.withLock {
            Socket.close(descriptor)
            $0 = nil
        }
    }

    /// Reads and drops what is there, and waits for more until nothing comes for some time. If the client never stops
    /// sending, it ends when `limit` has passed.
    ///
    /// - `receive`: reads once, waiting for the given time at most, and returns whether there was something.
    static func drain(waiting patience: Duration, atMost limit: Duration, _ receive: (Duration) -> Bool) {
        let start = ContinuousClock.now
        while true {
            let passed = ContinuousClock.now - start
            guard passed < limit, receive(patience - passed) else { return }
        }
    }

    func reset() {
        descriptor.withLock { open in
            guard let descriptor = open else { return }
            var lingering = linger(l_onoff: 1, l_linger: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &lingering, socklen_t(MemoryLayout<linger>.size))
            Socket.close(descriptor)
            open = nil
        }
    }

    /// Ends whatever the script's thread waits for.
    func interrupt() {
        stopped.signal()
        descriptor.withLock { _ = $0.map { shutdown($0, Socket.shutdownBoth) } }
    }
}
