// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// How many files and sockets the process may have open.
enum OpenFiles {
    #if canImport(Darwin)
    static let resource = RLIMIT_NOFILE
    #else
    static let resource = __rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue))
    #endif

    /// Raises the limit to `count` where that is allowed; `false` where it is not.
    static func allow(_ count: Int) -> Bool {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return false }
        if limit.rlim_cur >= rlim_t(count) { return true }
        guard limit.rlim_max >= rlim_t(count) else { return false }
        limit.rlim_cur = rlim_t(count)
        return setrlimit(resource, &limit) == 0
    }
}
