// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataTransportSupport

/// SOCKS4, and SOCKS4a where the proxy looks the name up. There is no standard but the custom: eight bytes, the user's name, and
/// eight bytes back.
final class SOCKS4Handshake: ProxyHandshake {
    var output: [UInt8]
    private var reply: [UInt8] = []

    private static let replyLength = 8

    /// - Throws: `proxyFailed` for what the protocol cannot say: an address of IPv6, a NUL in a name.
    init(to target: SOCKSTarget, user: String?) throws(NetworkClientError) {
        output = [4, 1] + target.portBytes
        let user = Array((user ?? "").utf8)
        guard !user.contains(0) else { throw .proxy("the user's name has a NUL, which SOCKS4 does not allow") }
        switch target.host {
        case .address(let bytes):
            guard bytes.count == 4 else { throw .proxy("SOCKS4 knows no addresses of IPv6") }
            output += bytes + user + [0]
        case .name(let name):
            // An address that there is not says that a name follows.
            output += [0, 0, 0, 1] + user + [0] + Array(name.utf8) + [0]
        }
    }

    var wanted: Int { Self.replyLength - reply.count }

    func take(_ bytes: UnsafeRawBufferPointer) throws(NetworkClientError) -> ProxyProgress {
        let piece = bytes.prefix(wanted)
        reply.append(contentsOf: piece)
        guard reply.count == Self.replyLength else { return .underWay }
        guard reply[0] == 0 else { throw .proxy("what answered is no SOCKS4 proxy") }
        switch reply[1] {
        case 90:
            guard piece.count == bytes.count else { throw .proxySpeaksUnasked }
            return .open
        case 91: return .unreachable(.proxy("the SOCKS proxy did not connect to the server: it refused or failed"))
        default: throw .proxy("the SOCKS proxy did not connect to the server: it did not accept the user (\(reply[1]))")
        }
    }

    func finish() throws(NetworkClientError) -> ProxyProgress {
        throw .proxy("the SOCKS proxy closed the connection instead of connecting to the server")
    }
}
