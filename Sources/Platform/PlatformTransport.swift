// SPDX-License-Identifier: Apache-2.0

public import StrataCore

#if canImport(Darwin)
import StrataURLSession
#else
import StrataNative
#endif

/// The transport that suits the platform: the engine of our own on Linux, URLSession on Apple's systems.
public enum PlatformTransport {
    /// One for the whole process, made when first used and never shut down: clients that share it share its connections.
    public static let shared: any NetworkTransport = make()

    /// One of its own, for whom shuts it down.
    public static func make() -> any NetworkTransport {
        #if canImport(Darwin)
        URLSessionTransport()
        #else
        NativeTransport()
        #endif
    }
}
