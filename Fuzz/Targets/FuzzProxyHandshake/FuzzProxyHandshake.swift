// SPDX-License-Identifier: Apache-2.0

import Foundation
import FuzzSupport
import StrataCore

@testable import StrataNative
@testable import StrataTransportSupport

/// What proxies say before a connection leads through them: however it comes, it means the same, and nothing is left to guess.
@main struct FuzzProxyHandshake {
    static func main() { Fuzzer.run(check) }
}

/// The first byte says which handshake it is, and how the others are cut.
private func check(_ data: Data) {
    guard let first = data.first else { return }
    let bytes = Array(data.dropFirst())
    let place = bytes.count * Int(first >> 3) / 32
    let whole = hear([bytes], first)
    for pieces in [[Array(bytes[..<place]), Array(bytes[place...])], bytes.map { [$0] }] {
        let other = hear(pieces, first)
        // What comes together with the last word is refused; what comes behind it is somebody else's.
        precondition(
            other == whole || whole.outcome == NetworkClientError.proxySpeaksUnasked.message || whole.outcome == "again"
        )
    }
}

private struct Hearing: Equatable {
    var said: [UInt8] = []
    var outcome = ""
}

private func handshake(_ kind: UInt8) -> (any ProxyHandshake)? {
    let target = SOCKSTarget("a.example", port: 443)
    let login = ProxyLogin(user: "user", password: "password") { "nonce" }
    let origin = Endpoint(isSecure: true, host: "a.example", port: 443)
    var limits = ResponseReader.Limits()
    limits.head = 2048
    switch kind & 7 {
    case 0: return try? SOCKS5Handshake(to: target, user: nil, password: nil)
    case 1: return try? SOCKS5Handshake(to: target, user: "user", password: "password")
    case 2: return try? SOCKS4Handshake(to: target, user: nil)
    case 3: return ConnectHandshake(to: origin, login: nil, isExact: true, limits: limits, fields: FieldMemory())
    case 4: return ConnectHandshake(to: origin, login: login, isExact: true, limits: limits, fields: FieldMemory())
    default: return ConnectHandshake(to: origin, login: login, limits: limits, fields: FieldMemory())
    }
}

/// No more goes in at once than is wanted, as the engine reads.
private func hear(_ pieces: [[UInt8]], _ kind: UInt8) -> Hearing {
    guard let handshake = handshake(kind) else { return Hearing() }
    var hearing = Hearing()
    func say() {
        hearing.said += handshake.output
        handshake.output = []
    }
    say()
    do {
        for piece in pieces {
            var rest = piece[...]
            while !rest.isEmpty {
                precondition(handshake.wanted > 0)
                let part = Array(rest.prefix(handshake.wanted))
                rest = rest.dropFirst(part.count)
                switch try part.withUnsafeBytes({ try handshake.take($0) }) {
                case .underWay: say()
                case .open: hearing.outcome = "open"
                case .again: hearing.outcome = "again"
                case .unreachable: hearing.outcome = "unreachable"
                }
                precondition(handshake.output.count < 4096)
                if !hearing.outcome.isEmpty { return hearing }
            }
        }
        if case .again = try handshake.finish() { hearing.outcome = "again at the end" }
    } catch {
        let error = error as? NetworkClientError
        precondition(error?.code == .proxyFailed)
        // What is wrong may be seen by its first bytes, and is said in other words then.
        let isUnasked = error?.message == NetworkClientError.proxySpeaksUnasked.message
        hearing.outcome = isUnasked ? NetworkClientError.proxySpeaksUnasked.message : "failed"
    }
    return hearing
}
