// SPDX-License-Identifier: Apache-2.0

@_exported public import CDarwin
@_exported public import Glibc

// Where Apple's C library is unlike Glibc, as far as the package uses it. Nothing here runs.

// MARK: Threads, whose handles are optional pointers

public struct _opaque_pthread_t {}
public typealias pthread_t = UnsafeMutablePointer<_opaque_pthread_t>

@discardableResult public func pthread_create(
    _ thread: UnsafeMutablePointer<pthread_t?>!, _ attributes: UnsafePointer<pthread_attr_t>?,
    _ start: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?, _ argument: UnsafeMutableRawPointer?
) -> Int32 { 0 }
@discardableResult public func pthread_self() -> pthread_t { UnsafeMutablePointer(bitPattern: 1)! }
@discardableResult public func pthread_equal(_ first: pthread_t?, _ second: pthread_t?) -> Int32 { 0 }
@discardableResult public func pthread_detach(_ thread: pthread_t) -> Int32 { 0 }
@discardableResult public func pthread_join(
    _ thread: pthread_t, _ value: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> Int32 { 0 }
@discardableResult public func pthread_setname_np(_ name: UnsafePointer<CChar>) -> Int32 { 0 }

// MARK: Signals

extension Glibc.sigaction {
    public struct __sigaction_u_type {
        public var __sa_handler: (@convention(c) (Int32) -> Void)?
    }
    public var __sigaction_u: __sigaction_u_type { __sigaction_u_type() }
}

// MARK: Sockets

public let SOCK_STREAM: Int32 = 1
public let SHUT_RD: Int32 = 0
public let SHUT_WR: Int32 = 1
public let SHUT_RDWR: Int32 = 2
public let IPPROTO_TCP: Int32 = 6
public let SO_NOSIGPIPE: Int32 = 0x1022
public let SO_NWRITE: Int32 = 0x1024
public let TCP_KEEPALIVE: Int32 = 0x10

extension sockaddr_in {
    public var sin_len: UInt8 {
        get { 0 }
        set {}
    }
}
extension sockaddr_in6 {
    public var sin6_len: UInt8 {
        get { 0 }
        set {}
    }
}
extension sockaddr_un {
    public var sun_len: UInt8 {
        get { 0 }
        set {}
    }
}
