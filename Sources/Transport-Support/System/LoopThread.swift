// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A thread of its own, such as a loop runs in.
package struct LoopThread: @unchecked Sendable {
    // Unchecked because of the handle, which is a number or an opaque pointer, by platform.
    private let handle: pthread_t

    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// `nil` when the system has no more threads.
    package init?(_ run: @escaping @Sendable () -> Void) {
        let body = Unmanaged.passRetained(Body(run))
        #if canImport(Glibc)
        var created = pthread_t()
        #else
        var created: pthread_t?
        #endif
        #if canImport(Darwin)
        let status = pthread_create(
            &created, nil,
            { argument in
                pthread_setname_np("strata.transport")
                Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, body.toOpaque())
        #else
        let status = pthread_create(
            &created, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, body.toOpaque())
        #endif
        guard status == 0, let thread = created as pthread_t? else {
            body.release()
            return nil
        }
        handle = thread
    }

    package var isCurrent: Bool { pthread_equal(pthread_self(), handle) != 0 }

    /// Waits for the thread's end, or lets it go where that would be waiting for itself.
    package func finish() {
        if isCurrent { pthread_detach(handle) } else { pthread_join(handle, nil) }
    }

    package func detach() { pthread_detach(handle) }
}
