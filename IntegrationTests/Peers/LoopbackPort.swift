// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Ports of the loopback interface.
enum LoopbackPort {
    struct Failure: Error {}

    static var hasIPv6: Bool { (try? free(1, host: "::1")) != nil }

    /// Ports that nobody listens on now.
    static func free(_ count: Int, host: String = "127.0.0.1") throws -> [Int] {
        var descriptors: [Int32] = []
        defer { for descriptor in descriptors { close(descriptor) } }
        return try (0..<count).map { _ in
            let descriptor = try withAddress(host, port: 0) { family, address, length in
                let descriptor = socket(family, stream, 0)
                guard descriptor >= 0 else { return Int32(-1) }
                if bind(descriptor, address, length) == 0 { return descriptor }
                close(descriptor)
                return -1
            }
            guard descriptor >= 0 else { throw Failure() }
            descriptors.append(descriptor)
            return try boundPort(of: descriptor)
        }
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

    private static func boundPort(of descriptor: Int32) throws -> Int {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard result == 0 else { throw Failure() }
        // The port stands at the same place for both families.
        return withUnsafeBytes(of: storage) { Int($0[2]) << 8 | Int($0[3]) }
    }
}
