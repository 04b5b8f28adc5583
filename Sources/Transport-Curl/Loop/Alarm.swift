// SPDX-License-Identifier: Apache-2.0

// Its module has some of the C library's types, since it includes their headers first.
import CStrataCurl

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Wakes one thread that waits. A ring that nobody waits for counts for the next wait.
final class Alarm: @unchecked Sendable {
    // Unchecked: what the pointers lead to is the system's, and the flag is reached under the mutex alone.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var hasRung = false

    init() {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    func ring() {
        pthread_mutex_lock(mutex)
        hasRung = true
        pthread_cond_signal(condition)
        pthread_mutex_unlock(mutex)
    }

    /// Waits for a ring.
    func wait() {
        pthread_mutex_lock(mutex)
        while !hasRung { pthread_cond_wait(condition, mutex) }
        hasRung = false
        pthread_mutex_unlock(mutex)
    }

    /// Waits for a while, or for a ring.
    func wait(nanoseconds: UInt64) {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        let end = UInt64(time.tv_nsec) + nanoseconds
        time.tv_sec += Int(end / 1_000_000_000)
        time.tv_nsec = Int(end % 1_000_000_000)
        pthread_mutex_lock(mutex)
        while !hasRung, pthread_cond_timedwait(condition, mutex, &time) == 0 {}
        hasRung = false
        pthread_mutex_unlock(mutex)
    }
}
