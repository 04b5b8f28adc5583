// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The system's own code, the cause of a `NetworkClientError` from ``NativeTransport``.
public struct SystemError: Error, Hashable, Sendable {
    /// The number behind the `E…` constant.
    public let code: Int32

    package init(_ code: Int32) { self.code = code }
}

extension SystemError: CustomStringConvertible {
    /// `errno 111: Connection refused`.
    public var description: String { "errno \(code): \(text)" }

    /// The system's words.
    var text: String { String(cString: strerror(code)) }
}

extension SystemError {
    /// Whether the process, or the system, has no more descriptors.
    var isLackOfDescriptors: Bool { code == EMFILE || code == ENFILE }
    /// The system watches no more sockets.
    static let noRoom = SystemError(ENOSPC)
    /// The interface that connections are to go out from has no address of the family.
    static let noLocalAddress = SystemError(EADDRNOTAVAIL)
}
