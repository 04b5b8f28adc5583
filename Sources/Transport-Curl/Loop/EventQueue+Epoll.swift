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
        fileprivate(set) var count = 0
        fileprivate static let capacity = 256

        func free() { events.deallocate() }
    }

    /// - Parameter isBlocking: whether to wait until something happens, or just to look.
    func wait(_ ready: inout Ready, isBlocking: Bool) {
        let count = epoll_wait(epoll, ready.events, Int32(Ready.capacity), isBlocking ? -1 : 0)
        ready.count = max(0, Int(count))
    }

    /// Tells libcurl what has happened.
    ///
    /// - Parameter isUsed: whether a connection may carry an exchange.
    /// - Returns: whether the timer has passed.
    func dispatch(_ ready: inout Ready, _ sockets: SocketTable, isUsed: SocketTable.Usage) -> Bool {
        var isTimerDue = false
        var running: Int32 = 0
        defer { ready.count = 0 }
        for index in 0..<ready.count {
            let (descriptor, bits) = (ready.events[index].data.fd, ready.events[index].events)
            if descriptor == wakeup { continue }
            if descriptor == timer {
                isTimerDue = true
                continue
            }
            // The action before may have lost interest in this one, or closed it.
            guard sockets.isWanted(descriptor) else {
                sockets.dismiss(descriptor, isUsed: isUsed)
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
    func kick() {
        var running: Int32 = 0
        curl_multi_socket_action(multi, CURL_SOCKET_BAD, 0, &running)
    }

    fileprivate func register(_ descriptor: Int32, from old: UInt32, to new: UInt32) {
        var event = epoll_event()
        event.events = new
        event.data.fd = descriptor
        if new == 0 {
            epoll_ctl(epoll, EPOLL_CTL_DEL, descriptor, nil)
        } else if epoll_ctl(epoll, old == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, descriptor, &event) != 0 {
            // The table was wrong about a descriptor that was closed behind its back.
            epoll_ctl(epoll, old == 0 ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, descriptor, &event)
        }
    }
}

/// What libcurl wants to know of each socket, and what epoll has been told: the two may differ.
///
/// A kept-alive connection is unregistered and registered again by libcurl around every request. Only a change that
/// matters is passed on; the textbook way costs a quarter more per request. That is safe for connections alone, whose
/// opening is always reported: some of libcurl's versions close a socket that is still connecting, and those that the
/// resolver waits for, without a word, and the next socket has the same number.
///
/// Nobody has asked for what comes on an idle connection over HTTP/1, and it must not be taken for the next answer (RFC
/// 9112 §9.2). libcurl 7.88 sends the next request there all the same, also when what came is the end of TLS. So the
/// connection is ended here, which libcurl notices.
final class SocketTable {
    typealias Usage = (_ descriptor: Int32, _ localPort: UInt16) -> Bool

    private struct Entry {
        var wanted: UInt32 = 0
        var registered: UInt32 = 0
        var isConnection = false
        var isHTTP1 = false
    }

    private let queue: EventQueue
    // Not checked at run time: no function of the table calls another that touches it while it changes an entry.
    @exclusivity(unchecked) private var entries: [Entry] = []
    /// The idle connection that nobody watches for a moment.
    private(set) var unwatched: Int32?
    /// The port that it comes from.
    private(set) var unwatchedPort: UInt16?

    init(_ queue: EventQueue) { self.queue = queue }

    func isWanted(_ descriptor: Int32) -> Bool {
        entries.indices.contains(Int(descriptor)) && entries[Int(descriptor)].wanted != 0
    }

    func change(_ descriptor: Int32, to what: Int32) {
        makeRoom(for: descriptor)
        var mask: UInt32 = 0
        if what & CURL_POLL_IN != 0 { mask |= EPOLLIN.rawValue }
        if what & CURL_POLL_OUT != 0 { mask |= EPOLLOUT.rawValue }
        let entry = entries[Int(descriptor)]
        entries[Int(descriptor)].wanted = mask
        // At rest too a connection is listened to.
        if mask == 0, entry.isHTTP1, entry.registered == 0 { return unwatch(descriptor) }
        let isIdle = mask == 0 && entry.isConnection && (entry.isHTTP1 || entry.registered == EPOLLIN.rawValue)
        register(descriptor, isIdle ? EPOLLIN.rawValue : mask)
    }

    /// A response over HTTP/1 has come on this connection.
    func answeredByHTTP1(_ descriptor: Int32) {
        guard entries.indices.contains(Int(descriptor)) else { return }
        entries[Int(descriptor)].isHTTP1 = entries[Int(descriptor)].isConnection
    }

    /// An event came that nobody wants any more.
    ///
    /// That libcurl wants nothing of a socket does not say that it is idle: its transfer may be paused, and libcurl is
    /// silent about one that pauses within the call that takes the connection.
    func dismiss(_ descriptor: Int32, isUsed: Usage) {
        guard entries.indices.contains(Int(descriptor)) else { return }
        register(descriptor, 0)
        guard entries[Int(descriptor)].isHTTP1 else { return }
        guard hasInput(descriptor) else { return unwatch(descriptor) }
        guard let port = localPort(descriptor), !isUsed(descriptor, port), endConnection(descriptor) else { return }
        entries[Int(descriptor)].isHTTP1 = false
    }

    /// Whether a connection that was idle until now carries nothing more.
    func hasEnded(_ descriptor: Int32) -> Bool {
        let isHTTP1 = entries.indices.contains(Int(descriptor)) && entries[Int(descriptor)].isHTTP1
        return isHTTP1 ? hasInput(descriptor) : isClosedByPeer(descriptor)
    }

    /// Leaves an idle connection unwatched for a moment. A thread that takes its answers itself is about to send the next
    /// request, and waking the loop each time would cost more than the request.
    private func unwatch(_ descriptor: Int32) {
        if unwatched == descriptor { return }
        watchAgain()
        (unwatched, unwatchedPort) = (descriptor, localPort(descriptor))
    }

    func watchAgain() {
        guard let descriptor = unwatched.take() else { return }
        let entry = entries[Int(descriptor)]
        if entry.isHTTP1, entry.wanted == 0 { register(descriptor, EPOLLIN.rawValue) }
    }

    /// Does itself what the loop would do for a connection on which something has come, if it is watched.
    func lookAtIdle(_ descriptor: Int32, isUsed: Usage) {
        guard entries.indices.contains(Int(descriptor)), entries[Int(descriptor)].isHTTP1, !isWanted(descriptor),
            hasInput(descriptor)
        else { return }
        dismiss(descriptor, isUsed: isUsed)
    }

    /// A new socket, which epoll does not know, whatever it was told about the last one of this number. libcurl may have
    /// gone from that one to this without saying so: then it wants of this what it wanted of that.
    func opened(_ descriptor: Int32) {
        makeRoom(for: descriptor)
        let wanted = entries[Int(descriptor)].wanted
        entries[Int(descriptor)] = Entry(wanted: wanted, isConnection: true)
        register(descriptor, wanted)
    }

    /// epoll would forget a descriptor by itself if it were the only one of its connection: a child process may have one.
    func closed(_ descriptor: Int32) {
        guard entries.indices.contains(Int(descriptor)) else { return }
        if unwatched == descriptor { unwatched = nil }
        register(descriptor, 0)
        entries[Int(descriptor)] = Entry()
    }

    private func makeRoom(for descriptor: Int32) {
        while entries.count <= Int(descriptor) { entries.append(Entry()) }
    }

    private func register(_ descriptor: Int32, _ mask: UInt32) {
        let registered = entries[Int(descriptor)].registered
        if registered == mask { return }
        queue.register(descriptor, from: registered, to: mask)
        entries[Int(descriptor)].registered = mask
    }
}

#endif
