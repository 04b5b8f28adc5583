// SPDX-License-Identifier: Apache-2.0

// Shows ThreadSanitizer the locks of Swift's `Synchronization.Mutex` on Linux.
//
// A free lock is taken by an atomic exchange in the caller's code, which the sanitizer sees. A contended one is handed over by
// the kernel, in a library that is not instrumented, and everything that it guards would be reported as a race. Preloaded by
// `scripts/sanitize`, this stands before the library's functions and tells what they do.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *handle

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// In the sanitizer's runtime, which processes that were not built with it lack.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

SWIFT void lock(uint32_t thread, SELF) __asm__(LOCK);
SWIFT bool try_lock(SELF) __asm__(TRY_LOCK);
SWIFT void unlock(SELF) __asm__(UNLOCK);

SWIFT void lock(uint32_t thread, SELF) {
    SWIFT void (*real)(uint32_t, SELF) = dlsym(RTLD_NEXT, LOCK);
    real(thread, handle);
    if (__tsan_acquire) __tsan_acquire(handle);
}

SWIFT bool try_lock(SELF) {
    SWIFT bool (*real)(SELF) = dlsym(RTLD_NEXT, TRY_LOCK);
    bool is_locked = real(handle);
    if (is_locked && __tsan_acquire) __tsan_acquire(handle);
    return is_locked;
}

SWIFT void unlock(SELF) {
    SWIFT void (*real)(SELF) = dlsym(RTLD_NEXT, UNLOCK);
    if (__tsan_release) __tsan_release(handle);
    real(handle);
}
