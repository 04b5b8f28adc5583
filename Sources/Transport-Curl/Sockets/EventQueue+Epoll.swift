// SPDX-License-Identifier: Apache-2.0

#if os(Linux) && !STRATA_PORTABLE_LOOP

import CStrataCurl

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Waits for sockets by epoll, for other threads by an eventfd, and for a moment in time by a timerfd, which others may set
/// while the loop waits.
final class EventQueue: Sendable {
    /// Whether another thread may drive libcurl, under the loop's lock, while the loop waits.
    static let isShareable = true

    private let epoll: Int32
    private let wakeup: Int32
    private let timer: Int32
    // Unsafe: nothing but the loop, under its lock, uses it.
    nonisolated(unsafe) private let multi: UnsafeMutableRawPointer

    /// `nil` when the system has no more descriptors.
    init?(multi: UnsafeMutableRawPointer) {
        self.multi = multi
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        wakeup = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))
        timer = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_NONBLOCK) | Int32(TFD_CLOEXEC))
        guard epoll >= 0, wakeup >= 0, timer >= 0 else {
            close()
            return nil
        }
        // Edge-triggered, so that neither has to be read.
        for descriptor in [wakeup, timer] {
            var event = epoll_event()
            event.events = EPOLLIN.rawValue | EPOLLET.rawValue
            event.data.fd = descriptor
            epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event)
        }
    }

    func close() {
        for descriptor in [epoll, wakeup, timer] where descriptor >= 0 { _ = closeSocket(descriptor) }
    }

    func wake() {
        var one: UInt64 = 1
        _ = write(wakeup, &one, MemoryLayout<UInt64>.size)
    }

    /// Sets the moment at which the next wait ends at the latest.
    func arm(at time: UInt64) {
        var value = itimerspec()
        value.it_value.tv_sec = Int(time / 1_000_000_000)
        value.it_value.tv_nsec = Int(time % 1_000_000_000)
        timerfd_settime(timer, Int32(TFD_TIMER_ABSTIME), &value, nil)
    }

    /// What a wait has brought; belongs to the loop's thread.
    struct Ready: @unchecked Sendable {
        // Unchecked because of the pointer, which one thread has.
        fileprivate let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: Ready.capacity)
        /// Those that libcurl has not been told of yet.
        fileprivate(set) var rest = 0..<0
        fileprivate static let capacity = 256

        var count: Int { rest.count }

        func free() { events.deallocate() }
    }

    /// - Parameter isBlocking: whether to wait until something happens, or just to look.
    func wait(_ ready: inout Ready, isBlocking: Bool) {
        let count = epoll_wait(epoll, ready.events, Int32(Ready.capacity), isBlocking ? -1 : 0)
        ready.rest = 0..<max(0, Int(count))
    }

    /// Tells libcurl what has happened.
    ///
    /// - Parameter goesOn: asked before each socket but the first; what is not told now is left in `ready`.
    /// - Returns: whether the timer has passed.
    func dispatch(_ ready: inout Ready, _ sockets: SocketTable, goesOn: () -> Bool) -> Bool {
        var isTimerDue = false
        var running: Int32 = 0
        var isFirst = true
        while let index = ready.rest.first, isFirst || goesOn() {
            ready.rest.removeFirst()
            isFirst = false
            let (descriptor, bits) = (ready.events[index].data.fd, ready.events[index].events)
            if descriptor == wakeup { continue }
            if descriptor == timer {
                isTimerDue = true
                continue
            }
            // The action before may have lost interest in this one, or closed it.
            guard sockets.isWanted(descriptor) else {
                sockets.cameUnwanted(on: descriptor)
                continue
            }
            var mask: Int32 = 0
            if bits & EPOLLIN.rawValue != 0 { mask |= CURL_CSELECT_IN }
            if bits & EPOLLOUT.rawValue != 0 { mask |= CURL_CSELECT_OUT }
            if bits & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 { mask |= CURL_CSELECT_ERR }
            curl_multi_socket_action(multi, descriptor, mask, &running)
        }
        return isTimerDue
    }

    /// Lets libcurl act on its own timers and new handles.
    func callLibcurl() {
        var running: Int32 = 0
        curl_multi_socket_action(multi, CURL_SOCKET_BAD, 0, &running)
    }

    /// Looks at what has come on sockets so far, in any thread under the loop's lock. The next wait tells it again.
    ///
    /// - Parameter visit: is given the sockets that have something.
    /// - Returns: whether those are all.
    func look(_ visit: (Int32) -> Void) -> Bool {
        let capacity = 64
        return withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: capacity) { events in
            guard let start = events.baseAddress else { return false }
            let count = Int(epoll_wait(epoll, start, Int32(capacity), 0))
            guard count >= 0 else { return false }
            for event in events.prefix(count) {
                switch event.data.fd {
                // These are told once, and the loop has to hear of them.
                case wakeup: wake()
                case timer: arm(at: 1)
                case let socket: visit(socket)
                }
            }
            return count < capacity
        }
    }

    func register(_ descriptor: Int32, from old: Interest, to new: Interest) {
        var event = epoll_event()
        if new.contains(.input) { event.events |= EPOLLIN.rawValue }
        if new.contains(.output) { event.events |= EPOLLOUT.rawValue }
        event.data.fd = descriptor
        if new.isEmpty {
            epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, nil)
        } else if epoll_ctl(epoll, old.isEmpty ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, descriptor, &event) != 0 {
            // The table was wrong about a descriptor that was closed behind its back.
            epoll_ctl(epoll, old.isEmpty ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, descriptor, &event)
        }
    }
}

#endif
