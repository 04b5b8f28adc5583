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

/// The thread that runs a loop.
struct LoopThread: @unchecked Sendable {
    // Unchecked because of the handle, which is a number or an opaque pointer, by platform.
    private let handle: pthread_t

    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// `nil` when the system has no more threads.
    init?(_ run: @escaping @Sendable () -> Void) {
        let body = Unmanaged.passRetained(Body(run))
        #if canImport(Darwin)
        var created: pthread_t?
        let status = pthread_create(
            &created, nil,
            { argument in
                pthread_setname_np("strata.curl")
                Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, body.toOpaque())
        guard status == 0, let created else {
            body.release()
            return nil
        }
        handle = created
        #else
        var created = pthread_t()
        let status = pthread_create(
            &created, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, body.toOpaque())
        guard status == 0 else {
            body.release()
            return nil
        }
        handle = created
        #endif
    }

    var isCurrent: Bool { pthread_equal(pthread_self(), handle) != 0 }

    /// Waits for the thread's end, or lets it go where that would be waiting for itself.
    func finish() {
        if isCurrent { pthread_detach(handle) } else { pthread_join(handle, nil) }
    }

    func detach() { pthread_detach(handle) }
}
