// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Ports of the loopback interface.
enum LoopbackPort {
    struct Failure: Error {}

    static var hasIPv6: Bool { hasAddress("::1") }

    /// Whether the loopback interface has it. Linux gives all of 127.0.0.0/8, Darwin 127.0.0.1 alone.
    static func hasAddress(_ host: String) -> Bool { (try? free(1, host: host)) != nil }

    /// Ports that nobody listens on now, none of those that the system hands out by itself: another test might get it before the
    /// server for whom it is meant, and be taken for that.
    static func free(_ count: Int, host: String = "127.0.0.1") throws -> [Int] {
        var descriptors: [Int32] = []
        defer { for descriptor in descriptors { close(descriptor) } }
        var ports: [Int] = []
        for _ in 0..<1000 where ports.count < count {
            let port = Int.random(in: 20_000..<32_000)
            let descriptor = try withAddress(host, port: port) { family, address, length in
                let descriptor = socket(family, stream, 0)
                guard descriptor >= 0 else { return Int32(-1) }
                if bind(descriptor, address, length) == 0 { return descriptor }
                close(descriptor)
                return -1
            }
            guard descriptor >= 0 else { continue }
            descriptors.append(descriptor)
            ports.append(port)
        }
        guard ports.count == count else { throw Failure() }
        return ports
    }

    static func isListening(_ port: Int, host: String = "127.0.0.1") -> Bool {
        let connected = try? withAddress(host, port: port) { family, address, length in
            let descriptor = socket(family, stream, 0)
            guard descriptor >= 0 else { return false }
            defer { close(descriptor) }
            return connect(descriptor, address, length) == 0
        }
        return connected == true
    }

    #if canImport(Darwin)
    private static let stream = SOCK_STREAM
    #else
    private static let stream = Int32(SOCK_STREAM.rawValue)
    #endif

    private static func withAddress<Result>(
        _ host: String, port: Int, _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) throws -> Result
    ) throws -> Result {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        hints.ai_socktype = stream
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &found) == 0, let found, let address = found.pointee.ai_addr
        else {
            throw Failure()
        }
        defer { freeaddrinfo(found) }
        return try body(found.pointee.ai_family, address, found.pointee.ai_addrlen)
    }
}
