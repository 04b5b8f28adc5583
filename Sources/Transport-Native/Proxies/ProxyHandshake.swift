// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataTransportSupport

/// What is said with a proxy until a connection leads through it. It knows no I/O, and nothing in it grows without bound.
protocol ProxyHandshake: AnyObject {
    /// What is to be sent. Who sends it takes it away.
    var output: [UInt8] { get set }
    /// Whether nothing but the rest of a refusal is awaited.
    var mayStartOver: Bool { get }
    /// How many bytes can be taken at most: what comes behind them may be no longer the proxy's.
    var wanted: Int { get }
    /// Takes what has come from the proxy.
    ///
    /// - Throws: `proxyFailed`.
    func take(_ bytes: UnsafeRawBufferPointer) throws(NetworkClientError) -> ProxyProgress
    /// The connection has ended.
    ///
    /// - Throws: `proxyFailed`.
    func finish() throws(NetworkClientError) -> ProxyProgress
}

/// How far it has got.
enum ProxyProgress {
    /// There is something to send, or to wait for.
    case underWay
    /// From here on the connection leads to the origin.
    case open
    /// It is tried again, on another connection.
    case again
    /// The proxy does not get to the address: the next one may be tried, on another connection.
    case unreachable(NetworkClientError)
}

extension NetworkClientError {
    static func proxy(_ message: String, cause: (any Error)? = nil) -> NetworkClientError {
        NetworkClientError(.proxyFailed, message, cause: cause)
    }

    /// Bytes that a server behind the proxy cannot have sent yet, for nothing has been sent to it.
    static let proxySpeaksUnasked = proxy("the proxy sent more than its answer before anything went through it")
}

/// Where a SOCKS proxy is to connect to.
struct SOCKSTarget: Equatable {
    enum Host: Equatable {
        /// Four or sixteen bytes.
        case address([UInt8])
        /// The proxy looks it up.
        case name(String)
    }

    let host: Host
    let port: UInt16

    /// - Parameter host: a name, or an address without brackets.
    init(_ host: String, port: UInt16) {
        self.host = IPAddress(host).map { .address($0.bytes) } ?? .name(host)
        self.port = port
    }

    var portBytes: [UInt8] { [UInt8(truncatingIfNeeded: port >> 8), UInt8(truncatingIfNeeded: port)] }
}

extension ProxyHandshake {
    var mayStartOver: Bool { false }
}
