// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataTransportSupport

/// SOCKS5 (RFC 1928), with a user name and a password (RFC 1929) where there are some.
final class SOCKS5Handshake: ProxyHandshake {
    private enum Phase {
        case method, login, reply, boundType, bound, open
    }

    private let target: SOCKSTarget
    private let credentials: [UInt8]?
    private let host: [UInt8]
    var output: [UInt8]
    private var phase = Phase.method
    /// What has come of the present message, and how long that is.
    private var message: [UInt8] = []
    private var length = 2

    /// - Throws: `proxyFailed` when a name or the password is longer than the protocol can say.
    init(to target: SOCKSTarget, user: String?, password: String?) throws(NetworkClientError) {
        self.target = target
        switch target.host {
        case .address(let bytes): host = [bytes.count == 4 ? 1 : 4] + bytes
        case .name(let name):
            let name = Array(name.utf8)
            guard let count = UInt8(exactly: name.count) else {
                throw .proxy("the host's name is longer than SOCKS allows (255 bytes)")
            }
            host = [3, count] + name
        }
        if let user {
            let (user, password) = (Array(user.utf8), Array((password ?? "").utf8))
            guard let userCount = UInt8(exactly: user.count), let passwordCount = UInt8(exactly: password.count) else {
                throw .proxy("the user's name or the password is longer than SOCKS allows (255 bytes)")
            }
            credentials = [1, userCount] + user + [passwordCount] + password
        } else {
            credentials = nil
        }
        // Version, and the methods that are offered: none (0), user name and password (2).
        output = credentials == nil ? [5, 1, 0] : [5, 2, 0, 2]
    }

    var wanted: Int { phase == .open ? 0 : length - message.count }

    func take(_ bytes: UnsafeRawBufferPointer) throws(NetworkClientError) -> ProxyProgress {
        var rest = bytes[...]
        while phase != .open {
            let piece = rest.prefix(wanted)
            message.append(contentsOf: piece)
            rest = rest.dropFirst(piece.count)
            guard message.count == length else { return .underWay }
            if let end = try messageCame() { return end }
        }
        guard rest.isEmpty else { throw .proxySpeaksUnasked }
        return .open
    }

    func finish() throws(NetworkClientError) -> ProxyProgress {
        let place =
            switch phase {
            case .method: "before it had answered"
            case .login: "instead of judging the credentials"
            case .reply, .boundType, .bound, .open: "instead of connecting to the server"
            }
        throw .proxy("the SOCKS proxy closed the connection \(place)")
    }

    private func expect(_ phase: Phase, _ length: Int) {
        (self.phase, self.length, message) = (phase, length, [])
    }

    private func messageCame() throws(NetworkClientError) -> ProxyProgress? {
        switch phase {
        case .method:
            guard message[0] == 5 else { throw .proxy("what answered is no SOCKS5 proxy") }
            switch message[1] {
            case 0: ask()
            case 2 where credentials != nil:
                output += credentials ?? []
                expect(.login, 2)
            case 2, 0xff:
                let asks = credentials == nil
                throw .proxy("the SOCKS proxy \(asks ? "asks for a" : "takes no") user name and password")
            default: throw .proxy("the SOCKS proxy chose a way to log in that was not offered")
            }
        case .login:
            guard message[1] == 0 else { throw .proxy("the SOCKS proxy refused the credentials") }
            ask()
        case .reply:
            guard message[0] == 5 else { throw .proxy("the SOCKS proxy's reply is malformed") }
            if let reason = Self.reason(message[1]) {
                let error = NetworkClientError.proxy("the SOCKS proxy did not connect to the server: \(reason)")
                guard Self.mayDepend.contains(message[1]) else { throw error }
                return .unreachable(error)
            }
            // Up to the first byte of an address, which may be its length.
            expect(.boundType, 3)
        case .boundType:
            // Where the proxy goes out from is of no interest, but for how long it is.
            switch message[1] {
            case 1: expect(.bound, 3 + 2)
            case 3: expect(.bound, Int(message[2]) + 2)
            case 4: expect(.bound, 15 + 2)
            default: throw .proxy("the SOCKS proxy's reply is malformed")
            }
        case .bound: phase = .open
        case .open: break
        }
        return nil
    }

    /// Asks for the connection.
    private func ask() {
        output += [5, 1, 0] + host + target.portBytes
        expect(.reply, 2)
    }

    /// What may be otherwise with another address of the server's.
    private static let mayDepend: Set<UInt8> = [1, 3, 4, 5, 6, 8]

    private static func reason(_ code: UInt8) -> String? {
        switch code {
        case 0: nil
        case 1: "general failure"
        case 2: "its rules do not allow it"
        case 3: "the network is unreachable"
        case 4: "the host is unreachable"
        case 5: "the connection was refused"
        case 6: "the time to live expired"
        case 7: "it does not know the command"
        case 8: "it does not know this type of address"
        default: "reply \(code)"
        }
    }
}
