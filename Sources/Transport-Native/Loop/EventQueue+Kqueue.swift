// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)

import Darwin

/// Waits for sockets by kqueue, level-triggered, and for other threads by a user event.
final class EventQueue: Sendable {
    private let queue: Int32

    /// `nil` when the system has no more descriptors.
    init?() {
        queue = kqueue()
        guard queue >= 0 else { return nil }
        _ = fcntl(queue, F_SETFD, FD_CLOEXEC)
        guard apply(0, EVFILT_USER, EV_ADD | EV_CLEAR, token: Self.wakeupToken) else { return nil }
    }

    deinit { if queue >= 0 { close(queue) } }

    private static let wakeupToken = UInt64.max

    /// Ends the wait that is under way, or the next one.
    func wake() {
        var event = kevent()
        event.filter = Int16(EVFILT_USER)
        event.fflags = UInt32(NOTE_TRIGGER)
        event.udata = UnsafeMutableRawPointer(bitPattern: UInt(Self.wakeupToken))
        _ = kevent(queue, &event, 1, nil, 0, nil)
    }

    /// - Parameter token: what is told when something happens.
    /// - Returns: whether the system has room for it.
    func add(_ descriptor: Int32, _ interest: Interest, token: UInt64) -> Bool {
        (!interest.contains(.input) || apply(descriptor, EVFILT_READ, EV_ADD, token: token))
            && (!interest.contains(.output) || apply(descriptor, EVFILT_WRITE, EV_ADD, token: token))
    }

    func change(_ descriptor: Int32, from old: Interest, to new: Interest, token: UInt64) {
        for (direction, filter) in [(Interest.input, EVFILT_READ), (.output, EVFILT_WRITE)]
        where old.contains(direction) != new.contains(direction) {
            _ = apply(descriptor, filter, new.contains(direction) ? EV_ADD : EV_DELETE, token: token)
        }
    }

    /// The system forgets what is closed; what was not added is no harm.
    func remove(_ descriptor: Int32) {
        for filter in [EVFILT_READ, EVFILT_WRITE] { _ = apply(descriptor, filter, EV_DELETE, token: 0) }
    }

    private func apply(_ descriptor: Int32, _ filter: Int32, _ flags: Int32, token: UInt64) -> Bool {
        var event = kevent()
        event.ident = UInt(descriptor)
        event.filter = Int16(filter)
        event.flags = UInt16(flags)
        event.udata = UnsafeMutableRawPointer(bitPattern: UInt(token))
        return kevent(queue, &event, 1, nil, 0, nil) == 0
    }

    /// What a wait has brought; belongs to the loop's thread.
    struct Ready: @unchecked Sendable {
        // Unchecked because of the pointer, which one thread has.
        fileprivate let events = UnsafeMutablePointer<kevent>.allocate(capacity: Ready.capacity)
        fileprivate static let capacity = 256
        fileprivate var count = 0
        /// How many have been visited.
        fileprivate var visited = 0

        var areAllVisited: Bool { visited == count }

        /// Whether nothing else had happened.
        var isAll: Bool { count < Self.capacity }

        func free() { events.deallocate() }

        /// Visits the sockets that something has happened to, each once: the next one, and those behind it as long as there is time.
        mutating func visit(
            while hasTime: () -> Bool, _ visit: (_ token: UInt64, _ happened: Happened) -> Void
        ) {
            while visited < count {
                let event = events[visited]
                visited += 1
                let token = UInt64(UInt(bitPattern: event.udata))
                if token == wakeupToken { continue }
                visit(token, event.filter == Int16(EVFILT_WRITE) ? .output : .input)
                if !hasTime() { return }
            }
        }
    }

    /// Waits until something happens, at most so many nanoseconds; `nil`: for ever.
    func wait(_ ready: inout Ready, atMost limit: UInt64?) {
        ready.visited = 0
        guard let limit else {
            ready.count = max(0, Int(kevent(queue, nil, 0, ready.events, Int32(Ready.capacity), nil)))
            return
        }
        var time = timespec(tv_sec: Int(limit / 1_000_000_000), tv_nsec: Int(limit % 1_000_000_000))
        ready.count = max(0, Int(kevent(queue, nil, 0, ready.events, Int32(Ready.capacity), &time)))
    }
}

#endif
