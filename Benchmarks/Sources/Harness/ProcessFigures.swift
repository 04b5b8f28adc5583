// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Processor time of this process, in microseconds.
public struct CPUTime: Sendable {
    public var user: Double
    public var system: Double
    public var total: Double { user + system }

    public static var now: CPUTime {
        let usage = resourceUsage()
        func microseconds(_ time: timeval) -> Double { Double(time.tv_sec) * 1e6 + Double(time.tv_usec) }
        return CPUTime(user: microseconds(usage.ru_utime), system: microseconds(usage.ru_stime))
    }

    public static func - (one: CPUTime, other: CPUTime) -> CPUTime {
        CPUTime(user: one.user - other.user, system: one.system - other.system)
    }
}

/// Resident memory of this process, in KiB.
public enum Memory {
    /// What is resident now.
    public static var current: Int { status("VmRSS:") ?? peak }

    /// The most that was resident since the start, or since `forgetPeak()` where the system has that.
    public static var peak: Int {
        #if canImport(Darwin)
        resourceUsage().ru_maxrss / 1024
        #else
        status("VmHWM:") ?? resourceUsage().ru_maxrss
        #endif
    }

    /// Lets the peak begin at what is resident now (Linux, proc(5): `clear_refs`).
    public static func forgetPeak() {
        guard let file = fopen("/proc/self/clear_refs", "w") else { return }
        fputs("5", file)
        fclose(file)
    }

    private static func status(_ key: String) -> Int? {
        guard let file = fopen("/proc/self/status", "r") else { return nil }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            if text.hasPrefix(key) { return Int(text.split(whereSeparator: { !$0.isNumber }).first ?? "") }
        }
        return nil
    }
}

/// Allocations of this process so far, when `C/mallocs.c` is preloaded.
public enum Allocations {
    private typealias Counter = @convention(c) () -> UInt

    private static let all = counter("bench_mallocs")
    private static let own = counter("bench_own_mallocs")

    private static func counter(_ name: String) -> Counter? {
        guard let program = dlopen(nil, RTLD_NOW), let symbol = dlsym(program, name) else { return nil }
        return unsafeBitCast(symbol, to: Counter.self)
    }

    public static var count: Int? { all.map { Int($0()) } }
    /// Without those that libcurl makes.
    public static var ownCount: Int? { own.map { Int($0()) } }
}

/// Open descriptors of this process.
public func openDescriptors() -> Int {
    guard let folder = opendir("/dev/fd") else { return 0 }
    defer { closedir(folder) }
    var count = 0
    while let entry = readdir(folder) {
        // Not "." and "..".
        if entry.pointee.d_name.0 != CChar(UInt8(ascii: ".")) { count += 1 }
    }
    // Not the one that this reads with.
    return count - 1
}

/// Nanoseconds since some moment.
@inline(__always)
public func monotonic() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

private func resourceUsage() -> rusage {
    var usage = rusage()
    #if canImport(Glibc)
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    #else
    getrusage(RUSAGE_SELF, &usage)
    #endif
    return usage
}
