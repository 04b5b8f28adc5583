// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Keeps SIGPIPE from ending the process, unless the program handles it.
package func ignoreBrokenPipeSignal() {
    var action = sigaction()
    guard sigaction(SIGPIPE, nil, &action) == 0 else { return }
    #if canImport(Darwin)
    let isDefault = action.__sigaction_u.__sa_handler == nil
    #elseif canImport(Musl)
    let isDefault = action.__sa_handler.sa_handler == nil
    #else
    let isDefault = action.__sigaction_handler.sa_handler == nil
    #endif
    if isDefault { signal(SIGPIPE, SIG_IGN) }
}

/// A function of a library that is in the process, or can be brought into it.
package func librarySymbol(_ name: String, in libraries: [String]) -> UnsafeMutableRawPointer? {
    #if canImport(Darwin)
    let everywhere = UnsafeMutableRawPointer(bitPattern: -2)  // RTLD_DEFAULT
    #else
    let everywhere: UnsafeMutableRawPointer? = nil
    #endif
    if let symbol = dlsym(everywhere, name) { return symbol }
    for library in libraries {
        guard let handle = dlopen(library, RTLD_LAZY) else { continue }
        if let symbol = dlsym(handle, name) { return symbol }
    }
    return nil
}

/// A variable of the environment, when it is set and not empty.
package func environmentVariable(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
}
