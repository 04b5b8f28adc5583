// SPDX-License-Identifier: Apache-2.0

#if os(Linux)

import CStrataEvents

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Waits for sockets by epoll, level-triggered, and for other threads by an eventfd.
final class EventQueue: Sendable {
    private let epoll: Int32
    private let wakeup: Int32

    /// `nil` when the system has no more descriptors.
    init?() {
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        wakeup = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))
        guard epoll >= 0, wakeup >= 0 else {
            closeDescriptors()
            return nil
        }
        // Edge-triggered, so that it has not to be read.
        var event = epoll_event()
        event.events = STRATA_EPOLLIN | STRATA_EPOLLET
        event.data.u64 = Self.wakeupToken
        guard epoll_ctl(epoll, EPOLL_CTL_ADD, wakeup, &event) == 0 else {
            closeDescriptors()
            return nil
        }
    }

    deinit { closeDescriptors() }

    private func closeDescriptors() {
        for descriptor in [epoll, wakeup] where descriptor >= 0 { close(descriptor) }
    }

    private static let wakeupToken = UInt64.max

    /// Ends the wait that is under way, or the next one.
    func wake() {
        var one: UInt64 = 1
        _ = write(wakeup, &one, MemoryLayout<UInt64>.size)
    }

    /// - Parameter token: what is told when something happens.
    /// - Returns: whether the system has room for it.
    func add(_ descriptor: Int32, _ interest: Interest, token: UInt64) -> Bool {
        var event = Self.event(interest, token)
        return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0
    }

    func change(_ descriptor: Int32, from old: Interest, to new: Interest, token: UInt64) {
        var event = Self.event(new, token)
        epoll_ctl(epoll, EPOLL_CTL_MOD, descriptor, &event)
    }

    func remove(_ descriptor: Int32) { epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, nil) }

    private static func event(_ interest: Interest, _ token: UInt64) -> epoll_event {
        var event = epoll_event()
        if interest.contains(.input) { event.events |= STRATA_EPOLLIN }
        if interest.contains(.output) { event.events |= STRATA_EPOLLOUT }
        event.data.u64 = token
        return event
    }

    /// What a wait has brought; belongs to the loop's thread.
    struct Ready: @unchecked Sendable {
        // Unchecked because of the pointer, which one thread has.
        fileprivate let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: Ready.capacity)
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
                if event.data.u64 == wakeupToken { continue }
                var happened: Happened = []
                if event.events & STRATA_EPOLLIN != 0 { happened.insert(.input) }
                if event.events & STRATA_EPOLLOUT != 0 { happened.insert(.output) }
                if event.events & (STRATA_EPOLLERR | STRATA_EPOLLHUP) != 0 { happened.insert(.failure) }
                visit(event.data.u64, happened)
                if !hasTime() { return }
            }
        }
    }

    /// Waits until something happens, at most so many nanoseconds; `nil`: for ever.
    func wait(_ ready: inout Ready, atMost limit: UInt64?) {
        ready.visited = 0
        // Rounded up: a moment too early would be waited for once more.
        let milliseconds = limit.map { Int32(clamping: $0 / 1_000_000 + ($0 % 1_000_000 == 0 ? 0 : 1)) } ?? -1
        ready.count = max(0, Int(epoll_wait(epoll, ready.events, Int32(Ready.capacity), milliseconds)))
    }
}

#endif
